package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
)

func BenchmarkGet(b *testing.B) {
	s, err := Open(b.TempDir(), WithRowCache(0))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	hbasetest.Bench(b, s, func(string) {
		if err := s.db.Flush(); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkRowCache(b *testing.B) {
	const rows, together = 100_000, 100
	for _, c := range []struct {
		name        string
		cache, rows int
	}{
		{"no cache", 0, rows},
		{"misses", DefaultRowCache, rows},
		{"hits", DefaultRowCache, 10 * together},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, err := Open(b.TempDir(), WithRowCache(c.cache))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			createTable(b, s, "user")
			names := make([]string, rows)
			batch := make([]hbase.Mutation, 0, 1000)
			for i := range rows {
				put := benchUser(i)
				names[i], batch = put.Row, append(batch, put)
				if len(batch) == cap(batch) {
					if errs, err := s.Mutate(context.Background(), batch); errs != nil || err != nil {
						b.Fatal(errs, err)
					}
					batch = batch[:0]
				}
			}
			if err := s.db.Flush(); err != nil {
				b.Fatal(err)
			}
			gets := make([]hbase.Get, together)
			next := 0
			read := func() {
				for i := range gets {
					gets[i] = hbase.Get{Table: "user", Row: names[next%c.rows], Columns: "i:name i:email"}
					next += 7919
				}
				if _, err := s.Get(context.Background(), gets); err != nil {
					b.Fatal(err)
				}
			}
			for range 2 * min(c.rows, 10*together) / together {
				read()
			}
			for b.Loop() {
				read()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*together), "ns/row")
			hits, misses := cacheCounts(s)
			b.ReportMetric(float64(hits)/float64(max(hits+misses, 1)), "hits/row")
		})
	}
}

func BenchmarkMutate(b *testing.B) {
	for _, size := range []int{1, 1000} {
		b.Run(fmt.Sprintf("durable batches of %d rows", size), func(b *testing.B) {
			s := mustOpen(b, b.TempDir())
			defer s.Close()
			createTable(b, s, "user")
			b.SetParallelism(32)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				batch := make([]hbase.Mutation, size)
				for pb.Next() {
					for i := range batch {
						batch[i] = benchUser(rand.IntN(1 << 20))
					}
					if errs, err := s.Mutate(context.Background(), batch); errs != nil || err != nil {
						b.Error(errs, err)
					}
				}
			})
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func benchUser(i int) hbase.Put {
	return hbase.Put{Table: "user", Row: fmt.Sprintf("%c%cu%d", byte(i*7919>>8), byte(i*7919), i), Cells: []hbase.Cell{
		{Family: "i", Qualifier: "age", Timestamp: 1000, Value: []byte("33")},
		{Family: "i", Qualifier: "email", Timestamp: 1000, Value: fmt.Appendf(nil, "u%d@example.org", i)},
		{Family: "i", Qualifier: "name", Timestamp: 1000, Value: fmt.Appendf(nil, "The user of number %d", i)},
		{Family: "i", Qualifier: "username", Timestamp: 1000, Value: fmt.Appendf(nil, "u%d", i)},
	}}
}
