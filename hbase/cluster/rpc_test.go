package cluster_test

import (
	"fmt"
	"testing"

	"twibase/hbase"
	"twibase/hbase/hbasetest/minihbase"
)

func TestRPCsAreCounted(t *testing.T) {
	const multis, all = "gohbase_batch_flush_size", "gohbase_rpc_size_bytes"
	store := open(t)
	table := newTable(t, store, "row3", "row5", "row7")
	var rows []string
	var gets []hbase.Get
	for i := range 100 {
		rows = append(rows, fmt.Sprintf("row%02d", i))
		gets = append(gets, hbase.Get{Table: table, Row: rows[i]})
	}
	fill(t, store, table, rows)
	put := hbase.Put{Table: table, Row: "row", Cells: []hbase.Cell{{Family: "f"}}}
	for name, test := range map[string]struct {
		metric string
		call   func(t *testing.T, stats *hbase.Stats)
	}{
		"a multi-get counts as its multis": {multis, func(t *testing.T, stats *hbase.Stats) {
			results, err := store.Get(hbase.WithStats(t.Context(), stats), gets)
			if err != nil || string(results[99].Cells[0].Value) != "row99" {
				t.Errorf("got %v, %v", results[99], err)
			}
		}},
		"puts count as their multis": {multis, func(t *testing.T, stats *hbase.Stats) {
			if errs, err := store.Mutate(hbase.WithStats(t.Context(), stats), []hbase.Mutation{put}); errs != nil || err != nil {
				t.Error(errs, err)
			}
		}},
		"a scan counts as one RPC per page or region": {all, func(t *testing.T, stats *hbase.Stats) {
			for _, err := range store.Scan(hbase.WithStats(t.Context(), stats), hbase.Scan{Table: table, PageSize: 20}) {
				if err != nil {
					t.Error(err)
				}
			}
		}},
		"a CheckAndPut is one RPC": {all, func(t *testing.T, stats *hbase.Stats) {
			if _, err := store.CheckAndPut(hbase.WithStats(t.Context(), stats), hbase.Check{Family: "f"}, put); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, metric := range []string{test.metric, all} {
				var stats hbase.Stats
				before := minihbase.Observed(t, metric)
				test.call(t, &stats)
				if got, want := stats.RPCs.Load(), minihbase.Observed(t, metric)-before; got != want || got == 0 {
					t.Errorf("got %d RPCs, want %d of %s", got, want, metric)
				}
			}
		})
	}
	t.Run("after Warm, a store's first read costs one multi", func(t *testing.T) {
		cold := open(t)
		if err := cold.Warm(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		before := minihbase.Observed(t, all)
		if _, err := cold.Get(t.Context(), gets[:1]); err != nil {
			t.Fatal(err)
		}
		if n := minihbase.Observed(t, all) - before; n != 1 {
			t.Errorf("got %d RPCs, want 1", n)
		}
	})
	t.Run("results of several multis are aligned with Gets", func(t *testing.T) {
		var many []hbase.Get
		for i := range 1000 {
			many = append(many, gets[i*7%100])
		}
		results, err := store.Get(t.Context(), many)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if r.Err != nil || len(r.Cells) != 1 || string(r.Cells[0].Value) != many[i].Row {
				t.Fatalf("Get %d of %s got %v", i, many[i].Row, r)
			}
		}
	})
}
