package cluster_test

import (
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

// Multis are counted by gohbase's metric: [hbase.Stats] counts a shared multi once per table.
func TestFlushIntervalSharesMultis(t *testing.T) {
	const multis, callers = "gohbase_batch_flush_size", 20
	url := minihbase.ForTest(t)
	plain := openAt(t, url)
	merging := openAt(t, url+"?flush=100ms") // the maximum, because the machine may be busy
	var gets []hbase.Get
	for range 3 {
		table := newTable(t, plain, "b", "c", "d", "e", "f")
		rows := []string{"a", "b", "c", "d", "e", "f"}
		fill(t, plain, table, rows)
		for _, row := range rows {
			gets = append(gets, hbase.Get{Table: table, Row: row})
		}
	}
	round := func(store *cluster.Store) (int64, error) {
		stats := hbase.Stats{Servers: new(hbase.Servers)}
		results, err := store.Get(hbase.WithStats(t.Context(), &stats), gets)
		if err != nil {
			return 0, err
		}
		for i, r := range results {
			if r.Err != nil || len(r.Cells) != 1 || string(r.Cells[0].Value) != gets[i].Row {
				return 0, fmt.Errorf("%+v: got %v", gets[i], r)
			}
		}
		return int64(len(stats.Servers.All())), nil
	}
	servers, err := round(merging)
	if err != nil || servers < 2 {
		t.Fatalf("the regions are on %d servers: %v", servers, err)
	}
	if _, err := round(plain); err != nil {
		t.Fatal(err)
	}
	// HBase may need retries.
	sent := func(call func() error) (least int64) {
		for i := range 3 {
			before := minihbase.Observed(t, multis)
			if err := call(); err != nil {
				t.Fatal(err)
			}
			if n := minihbase.Observed(t, multis) - before; i == 0 || n < least {
				least = n
			}
		}
		return least
	}
	for _, test := range []struct {
		name  string
		store *cluster.Store
		most  int64 // by all callers
	}{
		{"with an interval", merging, 2 * servers},
		{"without", plain, callers * servers},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := func() error {
				_, err := round(test.store)
				return err
			}
			if n := sent(one); n != servers {
				t.Errorf("a round over three tables on %d servers took %d multis", servers, n)
			}
			n := sent(func() error {
				var group errgroup.Group
				for range callers {
					group.Go(one)
				}
				return group.Wait()
			})
			t.Logf("%d concurrent rounds: %d multis to %d servers", callers, n, servers)
			if n < servers || n > test.most || test.store == plain && n != test.most {
				t.Errorf("%d concurrent rounds: got %d multis to %d servers, want at most %d", callers, n, servers, test.most)
			}
		})
	}
}
