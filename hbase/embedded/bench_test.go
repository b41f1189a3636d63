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
	s := mustOpen(b, b.TempDir())
	b.Cleanup(func() { s.Close() })
	hbasetest.Bench(b, s, func(string) {
		if err := s.db.Flush(); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkMutate(b *testing.B) {
	for _, size := range []int{1, 1000} {
		b.Run(fmt.Sprintf("durable batches of %d rows", size), func(b *testing.B) {
			s := mustOpen(b, b.TempDir())
			defer s.Close()
			if err := s.CreateTable(context.Background(), hbase.Table{Name: "user", Families: []hbase.FamilySchema{{Name: "i"}}}); err != nil {
				b.Fatal(err)
			}
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
