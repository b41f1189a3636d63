package cluster_test

import (
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

// How many multis go out is gohbase's own count of them: twibase's is by table where gohbase merges.
func TestMultisWhereCallersShareThem(t *testing.T) {
	const multis, callers = "gohbase_batch_flush_size", 20
	url := minihbase.ForTest(t)
	plain := openAt(t, url)
	merging := openAt(t, url+"?flush=100ms") // the longest: who is late by as much on a busy machine would have multis of its own
	var gets []hbase.Get
	for range 3 {
		table := newTable(t, plain, "b", "c", "d", "e", "f")
		rows := []string{"a", "b", "c", "d", "e", "f"}
		fill(t, plain, table, rows)
		for _, row := range rows {
			gets = append(gets, hbase.Get{Table: table, Row: row})
		}
	}
	// round asks for all rows, and returns on how many servers they are.
	round := func(store *cluster.Store) (int64, error) {
		stats := hbase.Stats{Servers: new(hbase.Servers)}
		results, err := store.Get(hbase.WithStats(t.Context(), &stats), gets)
		if err != nil {
			return 0, err
		}
		for i, r := range results {
			if r.Err != nil || len(r.Cells) != 1 || string(r.Cells[0].Value) != gets[i].Row {
				return 0, fmt.Errorf("of %+v there came %v", gets[i], r)
			}
		}
		return int64(stats.Servers.Len()), nil
	}
	servers, err := round(merging)
	if err != nil || servers < 2 {
		t.Fatalf("the regions are on %d servers: %v", servers, err)
	}
	if _, err := round(plain); err != nil {
		t.Fatal(err)
	}
	// sent is how many multis something takes, the least of a few times: one that HBase wants once more is not the store's.
	sent := func(what func() error) (least int64) {
		for i := range 3 {
			before := minihbase.Observed(t, multis)
			if err := what(); err != nil {
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
		most  int64 // by all callers at once
	}{
		{"with the interval the multis of one are those of all", merging, 2 * servers},
		{"without it each has its own", plain, callers * servers},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := func() error {
				_, err := round(test.store)
				return err
			}
			if n := sent(one); n != servers {
				t.Errorf("a round over three tables on %d servers was %d multis", servers, n)
			}
			n := sent(func() error {
				var group errgroup.Group
				for range callers {
					group.Go(one)
				}
				return group.Wait()
			})
			t.Logf("%d rounds at once were %d multis to %d servers", callers, n, servers)
			if n < servers || n > test.most || test.store == plain && n != test.most {
				t.Errorf("%d rounds at once were %d multis to %d servers", callers, n, servers)
			}
		})
	}
}
