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

// BenchmarkImport compares an import into an embedded store on disk with what that store needs to take the same cells: ratio is the
// time of the import through that of its own batches of cells, made before and written again with as many writers. sorted-ratio is
// the same for the best that can happen to the engine: whole rows, in the order of their keys. The data is that of the folder TWIBASE_DATA, or
// made of the same shape.
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

// timed returns how long f takes on a new store.
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

// recorder remembers what is written.
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

// batches are those that an import of the data writes, and the same cells as whole rows in order.
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

// writeRaw writes batches with as many writers as an import has.
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

// shaped makes a folder with as many rows of each schema as there are in a crowd of 38,000 people, a few of them with most of the followers.
func shaped(b *testing.B) string {
	r := rand.New(rand.NewPCG(1, 1))
	const people, departments, games = 38_344, 1_436, 3_600
	w := world{}
	for i := range schemas {
		w.add(schemas[i].name, schemas[i].required...)
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
