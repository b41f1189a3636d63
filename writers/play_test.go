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

// playground has a user and a game.
func playground(t testing.TB) func(hbase.Store) {
	name := "Go"
	return func(store hbase.Store) {
		must(t, store, user("LiLei"), user("Lucy"), tables.Games.Put("go", &tables.Game{Name: &name}, 1))
	}
}

func TestGamesAndPlaysCostFiveRoundsAtMost(t *testing.T) {
	play := func(ctx context.Context, w *Writers) error {
		_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Count: 1})
		return err
	}
	for _, test := range []struct {
		name string
		act  func(ctx context.Context, w *Writers) error
		want int
	}{
		{"createGame", func(ctx context.Context, w *Writers) error {
			_, err := w.CreateGame(ctx, "boss", NewGame{Code: "chess"})
			return err
		}, 3},
		{"updateGame", func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: "go", Name: Change[string]{true, pointer("Weiqi")}})
			return err
		}, 3},
		{"deleteGame", func(ctx context.Context, w *Writers) error { return w.DeleteGame(ctx, "go") }, 3},
		{"recordPlay", play, 5},
		{"a further one", func(ctx context.Context, w *Writers) error {
			if err := play(ctx, w); err != nil {
				return err
			}
			time.Sleep(time.Second - 5*time.Millisecond)
			return play(ctx, w)
		}, 1000 + 5},
		{"one under a key", func(ctx context.Context, w *Writers) error {
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Count: 1, IdempotencyKey: pointer("k")})
			return err
		}, 5},
	} {
		if n := rounds(t, playground(t), test.act); n != test.want {
			t.Errorf("%s costs %d rounds, want %d", test.name, n, test.want)
		}
	}
}

func TestWhatIsSaidOfGamesAndPlaysIsChecked(t *testing.T) {
	long := strings.Repeat("x", 201)
	for _, test := range []struct {
		name string
		act  func(ctx context.Context, w *Writers) error
		want UserErrors
	}{
		{"a new game of a bad code, name and key", func(ctx context.Context, w *Writers) error {
			_, err := w.CreateGame(ctx, "boss", NewGame{Code: "a b", Name: pointer(" "), IdempotencyKey: &long})
			return err
		}, UserErrors{{BadInput, "code", "it can't contain ' '"}, {BadInput, "idempotencyKey", "it has 1 to 200 characters, not 201"}, {BadInput, "name", "it shows nothing"}}},
		{"one that there is", func(ctx context.Context, w *Writers) error {
			_, err := w.CreateGame(ctx, "boss", NewGame{Code: "go"})
			return err
		}, UserErrors{{AlreadyExists, "code", `there is a "go" already`}}},
		{"a game without a name", func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: "go", Name: Change[string]{Given: true}})
			return err
		}, UserErrors{{BadInput, "name", "it can be changed, but not taken away"}}},
		{"a change of what others changed", func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: "go", Name: Change[string]{true, pointer("Weiqi")}, ExpectedVersion: pointer("1")})
			return err
		}, UserErrors{{Conflict, "expectedVersion", `it was changed meanwhile: the version is "0" now`}}},
		{"a change of no game", func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: "nothing", Name: Change[string]{true, pointer("x")}})
			return err
		}, UserErrors{{NotFound, "code", `there is no "nothing"`}}},
		{"the end of no game", func(ctx context.Context, w *Writers) error { return w.DeleteGame(ctx, "nothing") },
			UserErrors{{NotFound, "code", `there is no "nothing"`}}},
		{"a play of no game", func(ctx context.Context, w *Writers) error {
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "nothing", Count: 1})
			return err
		}, UserErrors{{NotFound, "game", `there is no "nothing"`}}},
		{"a play on no day, too often, under a bad key", func(ctx context.Context, w *Writers) error {
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "", Day: pointer("2014-02-30"), Count: MaxPlays + 1, IdempotencyKey: pointer("")})
			return err
		}, UserErrors{{BadInput, "game", "a code has 1 to 200 bytes, not 0"}, {BadInput, "count", "a count is a number from 1 to 1000000, not 1000001"},
			{BadInput, "idempotencyKey", "it has 1 to 200 characters, not 0"}, {BadInput, "day", `"2014-02-30" is no day of the form 2014-12-25, from 1970 on`}}},
		{"more plays than an Int can tell", func(ctx context.Context, w *Writers) error {
			day := tables.DayCount{Day: "2014-12-25", Count: 1<<31 - 1}
			must(t, w.store, tables.Plays.Put("LiLei", "go", day, 1))
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Day: &day.Day, Count: 1})
			return err
		}, UserErrors{{LimitExceeded, "count", "nobody plays a game more than 2147483647 times"}}},
		{"as many on all days together", func(ctx context.Context, w *Writers) error {
			must(t, w.store, tables.Plays.Put("LiLei", "go", tables.DayCount{Day: "2014-12-25", Count: 1<<31 - 2}, 1))
			if _, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Day: pointer("2014-12-26"), Count: 1}); err != nil {
				return err
			}
			_, err := w.RecordPlay(ctx, "LiLei", NewPlay{Game: "go", Day: pointer("2014-12-27"), Count: 1})
			return err
		}, UserErrors{{LimitExceeded, "count", "nobody plays a game more than 2147483647 times"}}},
	} {
		store := openStore(t)
		playground(t)(store)
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

// A game that everybody plays at once is no bottleneck: the counts of many are written together.
func TestAHotGameCountsExactlyAndTogether(t *testing.T) {
	store := openStore(t)
	defer store.Close()
	playground(t)(store)
	const players, each = 40, 5
	names := make([]string, players)
	for i := range names {
		names[i] = "p" + strings.Repeat("x", i)
		must(t, store, user(names[i]))
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
		t.Errorf("it was played %v, want %v, error %v", days, want, err)
	}
	if breaches, err := checkStore(t.Context(), store); err != nil || len(breaches) > 0 {
		t.Error(breaches, err)
	}
	t.Logf("%d plays in %d changes of the game's row", players*each, checks)
	if checks > players*each/2 {
		t.Errorf("%d plays took %d changes of the game's row", players*each, checks)
	}
}
