package embedded

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unique"

	"twibase/hbase"
)

// lookup is the state of a Get while it is answered.
type lookup struct {
	sel *selection // nil if the Get can't be served
	// cacheable reports whether the cache may have the row, or keep it.
	cacheable bool
	key       cacheKey
	index     uint16 // of the row's state
	// writes is the number of writes of the row before it is read.
	writes uint64
	cached *cachedRow
}

// Get implements [hbase.Store]. It reads the rows that the cache does not have in the order of their keys, with one iterator, so that neighbours share
// blocks.
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
	stats := hbase.StatsOf(ctx)
	stats.CountRPC(server)
	stats.Gets.Add(int64(len(gets)))
	results := make([]hbase.Result, len(gets))
	lookups := s.lookups(gets, results)
	hits, misses := s.cache.find(&s.rows, lookups)
	if s.cache != nil {
		s.hits.Add(int64(hits))
		s.misses.Add(int64(misses))
	}
	// If all rows were found and none has changed since the first was found, they are a snapshot. Otherwise the iterator is the snapshot, and rows that
	// changed before it was made are read again.
	var r *reader
	if misses > 0 || !s.allCurrent(lookups) {
		var err error
		if r, err = s.reader(nil); err != nil {
			return nil, err
		}
		defer r.close()
		s.allCurrent(lookups)
	}
	if err := s.answer(ctx, r, gets, lookups, results); err != nil {
		return nil, err
	}
	return results, nil
}

// lookups returns the lookups of gets. It sets the errors of those that can't be served.
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

// selection returns the selection of a Get.
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

// allCurrent reports whether no cached row has changed. It forgets those that have.
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

// answer sets the results: first those of the cached rows, then the rows that r reads.
func (s *Store) answer(ctx context.Context, r *reader, gets []hbase.Get, lookups []lookup, results []hbase.Result) error {
	meter := hbase.MeterOf(ctx)
	var missing []int
	for i := range lookups {
		switch l := &lookups[i]; {
		case l.sel == nil:
		case l.cached == nil:
			missing = append(missing, i)
		case meter.Err != nil:
			results[i].Err = meter.Err
		case len(l.cached.cells) > 0:
			results[i].Cells = l.cached.cells
			meter.Count(l.cached.cells)
		}
	}
	slices.SortFunc(missing, func(i, j int) int {
		return cmp.Or(strings.Compare(gets[i].Table, gets[j].Table), strings.Compare(gets[i].Row, gets[j].Row))
	})
	for n, i := range missing {
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if meter.Err != nil {
			results[i].Err = meter.Err
			continue
		}
		cells, err := r.get(&gets[i], lookups[i].sel)
		results[i] = hbase.Result{Cells: cells, Err: err}
		if err == nil {
			s.cleaner.offer(r, len(cells) == 0)
			s.cache.offer(&lookups[i], cells, meter.Count(cells))
		}
	}
	return nil
}

// get reads the row of a Get.
func (r *reader) get(g *hbase.Get, sel *selection) ([]hbase.Cell, error) {
	r.within = true
	r.prepare(g.Page, g.Versions, g.Time)
	r.rowKey = appendRow(r.rowKey[:0], sel.table, g.Row)
	return r.row(sel)
}
