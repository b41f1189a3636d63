package embedded

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unique"

	"twibase/hbase"
)

// lookup is what is to be read for a Get.
type lookup struct {
	sel *selection // nil if the Get can't be served
	// cacheable is whether the cache may have the answer, or keep it.
	cacheable bool
	key       cacheKey
	index     uint16 // of the row's state
	// writes is the number of writes of the row before anything was read.
	writes uint64
	cached *cachedRow
}

// Get implements [hbase.Store]. What the cache does not have it reads in the order of the rows' keys with one iterator, so that neighbours share
// blocks and what was found on the way.
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
	a := answers{results: make([]hbase.Result, len(gets)), budget: hbase.BudgetOf(ctx)}
	lookups := s.lookups(gets, a.results)
	hits, misses := s.cache.find(&s.rows, lookups)
	if s.cache != nil {
		s.hits.Add(int64(hits))
		s.misses.Add(int64(misses))
	}
	// If nothing has changed since the first was found, all of it was there at the same time. If something has, or is missing, an iterator says what
	// is: what has changed before there was one is read with it.
	var r *reader
	if misses > 0 || !s.allCurrent(lookups) {
		var err error
		if r, err = s.reader(nil); err != nil {
			return nil, err
		}
		defer r.close()
		s.allCurrent(lookups)
	}
	if err := s.answer(ctx, r, gets, lookups, &a); err != nil {
		return nil, err
	}
	stats := hbase.StatsOf(ctx)
	stats.CountRPC(server)
	stats.Gets.Add(int64(len(gets)))
	stats.Rows.Add(a.rows)
	stats.Bytes.Add(a.bytes)
	return a.results, nil
}

// lookups finds what the gets ask for. Those that can't be served get their error at once.
func (s *Store) lookups(gets []hbase.Get, results []hbase.Result) []lookup {
	lookups := make([]lookup, len(gets))
	var sel *selection
	var like unique.Handle[shape]
	for i := range gets {
		g, err := &gets[i], error(nil)
		if sel != nil && g.SameButRow(&gets[i-1]) {
			err = hbase.Get{Row: g.Row}.Validate() // all else was valid
		} else {
			sel, err = s.selection(g)
			if err == nil {
				like = unique.Make(shape{sel.table, g.Columns, g.Page})
			}
		}
		if err != nil {
			results[i].Err, sel = err, nil
			continue
		}
		lookups[i] = lookup{
			sel:       sel,
			cacheable: s.cache != nil && g.Versions <= 1 && g.Time == hbase.TimeRange{},
			key:       cacheKey{like, g.Row},
			index:     rowIndex(sel.table, g.Row),
		}
	}
	return lookups
}

// selection finds what a Get selects.
func (s *Store) selection(g *hbase.Get) (*selection, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	t, err := s.table(g.Table)
	if err != nil {
		return nil, err
	}
	return t.selection(g.Columns)
}

// allCurrent reports whether nothing has changed of what the cache had. It forgets what has.
func (s *Store) allCurrent(lookups []lookup) bool {
	all := true
	for i := range lookups {
		l := &lookups[i]
		if l.cached != nil && !s.rows[l.index].unchanged(l.cached.writes) {
			l.cached, l.cacheable, all = nil, false, false
		}
	}
	return all
}

// answers are the results of a call, as far as its budget reaches.
type answers struct {
	results     []hbase.Result
	rows, bytes int64
	budget      *hbase.Budget
	over        error // the budget's
}

func (a *answers) set(i int, cells []hbase.Cell) (bytes int64) {
	if len(cells) > 0 {
		bytes = hbase.Size(cells)
		a.results[i].Cells = cells
		a.rows++
		a.bytes += bytes
		a.over = a.budget.Spend(bytes)
	}
	return bytes
}

// answer answers the gets: first what the cache had.
func (s *Store) answer(ctx context.Context, r *reader, gets []hbase.Get, lookups []lookup, a *answers) error {
	var missing []int
	for i := range lookups {
		switch l := &lookups[i]; {
		case l.cached == nil && l.sel != nil:
			missing = append(missing, i)
		case l.cached != nil && a.over == nil:
			a.set(i, l.cached.cells)
		case l.cached != nil:
			a.results[i].Err = a.over
		}
	}
	slices.SortFunc(missing, func(i, j int) int {
		return cmp.Or(strings.Compare(gets[i].Table, gets[j].Table), strings.Compare(gets[i].Row, gets[j].Row))
	})
	for n, i := range missing {
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if a.over != nil {
			a.results[i].Err = a.over
			continue
		}
		cells, err := r.get(&gets[i], lookups[i].sel)
		if err != nil {
			a.results[i].Err = err
			continue
		}
		s.cleaner.offer(r, len(cells) == 0)
		s.cache.offer(&lookups[i], cells, a.set(i, cells))
	}
	return nil
}

// get reads what a Get asks for.
func (r *reader) get(g *hbase.Get, sel *selection) ([]hbase.Cell, error) {
	r.within = true
	r.prepare(g.Page, g.Versions, g.Time)
	r.rowKey = appendRow(r.rowKey[:0], sel.table, g.Row)
	return r.row(sel)
}
