package writers

import (
	"context"
	"testing"

	"twibase/hbase"
)

func callsOfGames(t *testing.T) (prepare func(context.Context, hbase.Store, *Writers), all []mutationCalls) {
	name := "Chess"
	return func(ctx context.Context, store hbase.Store, w *Writers) {
			mustMutate(t, store, importedUsers("LiLei", "Lucy")...)
			if _, err := w.CreateGame(ctx, "boss", NewGame{Code: "chess"}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "chess", Count: 1}); err != nil {
				t.Fatal(err)
			}
			w.Close(ctx)
		}, []mutationCalls{
			{"createGame", func(ctx context.Context, w *Writers) error {
				_, err := w.CreateGame(ctx, "boss", NewGame{Code: "new"})
				return err
			}, []string{
				"Get games",
				"Put intents",
				"CheckAndPut games",
			}},
			{"updateGame", func(ctx context.Context, w *Writers) error {
				_, err := w.UpdateGame(ctx, GameChange{Code: "chess", Name: Change[string]{true, &name}})
				return err
			}, []string{
				"Get games",
				"Get intents, Put intents",
				"CheckAndPut games",
			}},
			{"deleteGame", func(ctx context.Context, w *Writers) error {
				return w.DeleteGame(ctx, "chess")
			}, []string{
				"Get games",
				"Get intents, Put intents",
				"CheckAndPut games",
			}},
			{"recordPlay, the first", func(ctx context.Context, w *Writers) error {
				_, err := w.RecordPlay(ctx, "Lucy", NewPlay{Game: "chess", Count: 1})
				return err
			}, []string{
				"Get games, Get plays, Get users",
				"Get games 2, Get user_games, Get users, Put intents",
				"CheckAndPut plays",
				"CheckAndPut games, CheckAndPut users, Put games, Put user_games",
				"Get games 2, Get user_games, Get users",
			}},
			{"recordPlay, the second, under a key", func(ctx context.Context, w *Writers) error {
				_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "chess", Count: 1, IdempotencyKey: &name})
				return err
			}, []string{
				"Get games, Get plays, Get users",
				"Get games, Get intents, Get user_games, Put intents",
				"CheckAndPut plays",
				"CheckAndPut games, Put user_games",
				"Get games, Get user_games, Get users",
			}},
		}
}
