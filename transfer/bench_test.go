package transfer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

// TWIBASE_DATA is a folder of CSV files, by default generated ones. ratio is the time relative to
// writing the same batches, sorted-ratio relative to whole rows in key order.
func BenchmarkImport(b *testing.B) {
	data := os.Getenv("TWIBASE_DATA")
	if data == "" {
		data = shaped(b)
	}
	var imports, raws, sorteds time.Duration
	rows, cells := 0, 0
	for b.Loop() {
		dir := b.TempDir()
		imports += timed(b, filepath.Join(dir, "import"), func(store hbase.Store) error {
			summary, err := Import(context.Background(), store, []string{data}, Options{})
			rows = summary.Rows
			return err
		})
		recorded, inOrder := batches(b, data)
		cells = 0
		for _, batch := range recorded {
			for _, m := range batch {
				cells += len(m.(hbase.Put).Cells)
			}
		}
		raws += timed(b, filepath.Join(dir, "raw"), func(store hbase.Store) error { return writeRaw(store, recorded) })
		sorteds += timed(b, filepath.Join(dir, "sorted"), func(store hbase.Store) error { return writeRaw(store, inOrder) })
	}
	b.ReportMetric(imports.Seconds()/float64(b.N), "import-s/op")
	b.ReportMetric(raws.Seconds()/float64(b.N), "raw-s/op")
	b.ReportMetric(imports.Seconds()/raws.Seconds(), "ratio")
	b.ReportMetric(imports.Seconds()/sorteds.Seconds(), "sorted-ratio")
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(cells), "cells")
}

func timed(b *testing.B, dir string, f func(hbase.Store) error) time.Duration {
	store := openDir(b, dir)
	defer closeStore(b, store)
	runtime.GC()
	start := time.Now()
	if err := f(store); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

type recorder struct {
	hbase.Store
	mu      sync.Mutex
	batches [][]hbase.Mutation
}

func (r *recorder) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	r.mu.Lock()
	r.batches = append(r.batches, slices.Clone(mutations))
	r.mu.Unlock()
	return r.Store.Mutate(ctx, mutations)
}

func batches(b *testing.B, data string) (recorded, sorted [][]hbase.Mutation) {
	store := &recorder{Store: openStore(b)}
	if _, err := Import(context.Background(), store, []string{data}, Options{}); err != nil {
		b.Fatal(err)
	}
	var batch []hbase.Mutation
	held := 0
	for _, table := range tables.Definitions(1) {
		for row, err := range store.Scan(context.Background(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				b.Fatal(err)
			}
			batch = append(batch, hbase.Put{Table: table.Name, Row: row.Key, Cells: row.Cells})
			if held += len(row.Cells); held >= maxCells {
				sorted, batch, held = append(sorted, batch), nil, 0
			}
		}
	}
	return store.batches, append(sorted, batch)
}

func writeRaw(store hbase.Store, batches [][]hbase.Mutation) error {
	var g errgroup.Group
	g.SetLimit(workers)
	for _, batch := range batches {
		g.Go(func() error { return hbase.MutateAll(context.Background(), store, batch) })
	}
	return g.Wait()
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

func shaped(b *testing.B) string {
	r := rand.New(rand.NewPCG(1, 1))
	const people, departments, games = 38_344, 1_436, 3_600
	d := dataset{}
	for i := range schemas {
		d.add(schemas[i].name, schemas[i].required...)
	}
	user := func(n int) string { return fmt.Sprintf("u%05d", n) }
	skewed := func(n int) int { return int(float64(n) * r.Float64() * r.Float64() * r.Float64()) }
	at := func() string { return begin.Add(time.Duration(r.IntN(1e8)) * time.Second).Format(time.RFC3339) }
	for i := range people {
		d.add("users", user(i), "User "+strconv.Itoa(i))
	}
	for i := range departments {
		parent := ""
		if i >= 70 {
			parent = fmt.Sprint("d", r.IntN(70))
		}
		d.add("departments", fmt.Sprint("d", i), fmt.Sprint("Department ", i), parent)
	}
	for i := range 763 {
		d.add("roles", fmt.Sprint("r", i), fmt.Sprint("Role ", i), fmt.Sprint("d", r.IntN(departments)))
	}
	for i := range games {
		d.add("games", fmt.Sprint(i), fmt.Sprint("Game ", i))
	}
	for range 4_288 {
		d.add("user_roles", user(r.IntN(people)), fmt.Sprint("r", skewed(763)))
	}
	for range 289_003 {
		a, c := r.IntN(people), skewed(people)
		if a != c {
			d.add("follows", user(a), user(c))
			d.add("follows", user(c), user(a))
		}
	}
	for i := range 16_334 {
		content := "It is a fine day, 今天天气很好, and this is number " + strconv.Itoa(i)
		d.add("twits", fmt.Sprint("t", i), user(r.IntN(people)), at(), content, "")
	}
	for i := range 72_587 {
		d.add("comments", fmt.Sprint("t", skewed(16_334)), user(r.IntN(people)), at(), "转发微博 "+strconv.Itoa(i))
	}
	for range 70_463 {
		day := begin.AddDate(0, 0, r.IntN(31)).Format(time.DateOnly)
		d.add("plays", user(r.IntN(12_000)), strconv.Itoa(skewed(games)), day, strconv.Itoa(1+r.IntN(100)))
	}
	dir := b.TempDir()
	for name, content := range d.files() {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}
