package writers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// calls returns what act has the store asked for until it is answered, a line a round. What begins when the round before is over is the
// next; every call takes a millisecond of the test's own time.
func calls(t *testing.T, prepare func(ctx context.Context, store hbase.Store, w *Writers), act func(ctx context.Context, w *Writers) error) (lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		prepare(t.Context(), store, New(store, Options{}))
		time.Sleep(time.Second)
		var mu sync.Mutex
		var asked []map[string]int
		began := time.Now()
		w := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
			mu.Lock()
			defer mu.Unlock()
			for n := int(time.Since(began) / time.Millisecond); len(asked) <= n; {
				asked = append(asked, map[string]int{})
			}
			asked[len(asked)-1][op.Kind+" "+op.Table]++
			return hbasetest.Fault{Delay: time.Millisecond}
		}), Options{})
		if err := act(t.Context(), w); err != nil {
			t.Error(err)
		}
		answered := int(time.Since(began) / time.Millisecond)
		w.Close(t.Context())
		for _, round := range asked[:answered] {
			var items []string
			for _, item := range slices.Sorted(maps.Keys(round)) {
				if n := round[item]; n > 1 {
					item += fmt.Sprint(" ", n)
				}
				items = append(items, item)
			}
			lines = append(lines, strings.Join(items, ", "))
		}
	})
	return lines
}

// What a mutation asks of the store before it answers, when nobody is in its way.
func TestTheCallsOfMutations(t *testing.T) {
	secret, key := "correct horse", "once"
	twit := NewTwit{Content: "Hi", Visibility: tables.Public}
	var posted *tables.Twit
	var comment *tables.Comment
	prepare := func(ctx context.Context, store hbase.Store, w *Writers) {
		must(t, store, user("LiLei"), user("Lucy"), user("Jim"))
		if err := w.Follow(ctx, "Jim", "Lucy"); err != nil {
			t.Fatal(err)
		}
		at, err := w.PostTwit(ctx, "Lucy", twit)
		if err != nil {
			t.Fatal(err)
		}
		when, name, _ := at.Parts()
		posted = &tables.Twit{AuthorName: "Lucy", PostedAt: when, Name: name, Content: "Hi", Visibility: tables.Public}
		k, err := w.AddComment(ctx, "Jim", posted, "Hello", nil)
		if err != nil {
			t.Fatal(err)
		}
		when, mark, _ := k.Parts()
		comment = &tables.Comment{Twit: at, AuthorName: "Jim", PostedAt: when, Content: "Hello", Mark: mark}
		if _, err := NewAccounts(w, plain()).SignUp(ctx, NewUser{Username: "once", Name: "Once"}, secret, &key); err != nil {
			t.Fatal(err)
		}
		w.Close(ctx)
	}
	for _, test := range []struct {
		mutation string
		act      func(ctx context.Context, w *Writers) error
		want     []string
	}{
		{"follow", func(ctx context.Context, w *Writers) error { return w.Follow(ctx, "LiLei", "Lucy") },
			[]string{
				"Get follows, Get users 2",
				"Get following, Get users 3, Put intents",
				"CheckAndPut follows",
				"CheckAndPut users 2, Put following, Put users",
				"Get following, Get users 3",
			}},
		{"follow of whom one follows", func(ctx context.Context, w *Writers) error { return w.Follow(ctx, "Jim", "Lucy") },
			[]string{
				"Get follows, Get users 2",
				"Get intents",
			}},
		{"unfollow", func(ctx context.Context, w *Writers) error { return w.Unfollow(ctx, "Jim", "Lucy") },
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
		{"addComment under a key, on one's own twit", func(ctx context.Context, w *Writers) error {
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
		{"a further addComment", func(ctx context.Context, w *Writers) error {
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
		{"deleteComment", func(ctx context.Context, w *Writers) error { return w.DeleteComment(ctx, comment) },
			[]string{
				"Get commenters",
				"Get comments 2, Get intents, Get user_comments, Put intents",
				"CheckAndPut commenters",
				"CheckAndPut comments, Delete comments, Delete user_comments",
				"Get comments, Get user_comments",
			}},
		{"signUp", func(ctx context.Context, w *Writers) error {
			_, err := NewAccounts(w, plain()).SignUp(ctx, NewUser{Username: "new", Name: "New"}, secret, nil)
			return err
		},
			[]string{
				"Get users",
				"Put intents",
				"CheckAndPut users",
				"Put accounts",
			}},
		{"signUp under a key, again", func(ctx context.Context, w *Writers) error {
			_, err := NewAccounts(w, plain()).SignUp(ctx, NewUser{Username: "once", Name: "Once"}, secret, &key)
			return err
		},
			[]string{
				"Get users",
				"Get intents",
				"Get accounts, Get users",
			}},
	} {
		t.Run(test.mutation, func(t *testing.T) {
			got := calls(t, prepare, test.act)
			if diff := cmp.Diff(test.want, got); diff != "" || len(got) > 6 {
				t.Errorf("%d rounds (-want +got):\n%s", len(got), diff)
			}
		})
	}
}
