package hbasetest

import (
	"context"
	"fmt"
	"testing"

	"twibase/hbase"
)

func (s *suite) testStats(t *testing.T) {
	for i := range 6 {
		s.write(t, s.table, row(t, fmt.Sprint(i)), put1("i:q", 1, "12345"))
	}
	prefix := row(t, "")
	t.Run("gets, rows that were there, their bytes and RPCs are counted", func(t *testing.T) {
		var stats hbase.Stats
		results, err := s.store.Get(hbase.WithStats(s.ctx, &stats), []hbase.Get{
			{Table: s.table, Row: prefix + "0"}, {Table: s.table, Row: prefix + "1"}, {Table: s.table, Row: prefix + "none"}})
		if err != nil || len(results) != 3 {
			t.Fatal(results, err)
		}
		if stats.Gets.Load() != 3 || stats.Rows.Load() != 2 || stats.Bytes.Load() < 2*7 || stats.RPCs.Load() < 1 || stats.Scans.Load() != 0 {
			t.Errorf("gets %d, rows %d, bytes %d, RPCs %d, scans %d", stats.Gets.Load(), stats.Rows.Load(), stats.Bytes.Load(),
				stats.RPCs.Load(), stats.Scans.Load())
		}
	})
	t.Run("a scan, its rows and its pages are counted", func(t *testing.T) {
		var stats hbase.Stats
		for _, err := range s.store.Scan(hbase.WithStats(s.ctx, &stats), hbase.Scan{Table: s.table, Start: prefix, Stop: hbase.PrefixEnd(prefix), PageSize: 2}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if stats.Scans.Load() != 1 || stats.Rows.Load() != 6 || stats.RPCs.Load() < 3 || stats.Gets.Load() != 0 {
			t.Errorf("scans %d, rows %d, RPCs %d, gets %d", stats.Scans.Load(), stats.Rows.Load(), stats.RPCs.Load(), stats.Gets.Load())
		}
	})
	t.Run("the region servers of reads are counted if somebody wants to know", func(t *testing.T) {
		stats := hbase.Stats{Servers: new(hbase.Servers)}
		if _, err := s.store.Get(hbase.WithStats(s.ctx, &stats), []hbase.Get{{Table: s.table, Row: prefix + "0"}, {Table: s.table, Row: prefix + "0"}}); err != nil {
			t.Fatal(err)
		}
		for _, err := range s.store.Scan(hbase.WithStats(s.ctx, &stats), hbase.Scan{Table: s.table, Start: prefix + "0", Limit: 1}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := stats.Servers.Len(); n != 1 {
			t.Errorf("one row is on %d servers", n)
		}
	})
	for _, write := range []struct {
		name string
		make func(ctx context.Context) error
	}{
		{"Mutate", func(ctx context.Context) error {
			_, err := s.store.Mutate(ctx, []hbase.Mutation{put1("i:q", 1, "")(s.table, prefix+"0")})
			return err
		}},
		{"CheckAndPut", func(ctx context.Context) error {
			_, err := s.store.CheckAndPut(ctx, hbase.Check{Family: "i", Qualifier: "none"}, put1("i:q", 1, "")(s.table, prefix+"0").(hbase.Put))
			return err
		}},
		{"Increment", func(ctx context.Context) error {
			_, err := s.store.Increment(ctx, hbase.Increment{Table: s.table, Row: prefix + "count", Family: "i", Qualifier: "n", Delta: 1})
			return err
		}},
	} {
		t.Run(write.name+" of a row is an RPC to its region server", func(t *testing.T) {
			stats := hbase.Stats{Servers: new(hbase.Servers)}
			if err := write.make(hbase.WithStats(s.ctx, &stats)); err != nil {
				t.Fatal(err)
			}
			if stats.RPCs.Load() < 1 || stats.Servers.Len() != 1 {
				t.Errorf("%d RPCs to %d servers", stats.RPCs.Load(), stats.Servers.Len())
			}
		})
	}
}
