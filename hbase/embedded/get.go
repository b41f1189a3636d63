package embedded

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"twibase/hbase"
)

// planned is a Get that can be served. It is small, for it is moved about while the plan is sorted.
type planned struct {
	// start is how the row's keys begin: it tells most of them apart.
	start uint64
	// row is the prefix of the row's keys.
	row   []byte
	index int
	sel   *selection
}

func (p planned) compare(other planned) int {
	if c := cmp.Compare(p.start, other.start); c != 0 {
		return c
	}
	return bytes.Compare(p.row, other.row)
}

// Get implements [hbase.Store]. It reads the rows in the order of their keys with one iterator, so that neighbours share
// blocks and what was found on the way.
func (s *Store) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	ctx, cancel := hbase.Bounded(ctx)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	if len(gets) == 0 {
		return nil, nil
	}
	results := make([]hbase.Result, len(gets))
	plan := s.plan(gets, results)
	r, err := s.reader(nil)
	if err != nil {
		return nil, err
	}
	defer s.release(r)
	r.within = true
	budget, spent := hbase.BudgetOf(ctx), int64(0)
	var over error
	for i, p := range plan {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if over != nil {
			results[p.index].Err = over
			continue
		}
		g := &gets[p.index]
		r.prepare(g.Page, g.Versions, g.Time)
		results[p.index].Cells, results[p.index].Err = r.row(p.row, *p.sel)
		s.cleaner.offer(r, p.row, len(results[p.index].Cells) == 0)
		over = budget.Spend(r.bytes - spent)
		spent = r.bytes
	}
	stats := hbase.StatsOf(ctx)
	stats.RPCs.Add(1)
	stats.Servers.Add(server)
	stats.Gets.Add(int64(len(gets)))
	stats.Rows.Add(r.rows)
	stats.Bytes.Add(r.bytes)
	return results, nil
}

// plan sorts the gets by their rows; those that can't be served get their error at once.
func (s *Store) plan(gets []hbase.Get, results []hbase.Result) []planned {
	plan := make([]planned, 0, len(gets))
	size := 0
	for i := range gets {
		size += len(gets[i].Row)
	}
	keys := make([]byte, 0, size+len(gets)*(tableLength+len(terminator)+2))
	for i := range gets {
		g := &gets[i]
		t, sel, err := s.resolve(g)
		if err != nil {
			results[i].Err = err
			continue
		}
		start := len(keys)
		keys = appendRow(keys, t.id, g.Row)
		plan = append(plan, planned{start: startOf(keys[start:]), row: keys[start:], index: i, sel: sel})
	}
	slices.SortFunc(plan, planned.compare)
	return plan
}

// startOf returns the bytes of a row's prefix behind the first half of its table's number, which hardly ever differs.
func startOf(row []byte) uint64 {
	var b [8]byte
	copy(b[:], row[tableLength/2:])
	return binary.BigEndian.Uint64(b[:])
}

func (s *Store) resolve(g *hbase.Get) (*table, *selection, error) {
	if err := g.Validate(); err != nil {
		return nil, nil, err
	}
	t, err := s.table(g.Table)
	if err != nil {
		return nil, nil, err
	}
	sel, err := t.selection(g.Columns)
	return t, sel, err
}
