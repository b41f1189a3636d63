package embedded

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"twibase/hbase"
)

const (
	benchRows  = 40_000
	benchLists = 2_000
	listLength = 300
)

// benchStore has users of 4 cells and lists of 300 columns, flushed: what a store is like that has been open for a while.
func benchStore(b *testing.B) *Store {
	b.Helper()
	s := mustOpen(b, b.TempDir())
	b.Cleanup(func() { s.Close() })
	ctx := context.Background()
	if err := s.CreateTable(ctx, hbase.Table{Name: "user", Families: []hbase.FamilySchema{{Name: "i"}, {Name: "f"}}}); err != nil {
		b.Fatal(err)
	}
	var batch []hbase.Mutation
	flush := func() {
		if errs, err := s.Mutate(ctx, batch); errs != nil || err != nil {
			b.Fatal(errs, err)
		}
		batch = batch[:0]
	}
	for i := range benchRows {
		if batch = append(batch, benchUser(i)); len(batch) == 1000 {
			flush()
		}
	}
	for i := range benchLists {
		var cells []hbase.Cell
		for j := range listLength {
			cells = append(cells, hbase.Cell{Family: "f", Qualifier: listQualifier(i, j), Timestamp: 1000})
		}
		if batch = append(batch, hbase.Put{Table: "user", Row: benchKey(i), Cells: cells}); len(batch) == 50 {
			flush()
		}
	}
	flush()
	if err := s.db.Flush(); err != nil {
		b.Fatal(err)
	}
	return s
}

func benchKey(i int) string {
	return fmt.Sprintf("%c%cu%d", byte(i*7919>>8), byte(i*7919), i)
}

func listQualifier(i, j int) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(1)<<62-uint64(j)<<20)) + fmt.Sprintf("u%d", (i*31+j)%benchRows)
}

func benchUser(i int) hbase.Put {
	return hbase.Put{Table: "user", Row: benchKey(i), Cells: []hbase.Cell{
		{Family: "i", Qualifier: "age", Timestamp: 1000, Value: []byte("33")},
		{Family: "i", Qualifier: "email", Timestamp: 1000, Value: fmt.Appendf(nil, "u%d@example.org", i)},
		{Family: "i", Qualifier: "name", Timestamp: 1000, Value: fmt.Appendf(nil, "The user of number %d", i)},
		{Family: "i", Qualifier: "username", Timestamp: 1000, Value: fmt.Appendf(nil, "u%d", i)},
	}}
}

func BenchmarkGet(b *testing.B) {
	s := benchStore(b)
	for _, c := range []struct {
		name  string
		rows  int
		cells int
		get   hbase.Get
	}{
		{"400 rows of 4 cells", benchRows, 4, hbase.Get{Columns: "i"}},
		{"400 rows, 2 of 4 cells", benchRows, 2, hbase.Get{Columns: "i:email i:name"}},
		{"400 rows that are not there", -1, 0, hbase.Get{Columns: "i"}},
		{"400 first pages of 21", benchLists, 21, hbase.Get{Columns: "f", Page: hbase.Page{Limit: 21}}},
		{"400 pages of 21 after the middle", benchLists, 21, hbase.Get{Columns: "f", Page: hbase.After(listQualifier(0, listLength/2), 21)}},
		{"400 rows with their first pages of 21", benchLists, 25, hbase.Get{Columns: "i f", Page: hbase.Page{Limit: 21}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			gets := make([]hbase.Get, 400)
			keys := make([]string, 2*benchRows)
			for i := range keys {
				keys[i] = benchKey(i)
			}
			b.ReportAllocs()
			for b.Loop() {
				for i := range gets {
					gets[i] = c.get
					gets[i].Table = "user"
					if c.rows < 0 {
						gets[i].Row = keys[benchRows+random.IntN(benchRows)]
					} else {
						gets[i].Row = keys[random.IntN(c.rows)]
					}
				}
				results, err := s.Get(context.Background(), gets)
				if err != nil || len(results[17].Cells) != c.cells {
					b.Fatal(len(results[17].Cells), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(gets)), "ns/Get")
		})
	}
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
