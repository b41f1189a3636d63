package embedded

import (
	"context"

	"twibase/hbase"
)

// Get implements [hbase.Store]. What the cache does not have it reads in the order of the rows' keys, as far as few bytes of them tell it, with one
// iterator, so that neighbours share blocks and what was found on the way.
func (s *Store) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	if len(gets) == 0 {
		return nil, nil
	}
	results := make([]hbase.Result, len(gets))
	p := s.plans.Get().(*plan)
	defer p.release(s)
	p.make(s, gets, results)
	t := tally{budget: hbase.BudgetOf(ctx)}
	missing := s.cache.find(p.all)
	// If nothing has changed since the first was found, all of it was there at the same time. If something has, or is missing, an iterator says what
	// is: what has changed before there was one is read with it.
	if missing > 0 || s.cache.drop(p.all) > 0 {
		r, err := s.reader(nil)
		if err != nil {
			return nil, err
		}
		defer s.release(r)
		s.cache.drop(p.all)
		t.take(p.all, results)
		if err := s.read(ctx, r, gets, p, results, &t); err != nil {
			return nil, err
		}
		t.rows, t.bytes = t.rows+r.rows, t.bytes+r.bytes
	} else {
		t.take(p.all, results)
	}
	stats := hbase.StatsOf(ctx)
	stats.CountRPC(server)
	stats.Gets.Add(int64(len(gets)))
	stats.Rows.Add(t.rows)
	stats.Bytes.Add(t.bytes)
	return results, nil
}

// tally counts what is answered.
type tally struct {
	rows, bytes int64
	budget      *hbase.Budget
	over        error // the budget's
}

// take answers what the cache had.
func (t *tally) take(all []planned, results []hbase.Result) {
	for i := range all {
		switch k := all[i].kept; {
		case k == nil:
		case t.over != nil:
			results[i].Err = t.over
		default:
			if len(k.cells) > 0 {
				results[i].Cells, t.rows = k.cells, t.rows+1
			}
			t.bytes += k.bytes
			t.over = t.budget.Spend(k.bytes)
		}
	}
}

// read answers what the cache did not have.
func (s *Store) read(ctx context.Context, r *reader, gets []hbase.Get, p *plan, results []hbase.Result, t *tally) error {
	p.sort()
	r.within = true
	for n := range p.missing {
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		i := p.missing[p.order[n].index(n)]
		if t.over != nil {
			results[i].Err = t.over
			continue
		}
		g, p, before := &gets[i], &p.all[i], r.bytes
		row := p.key[:p.row]
		r.prepare(g.Page, g.Versions, g.Time)
		cells, err := r.row(row, p.sel)
		results[i] = hbase.Result{Cells: cells, Err: err}
		if err == nil {
			s.cache.offer(p, cells, r.bytes-before)
		}
		s.cleaner.offer(r, row, len(cells) == 0)
		t.over = t.budget.Spend(r.bytes - before)
	}
	return nil
}
