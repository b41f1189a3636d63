package sample

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/transfer"
)

func TestSampleLoadsReproducibly(t *testing.T) {
	ctx := context.Background()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := transfer.EnsureTables(ctx, store, 1); err != nil {
		t.Fatal(err)
	}
	if needs, err := NeedsLoad(ctx, store); !needs || err != nil {
		t.Fatalf("new store: got %v, error %v", needs, err)
	}

	t.Run("needs a load after an interrupted one", func(t *testing.T) {
		for done := 0; ; done++ {
			var n atomic.Int64
			faulty := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
				if n.Add(1) <= int64(done) {
					return hbasetest.Fault{}
				}
				return hbasetest.Fault{Err: hbase.ErrUnavailable}
			})
			if err := Load(ctx, faulty); err == nil {
				break
			}
			if needs, err := NeedsLoad(ctx, store); !needs || err != nil {
				t.Fatalf("interrupted after %d operations: got %v, error %v", done, needs, err)
			}
			done = done*3/2 + 1
		}
	})

	t.Run("loads into an empty store", func(t *testing.T) {
		if err := Load(ctx, store); err != nil {
			t.Fatal(err)
		}
		if needs, err := NeedsLoad(ctx, store); needs || err != nil {
			t.Errorf("got %v, error %v", needs, err)
		}
	})

	t.Run("is reproducible", func(t *testing.T) {
		if diff := cmp.Diff(generated(), generated()); diff != "" {
			t.Error(diff)
		}
	})

	// The IDE's examples need these cells.
	for _, test := range []struct {
		name  string
		get   hbase.Get
		least int
	}{
		{"LiLei has attributes", tables.Users.Get("LiLei", "i:name i:email i:avatarUrl"), 3},
		{"LiLei has followers", tables.Followers.Get("LiLei", 0, hbase.Page{}), 50},
		{"LiLei has an album", tables.Albums.Get("LiLei", 0, hbase.Page{}), 4},
		{"LiLei has a timeline", tables.Timelines.Get("LiLei", 0, hbase.Page{}), 10},
		{"LiLei follows Lucy", tables.Follows.Related("LiLei", "Lucy"), 1},
		{"LiLei has roles", tables.UserRoles.Get("LiLei", 0, hbase.Page{}), 2},
		{"LiLei is a developer", tables.Assignments.Related("LiLei", "developer"), 1},
		{"there are administrators", tables.RoleUsers.Get("admin", 0, hbase.Page{}), 2},
		{"Lucy has twits", tables.Twits.Get("Lucy", 0, hbase.Page{}), 6},
		{"there are top-level departments", tables.Children.Get(tables.Root, 0, hbase.Page{}), 2},
		{"开发部 has sub-departments", tables.Children.Get("dev", 0, hbase.Page{}), 2},
		{"小红 has played chess", tables.Plays.Get("小红", "chess"), 3},
		{"小红 has games", tables.UserGames.Get("小红", 0, hbase.Page{}), 3},
		{"chess was played on days", tables.GameDays.Get("chess", "2024-01-01", "2030-12-31"), 5},
		{"hopscotch has no players", tables.Players.Get("hopscotch", 0, hbase.Page{}), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			results, err := store.Get(ctx, []hbase.Get{test.get})
			if err != nil || results[0].Err != nil {
				t.Fatal(err, results[0].Err)
			}
			if n := len(results[0].Cells); n < test.least || test.least == 0 && n > 0 {
				t.Errorf("got %d cells, want at least %d", n, test.least)
			}
		})
	}

	t.Run("LiLei sees some comments on Lucy's twits and not others", func(t *testing.T) {
		results, err := store.Get(ctx, []hbase.Get{tables.Twits.Get("Lucy", 0, hbase.Page{Limit: 5})})
		if err != nil {
			t.Fatal(err)
		}
		twits, _, err := tables.Twits.Decode("Lucy", results[0].Cells)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[bool][]string{}
		for _, twit := range twits {
			key := twit.Key().String()
			results, err := store.Get(ctx, []hbase.Get{tables.Comments.Get(key, 0, hbase.Page{})})
			if err != nil {
				t.Fatal(err)
			}
			comments, _, err := tables.Comments.Decode(key, results[0].Cells)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range comments {
				related, err := store.Get(ctx, []hbase.Get{tables.Follows.Related("LiLei", c.AuthorName)})
				if err != nil {
					t.Fatal(err)
				}
				follows, _, err := tables.Follows.Decode(related[0].Cells)
				if err != nil {
					t.Fatal(err)
				}
				sees := follows || c.AuthorName == "LiLei"
				seen[sees] = append(seen[sees], c.AuthorName)
			}
		}
		visible, hidden := seen[true], seen[false]
		if !slices.Contains(visible, "HanMeimei") || !slices.Contains(visible, "LiLei") || len(hidden) < 3 {
			t.Errorf("got visible comments of %v, hidden ones of %v", visible, hidden)
		}
	})
}
