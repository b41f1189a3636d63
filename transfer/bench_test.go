package transfer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// BenchmarkImport compares an import into an embedded store on disk with what that store needs to take the same cells in
// batches, put after put in the order of their rows: ratio is the first through the second. The data is that of the folder TWIBASE_DATA,
// or made of the same shape.
func BenchmarkImport(b *testing.B) {
	data := os.Getenv("TWIBASE_DATA")
	if data == "" {
		data = shaped(b)
	}
	var imports, raws time.Duration
	rows, cells := 0, 0
	for b.Loop() {
		dir := b.TempDir()
		store := openDir(b, filepath.Join(dir, "import"))
		start := time.Now()
		summary, err := Import(context.Background(), store, []string{data}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		imports += time.Since(start)
		rows = summary.Rows
		puts := collect(b, store)
		closeStore(b, store)
		raw := openDir(b, filepath.Join(dir, "raw"))
		start = time.Now()
		cells = writeRaw(b, raw, puts)
		raws += time.Since(start)
		closeStore(b, raw)
	}
	b.ReportMetric(imports.Seconds()/float64(b.N), "import-s/op")
	b.ReportMetric(raws.Seconds()/float64(b.N), "raw-s/op")
	b.ReportMetric(imports.Seconds()/raws.Seconds(), "ratio")
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(cells), "cells")
}

func openDir(b *testing.B, dir string) hbase.Store {
	store, err := embedded.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := EnsureTables(context.Background(), store, 1); err != nil {
		b.Fatal(err)
	}
	return store
}

func closeStore(b *testing.B, store hbase.Store) {
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
}

// collect returns all that a store holds, a put for each row.
func collect(b *testing.B, store hbase.Store) (puts []hbase.Mutation) {
	for _, table := range tables.Definitions(1) {
		for row, err := range store.Scan(context.Background(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				b.Fatal(err)
			}
			puts = append(puts, hbase.Put{Table: table.Name, Row: row.Key, Cells: row.Cells})
		}
	}
	return puts
}

// writeRaw writes puts in batches of as many cells as an import writes, and with as many writers.
func writeRaw(b *testing.B, store hbase.Store, puts []hbase.Mutation) (cells int) {
	var g errgroup.Group
	g.SetLimit(workers)
	held, begin := 0, 0
	for i, put := range puts {
		n := len(put.(hbase.Put).Cells)
		cells += n
		if held += n; held >= maxCells || i == len(puts)-1 {
			batch := puts[begin : i+1]
			g.Go(func() error { return settle.Write(context.Background(), store, batch) })
			held, begin = 0, i+1
		}
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
	return cells
}

// shaped makes a folder with as many rows of each form as there are in a crowd of 38,000 people, a few of them with most of the followers.
func shaped(b *testing.B) string {
	r := rand.New(rand.NewPCG(1, 1))
	const people, departments, games = 38_344, 1_436, 3_600
	w := world{}
	for i := range forms {
		w.add(forms[i].name, forms[i].required...)
	}
	user := func(n int) string { return fmt.Sprintf("u%05d", n) }
	// Small numbers come often, like the hubs of a network.
	skewed := func(n int) int { return int(float64(n) * r.Float64() * r.Float64() * r.Float64()) }
	at := func() string { return begin.Add(time.Duration(r.IntN(1e8)) * time.Second).Format(time.RFC3339) }
	for i := range people {
		w.add("users", user(i), "User "+strconv.Itoa(i))
	}
	for i := range departments {
		parent := ""
		if i >= 70 {
			parent = fmt.Sprint("d", r.IntN(70))
		}
		w.add("departments", fmt.Sprint("d", i), fmt.Sprint("Department ", i), parent)
	}
	for i := range 763 {
		w.add("roles", fmt.Sprint("r", i), fmt.Sprint("Role ", i), fmt.Sprint("d", r.IntN(departments)))
	}
	for i := range games {
		w.add("games", fmt.Sprint(i), fmt.Sprint("Game ", i))
	}
	for range 4_288 {
		w.add("user_roles", user(r.IntN(people)), fmt.Sprint("r", skewed(763)))
	}
	for range 289_003 {
		a, c := r.IntN(people), skewed(people)
		if a != c {
			w.add("follows", user(a), user(c))
			w.add("follows", user(c), user(a))
		}
	}
	for i := range 16_334 {
		w.add("twits", fmt.Sprint("t", i), user(r.IntN(people)), at(), "It is a fine day, 今天天气很好, and this is number "+strconv.Itoa(i), "")
	}
	for i := range 72_587 {
		w.add("comments", fmt.Sprint("t", skewed(16_334)), user(r.IntN(people)), at(), "转发微博 "+strconv.Itoa(i))
	}
	for range 70_463 {
		w.add("plays", user(r.IntN(12_000)), strconv.Itoa(skewed(games)), begin.AddDate(0, 0, r.IntN(31)).Format(time.DateOnly), strconv.Itoa(1+r.IntN(100)))
	}
	dir := b.TempDir()
	for name, content := range w.files() {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}
