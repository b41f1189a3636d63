package writers

import (
	"context"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func callsOfTwits(t *testing.T) (prepare func(context.Context, hbase.Store, *Writers), all []mutationCalls) {
	key, again := "once", "again"
	twit := NewTwit{Content: "Hi", Visibility: tables.Public}
	var posted *tables.Twit
	var comment *tables.Comment
	return func(ctx context.Context, store hbase.Store, w *Writers) {
			mustMutate(t, store, importedUsers("LiLei", "Lucy", "Jim")...)
			if err := w.Relate(ctx, tables.Follows, "Jim", "Lucy"); err != nil {
				t.Fatal(err)
			}
			at, err := w.PostTwit(ctx, "Lucy", twit)
			if err != nil {
				t.Fatal(err)
			}
			when, name, _ := at.Parts()
			posted = &tables.Twit{AuthorName: "Lucy", PostedAt: when, Name: name, Content: "Hi", Visibility: tables.Public}
			k, err := w.AddComment(ctx, "Jim", posted, "Hello", &again)
			if err != nil {
				t.Fatal(err)
			}
			when, mark, _ := k.Parts()
			comment = &tables.Comment{Twit: at, AuthorName: "Jim", PostedAt: when, Content: "Hello", Mark: mark}
			w.Close(ctx)
		}, []mutationCalls{
			{"follow", func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Follows, "LiLei", "Lucy") },
				[]string{
					"Get follows, Get users 2",
					"Get following, Get users 3, Put intents",
					"CheckAndPut follows",
					"CheckAndPut users 2, Put following, Put users",
					"Get following, Get users 3",
				}},
			{"follow, already following",
				func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Follows, "Jim", "Lucy") },
				[]string{
					"Get follows, Get users 2",
					"Get intents",
				}},
			{"unfollow", func(ctx context.Context, w *Writers) error { return w.Unrelate(ctx, tables.Follows, "Jim", "Lucy") },
				[]string{
					"Get follows",
					"Get following, Get intents, Get users 3, Put intents",
					"CheckAndPut follows",
					"CheckAndPut users 2, Delete following, Delete users",
					"Get following, Get users",
				}},
			{"postTwit", func(ctx context.Context, w *Writers) error {
				_, err := w.PostTwit(ctx, "LiLei", twit)
				return err
			},
				[]string{
					"Get twit_ids, Get users",
					"Get users 2, Put intents",
					"CheckAndPut twit_ids",
					"CheckAndPut users, Put users",
					"Get users 2",
				}},
			{"deleteTwit", func(ctx context.Context, w *Writers) error { return w.DeleteTwit(ctx, posted) },
				[]string{
					"Get twit_ids",
					"Get intents, Get users 2, Put intents",
					"CheckAndPut twit_ids",
					"CheckAndPut users, Delete users",
					"Get users",
				}},
			{"addComment", func(ctx context.Context, w *Writers) error {
				_, err := w.AddComment(ctx, "LiLei", posted, "Hi", nil)
				return err
			},
				[]string{
					"Get commenters, Get twit_ids, Get users 2",
					"Get comments 2, Get user_comments, Put intents",
					"CheckAndPut commenters",
					"CheckAndPut comments, Put comments, Put user_comments",
					"Get comments, Get twit_ids, Get user_comments, Get users",
				}},
			{"addComment, under a key, on one's own twit", func(ctx context.Context, w *Writers) error {
				_, err := w.AddComment(ctx, "Lucy", posted, "Hi", &key)
				return err
			},
				[]string{
					"Get commenters, Get twit_ids, Get users 2",
					"Get comments 2, Get user_comments, Put intents",
					"CheckAndPut commenters",
					"CheckAndPut comments, Put comments, Put user_comments",
					"Get comments, Get twit_ids, Get user_comments, Get users",
				}},
			{"addComment, the second of its author", func(ctx context.Context, w *Writers) error {
				_, err := w.AddComment(ctx, "Jim", posted, "Hi", nil)
				return err
			},
				[]string{
					"Get commenters, Get twit_ids, Get users 2",
					"Get comments 2, Get intents, Get user_comments, Put intents",
					"CheckAndPut commenters",
					"CheckAndPut comments, Put comments, Put user_comments",
					"Get comments, Get twit_ids, Get user_comments, Get users",
				}},
			{"addComment, a repetition under its key", func(ctx context.Context, w *Writers) error {
				_, err := w.AddComment(ctx, "Jim", posted, "Hello again", &again)
				return err
			},
				[]string{
					"Get commenters, Get twit_ids, Get users 2",
					"Get commenters",
					"Get intents",
				}},
			{"deleteComment", func(ctx context.Context, w *Writers) error { return w.DeleteComment(ctx, comment) },
				[]string{
					"Get commenters",
					"Get comments 2, Get intents, Get user_comments, Put intents",
					"CheckAndPut commenters",
					"CheckAndPut comments, Delete comments, Delete user_comments",
					"Get comments, Get user_comments",
				}},
		}
}
