package hbasetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"twibase/hbase"
)

const (
	benchRows  = 40_000
	benchLists = 2_000
	listLength = 300
)

// Bench measures multi-gets of rows of four cells, some with a list of 300 columns in another
// family.
func Bench(b *testing.B, store hbase.Store, flush func(table string)) {
	b.Helper()
	table := loadBench(b, store)
	flush(table)
	middle := listQualifier(0, listLength/2)
	for _, c := range []struct {
		name  string
		rows  int
		cells int
		get   hbase.Get
	}{
		{"rows of 4 cells", benchRows, 4, hbase.Get{Columns: "i"}},
		{"rows, 2 of 4 cells", benchRows, 2, hbase.Get{Columns: "i:email i:name"}},
		{"missing rows", 0, 0, hbase.Get{Columns: "i"}},
		{"first pages of 21", benchLists, 21, hbase.Get{Columns: "f", Page: hbase.Page{Limit: 21}}},
		{"pages of 21 after the middle", benchLists, 21,
			hbase.Get{Columns: "f", Page: hbase.Page{Start: hbase.Next(middle), Limit: 21}}},
		{"rows with their first pages of 21", benchLists, 25, hbase.Get{Columns: "i f", Page: hbase.Page{Limit: 21}}},
	} {
		for _, size := range []int{20, 100, 400, 10_000} {
			b.Run(fmt.Sprintf("%d %s", size, c.name), func(b *testing.B) {
				c.get.Table = table
				benchGet(b, store, c.get, size, c.rows, c.cells)
			})
		}
	}
}

func benchGet(b *testing.B, store hbase.Store, get hbase.Get, size, rows, cells int) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := make([]string, 2*benchRows)
	for i := range keys {
		keys[i] = benchKey(i)
	}
	first, span := 0, rows
	if rows == 0 {
		first, span = benchRows, benchRows
	}
	gets := make([]hbase.Get, size)
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		for i := range gets {
			gets[i] = get
			gets[i].Row = keys[first+random.IntN(span)]
		}
		results, err := store.Get(context.Background(), gets)
		if err != nil {
			b.Fatal(err)
		}
		for i := range results {
			if results[i].Err != nil || len(results[i].Cells) != cells {
				b.Fatal(len(results[i].Cells), results[i].Err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/Get")
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N*size), "cpu-ns/Get")
}

func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func loadBench(b *testing.B, store hbase.Store) (table string) {
	b.Helper()
	ctx := context.Background()
	table = fmt.Sprintf("bench-%x", rand.Uint64())
	definition := hbase.Table{Name: table, Splits: []string{"\x2a", "\x55", "\x80", "\xaa", "\xd5"}}
	for _, family := range []string{"i", "f"} {
		definition.Families = append(definition.Families, hbase.FamilySchema{Name: family})
	}
	if err := store.CreateTable(ctx, definition); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.DropTable(ctx, table); err != nil {
			b.Error(err)
		}
	})
	var batch []hbase.Mutation
	put := func(row string, cells []hbase.Cell, most int) {
		if batch = append(batch, hbase.Put{Table: table, Row: row, Cells: cells}); len(batch) < most {
			return
		}
		errs, err := store.Mutate(ctx, batch)
		if err := errors.Join(append(errs, err)...); err != nil {
			b.Fatal(err)
		}
		batch = batch[:0]
	}
	for i := range benchRows {
		put(benchKey(i), benchUser(i), 1000)
	}
	for i := range benchLists {
		put(benchKey(i), benchList(i), 50)
	}
	return table
}

func benchKey(i int) string {
	id := fmt.Sprint("u", i)
	hash := fnv.New64a()
	hash.Write([]byte(id))
	return string(hash.Sum(nil)[6:]) + id // evenly distributed
}

func benchUser(i int) (cells []hbase.Cell) {
	for _, c := range [][2]string{
		{"age", "33"},
		{"email", fmt.Sprintf("u%d@example.org", i)},
		{"name", fmt.Sprint("The user of number ", i)},
		{"username", fmt.Sprint("u", i)},
	} {
		cells = append(cells, hbase.Cell{Family: "i", Qualifier: c[0], Timestamp: 1000, Value: []byte(c[1])})
	}
	return cells
}

func benchList(i int) (cells []hbase.Cell) {
	for j := range listLength {
		cells = append(cells, hbase.Cell{Family: "f", Qualifier: listQualifier(i, j), Timestamp: 1000})
	}
	return cells
}

func listQualifier(i, j int) string {
	position := binary.BigEndian.AppendUint64(nil, uint64(1)<<62-uint64(listLength-j)<<20)
	return string(position) + fmt.Sprint("u", (i*31+j)%benchRows)
}
