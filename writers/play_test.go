package writers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func addGame(t *testing.T, store hbase.Store) {
	name := "Go"
	mustMutate(t, store, importedUsers("LiLei", "Lucy")...)
	mustMutate(t, store, tables.Games.Put("go", &tables.Game{Name: &name}, 1))
}

func TestInvalidGameMutationsReturnUserErrors(t *testing.T) {
	long := strings.Repeat("x", 201)
	for _, test := range []struct {
		name string
		act  func(ctx context.Context, w *Writers) error
		want UserErrors
	}{
		{"a creation with invalid code, name and key", func(ctx context.Context, w *Writers) error {
			_, err := w.CreateGame(ctx, "boss", NewGame{Code: "a b", Name: new(" "), IdempotencyKey: &long})
			return err
		}, UserErrors{
			{BadInput, "code", "it can't contain ' '"},
			{BadInput, "idempotencyKey", "it must have 1 to 200 characters, and has 201"},
			{BadInput, "name", "it has no visible character"},
		}},
		{"a creation of an existing game", func(ctx context.Context, w *Writers) error {
			_, err := w.CreateGame(ctx, "boss", NewGame{Code: "go"})
			return err
		}, UserErrors{{AlreadyExists, "code", `there is a "go" already`}}},
		{"a removed name", func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: "go", Name: Change[string]{Given: true}})
			return err
		}, UserErrors{{BadInput, "name", "it can be changed, but not removed"}}},
		{"an update from an old version", func(ctx context.Context, w *Writers) error {
			c := GameChange{Code: "go", Name: Change[string]{true, new("Weiqi")}, ExpectedVersion: new("1")}
			_, err := w.UpdateGame(ctx, c)
			return err
		}, UserErrors{{Conflict, "expectedVersion", `it was changed by another request: the version is now "0"`}}},
		{"an update of a missing game", func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: "nothing", Name: Change[string]{true, new("x")}})
			return err
		}, UserErrors{{NotFound, "code", `there is no "nothing"`}}},
		{"a deletion of a missing game", func(ctx context.Context, w *Writers) error { return w.DeleteGame(ctx, "nothing") },
			UserErrors{{NotFound, "code", `there is no "nothing"`}}},
		{"a play of a missing game", func(ctx context.Context, w *Writers) error {
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "nothing", Count: 1})
			return err
		}, UserErrors{{NotFound, "game", `there is no "nothing"`}}},
		{"a play with invalid game, day, count and key", func(ctx context.Context, w *Writers) error {
			p := NewPlay{Game: "", Day: new("2014-02-30"), Count: MaxPlays + 1, IdempotencyKey: new("")}
			_, err := w.RecordPlay(ctx, "LiLei", p)
			return err
		}, UserErrors{
			{BadInput, "game", "a code has 1 to 200 bytes, not 0"},
			{BadInput, "count", "a count is a number from 1 to 1000000, not 1000001"},
			{BadInput, "idempotencyKey", "it must have 1 to 200 characters, and has 0"},
			{BadInput, "day", `"2014-02-30" is no day of the form 2014-12-25, from 1970 on`},
		}},
		{"more plays on a day than an Int holds", func(ctx context.Context, w *Writers) error {
			day := tables.DayCount{Day: "2014-12-25", Count: 1<<31 - 1}
			mustMutate(t, w.store, tables.Plays.Put("LiLei", "go", day, 1))
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Day: &day.Day, Count: 1})
			return err
		}, UserErrors{{LimitExceeded, "count", "a user can play a game 2147483647 times at most"}}},
		{"more plays on all days than an Int holds", func(ctx context.Context, w *Writers) error {
			mustMutate(t, w.store, tables.Plays.Put("LiLei", "go", tables.DayCount{Day: "2014-12-25", Count: 1<<31 - 2}, 1))
			if _, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Day: new("2014-12-26"), Count: 1}); err != nil {
				return err
			}
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Day: new("2014-12-27"), Count: 1})
			return err
		}, UserErrors{{LimitExceeded, "count", "a user can play a game 2147483647 times at most"}}},
		{"a repeated play of a game that was deleted and created again", func(ctx context.Context, w *Writers) error {
			p := NewPlay{Game: "go", Count: 1, IdempotencyKey: new("key")}
			if _, err := w.RecordPlay(ctx, "LiLei", p); err != nil {
				return err
			}
			if err := w.DeleteGame(ctx, "go"); err != nil {
				return err
			}
			awaitIdle(t, w)
			if _, err := w.CreateGame(ctx, "boss", NewGame{Code: "go", Name: new("Go")}); err != nil {
				return err
			}
			_, err := w.RecordPlay(ctx, "LiLei", p)
			return err
		}, UserErrors{{NotFound, "idempotencyKey", "the plays of this key were erased with their game"}}},
	} {
		store := openStore(t)
		addGame(t, store)
		w := New(store, Options{})
		var got UserErrors
		if err := test.act(t.Context(), w); !errors.As(err, &got) {
			t.Errorf("%s: error %v", test.name, err)
		} else if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		w.Close(t.Context())
		store.Close()
	}
}

func TestConcurrentPlaysOfAGameShareCounterWrites(t *testing.T) {
	store := openStore(t)
	defer store.Close()
	addGame(t, store)
	const players, each = 40, 5
	names := make([]string, players)
	for i := range names {
		names[i] = "p" + strings.Repeat("x", i)
		mustMutate(t, store, importedUsers(names[i])...)
	}
	var mu sync.Mutex
	checks := 0
	row := tables.RowKey("go")
	slow := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		if op.Row == row && op.Kind == "CheckAndPut" {
			mu.Lock()
			defer mu.Unlock()
			checks++
		}
		return hbasetest.Fault{Delay: time.Millisecond}
	})
	w := New(slow, Options{})
	day := "2014-12-25"
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			for range each {
				if _, err := w.RecordPlay(context.Background(), name, NewPlay{Game: "go", Day: &day, Count: 2}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	w.Close(t.Context())
	cells, err := cellsOf(t.Context(), store, tables.GameDays.Get("go", day, day))
	if err != nil {
		t.Fatal(err)
	}
	days, err := tables.GameDays.Decode(cells)
	if want := []tables.DayCount{{Day: day, Count: players * each * 2}}; err != nil || !slices.Equal(days, want) {
		t.Errorf("got %v, want %v; error %v", days, want, err)
	}
	if violations, err := checkStore(t.Context(), store); err != nil || len(violations) > 0 {
		t.Error(violations, err)
	}
	t.Logf("%d plays in %d writes of the game's row", players*each, checks)
	if checks > players*each/2 {
		t.Errorf("%d plays took %d writes of the game's row, want at most half", players*each, checks)
	}
}
