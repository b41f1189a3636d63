package embedded

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
)

// register is a column with one writer of ascending steps. If deleted is true, odd steps delete it.
type register struct {
	rows           []string
	family, column string
	deleted        bool
	write          func(ctx context.Context, s *Store, r *register, step int64) error
	begun, done    atomic.Int64
}

func (r *register) put(row string, step int64) hbase.Put {
	value := binary.BigEndian.AppendUint64(nil, uint64(step))
	cell := hbase.Cell{Family: r.family, Qualifier: r.column, Timestamp: step, Value: value}
	return hbase.Put{Table: "t", Row: row, Cells: []hbase.Cell{cell}}
}

func mutate(
	remove func(r *register, row string, step int64) hbase.Delete,
) func(context.Context, *Store, *register, int64) error {
	return func(ctx context.Context, s *Store, r *register, step int64) error {
		var batch []hbase.Mutation
		for _, row := range r.rows {
			if r.deleted && step%2 == 1 {
				batch = append(batch, remove(r, row, step))
			} else {
				batch = append(batch, r.put(row, step))
			}
		}
		errs, err := s.Mutate(ctx, batch)
		if errs != nil {
			return errs[0]
		}
		return err
	}
}

func deleting(kind hbase.Kind) func(r *register, row string, step int64) hbase.Delete {
	return func(r *register, row string, step int64) hbase.Delete {
		d := hbase.Deletion{Kind: kind, Family: r.family, Qualifier: r.column, Timestamp: step}
		if kind == hbase.Family {
			d.Qualifier = ""
		}
		return hbase.Delete{Table: "t", Row: row, Columns: []hbase.Deletion{d}}
	}
}

func registers() []*register {
	all := []string{"a", "b", "c"}
	return []*register{
		{rows: all, family: "i", column: "batch", write: mutate(nil)},
		{rows: all, family: "d", column: "family", deleted: true, write: mutate(deleting(hbase.Family))},
		{rows: []string{"a"}, family: "v", column: "column", deleted: true, write: mutate(deleting(hbase.AllVersions))},
		{rows: []string{"gone"}, family: "i", column: "row", deleted: true, write: mutate(deletingRow)},
		{rows: []string{"c"}, family: "v", column: "checked", write: checkAndPut},
	}
}

func deletingRow(_ *register, row string, step int64) hbase.Delete {
	return hbase.Delete{Table: "t", Row: row, Timestamp: step}
}

func checkAndPut(ctx context.Context, s *Store, r *register, step int64) error {
	check := hbase.Check{Family: r.family, Qualifier: r.column}
	if step > 1 {
		check.Value = r.put("", step-1).Cells[0].Value
	}
	if did, err := s.CheckAndPut(ctx, check, r.put("c", step)); err != nil || !did {
		return fmt.Errorf("put of step %d: %v, %v", step, did, err)
	}
	check.Value = []byte("something else")
	if did, err := s.CheckAndPut(ctx, check, r.put("c", step+1)); err != nil || did {
		return fmt.Errorf("put of step %d: %v, %v", step+1, did, err)
	}
	return nil
}

// bypassCache takes a Get without a page, of families with one version.
func bypassCache(g hbase.Get) hbase.Get {
	g.Versions = 2
	return g
}

type observer struct {
	store  *Store
	all    []*register
	random *rand.Rand
	seen   map[string]int64
}

// look reads rows in one call. They must have the same step of a register. It must have begun
// before the end of the call, and must not be older than a step that was read or complete before
// the call.
func (o *observer) look(ctx context.Context) error {
	var gets []hbase.Get
	for range 1 + o.random.IntN([]int{4, 400}[o.random.IntN(2)]) {
		g := hbase.Get{
			Table:   "t",
			Row:     []string{"a", "b", "c", "gone"}[o.random.IntN(4)],
			Columns: []string{"", "i", "v", "d", "i:batch d:family"}[o.random.IntN(5)],
		}
		if g.Columns == "i" {
			g.Page.Stop = "zzz"
		}
		if g.Page == (hbase.Page{}) && o.random.IntN(100) == 0 {
			g = bypassCache(g)
		}
		gets = append(gets, g)
	}
	from := make([]int64, len(o.all))
	for i, r := range o.all {
		from[i] = r.done.Load()
	}
	results, err := o.store.Get(ctx, gets)
	if err != nil {
		return err
	}
	for i, r := range o.all {
		to := r.begun.Load()
		steps := map[int64]bool{}
		for j, g := range gets {
			sel, err := o.store.tables["t"].selection(g.Columns)
			if err != nil {
				return err
			}
			if !r.in(g, sel) {
				continue
			}
			step := int64(0)
			for _, c := range results[j].Cells {
				if c.Family == r.family && c.Qualifier == r.column {
					step = int64(binary.BigEndian.Uint64(c.Value))
				}
			}
			if step == 0 && r.deleted { // maybe deleted
				step = max(from[i], o.seen[r.column])
				if step%2 == 0 && step > 0 {
					step++
				}
			}
			if low := max(from[i], o.seen[r.column]); step < low || step > to {
				return fmt.Errorf("%s of row %s: got step %d, want %d to %d", r.column, g.Row, step, low, to)
			}
			steps[step] = true
		}
		if len(steps) > 1 {
			return fmt.Errorf("%s: got the steps %v in one call", r.column, steps)
		}
		for step := range steps {
			o.seen[r.column] = step
		}
	}
	return nil
}

func (r *register) in(g hbase.Get, sel *selection) bool {
	for _, row := range r.rows {
		for _, f := range sel.families {
			if row != g.Row || f.name != r.family {
				continue
			}
			for _, c := range f.columns {
				if c.qualifier == r.column {
					return true
				}
			}
			return len(f.columns) == 0
		}
	}
	return false
}

func TestConcurrentReadsAreNeverStale(t *testing.T) {
	for _, c := range []struct {
		name, dir string
		steps     int64
	}{{"in memory", "", 500}, {"in a directory", t.TempDir(), 100}} {
		t.Run(c.name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			var minutes atomic.Int64 // a reading advances the clock, so that markers expire
			s, err := Open(c.dir, func(s *Store) {
				s.clock = func() time.Time {
					return time.UnixMilli(1e12).Add(time.Duration(minutes.Add(1)) * time.Minute)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx := context.Background()
			families := []hbase.FamilySchema{{Name: "d"}, {Name: "i"}, {Name: "v"}}
			if err := s.CreateTable(ctx, hbase.Table{Name: "t", Families: families}); err != nil {
				t.Fatal(err)
			}
			all := registers()
			var writing, reading sync.WaitGroup
			var over atomic.Bool
			for _, r := range all {
				writing.Go(func() {
					for step := int64(1); step <= c.steps && !t.Failed(); step++ {
						r.begun.Store(step)
						if err := r.write(ctx, s, r, step); err != nil {
							t.Error(err)
						}
						r.done.Store(step)
					}
				})
			}
			for n := range 4 {
				reading.Go(func() {
					o := &observer{s, all, rand.New(rand.NewPCG(seed, uint64(n))), map[string]int64{}}
					for !over.Load() && !t.Failed() {
						if err := o.look(ctx); err != nil {
							t.Error(err)
						}
					}
				})
			}
			writing.Wait()
			over.Store(true)
			reading.Wait()
			for _, row := range []string{"a", "b", "c", "gone"} {
				get := hbase.Get{Table: "t", Row: row}
				want, err := s.Get(ctx, []hbase.Get{bypassCache(get)})
				if err != nil {
					t.Fatal(err)
				}
				for range 4 {
					if got, err := s.Get(ctx, []hbase.Get{get}); err != nil || !cmp.Equal(want, got) {
						t.Errorf("row %s: got %v, %v\nwant %v", row, got, err, want)
					}
				}
			}
			hits, misses := cacheCounts(s)
			t.Logf("%d hits, %d misses", hits, misses)
		})
	}
}
