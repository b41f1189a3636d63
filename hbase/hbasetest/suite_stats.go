package hbasetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"twibase/hbase"
)

func (s *suite) testStats(t *testing.T) {
	for i := range 6 {
		s.write(t, s.table, row(t, fmt.Sprint(i)), put1("i:q", 1, "12345"))
	}
	prefix := row(t, "")
	t.Run("Get counts Gets, rows, bytes and RPCs", func(t *testing.T) {
		var stats hbase.Stats
		results, err := s.store.Get(hbase.WithStats(s.ctx, &stats), []hbase.Get{
			{Table: s.table, Row: prefix + "0"}, {Table: s.table, Row: prefix + "1"}, {Table: s.table, Row: prefix + "none"}})
		if err != nil || len(results) != 3 {
			t.Fatal(results, err)
		}
		gets, scans, rows := stats.Gets.Load(), stats.Scans.Load(), stats.Rows.Load()
		bytes, rpcs := stats.Bytes.Load(), stats.RPCs.Load()
		if gets != 3 || rows != 2 || bytes < 2*7 || rpcs < 1 || scans != 0 {
			t.Errorf("gets %d, rows %d, bytes %d, RPCs %d, scans %d", gets, rows, bytes, rpcs, scans)
		}
	})
	t.Run("Scan counts rows and pages", func(t *testing.T) {
		var stats hbase.Stats
		scan := hbase.Scan{Table: s.table, Start: prefix, Stop: hbase.PrefixEnd(prefix), PageSize: 2}
		for _, err := range s.store.Scan(hbase.WithStats(s.ctx, &stats), scan) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if stats.Scans.Load() != 1 || stats.Rows.Load() != 6 || stats.RPCs.Load() < 3 || stats.Gets.Load() != 0 {
			t.Errorf("scans %d, rows %d, RPCs %d, gets %d",
				stats.Scans.Load(), stats.Rows.Load(), stats.RPCs.Load(), stats.Gets.Load())
		}
	})
	t.Run("Servers collects the region servers of reads", func(t *testing.T) {
		stats, begun := hbase.Stats{Servers: new(hbase.Servers)}, time.Now()
		ctx, get := hbase.WithStats(s.ctx, &stats), hbase.Get{Table: s.table, Row: prefix + "0"}
		if _, err := s.store.Get(ctx, []hbase.Get{get, get}); err != nil {
			t.Fatal(err)
		}
		for _, err := range s.store.Scan(ctx, hbase.Scan{Table: s.table, Start: prefix + "0", Limit: 1}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		all := stats.Servers.All()
		if len(all) != 1 {
			t.Fatalf("got %d servers of one row, want 1", len(all))
		}
		c := all[0]
		if c.Server == "" || c.RPCs != stats.RPCs.Load() || c.RPCs < 2 || c.Gets != 2 {
			t.Errorf("got %d RPCs and %d Gets of server %q, want %d and 2", c.RPCs, c.Gets, c.Server, stats.RPCs.Load())
		}
		if c.Begun.Before(begun) || !c.Ended.After(c.Begun) || c.Ended.After(time.Now()) {
			t.Errorf("the RPCs took from %s to %s, the calls from %s", c.Begun, c.Ended, begun)
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
			check := hbase.Check{Family: "i", Qualifier: "none"}
			_, err := s.store.CheckAndPut(ctx, check, put1("i:q", 1, "")(s.table, prefix+"0").(hbase.Put))
			return err
		}},
	} {
		t.Run(write.name+" of a row is an RPC to its region server", func(t *testing.T) {
			stats := hbase.Stats{Servers: new(hbase.Servers)}
			if err := write.make(hbase.WithStats(s.ctx, &stats)); err != nil {
				t.Fatal(err)
			}
			if all := stats.Servers.All(); stats.RPCs.Load() < 1 || len(all) != 1 || all[0].Gets != 0 {
				t.Errorf("got %d RPCs to %+v, want some to one server, without Gets", stats.RPCs.Load(), all)
			}
		})
	}
}
