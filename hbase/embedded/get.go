package embedded

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unique"

	"twibase/hbase"
)

// lookup is the state of a Get.
type lookup struct {
	sel       *selection // nil if the Get is invalid
	cacheable bool
	index     uint16 // of the rowState
	key       cacheKey
	hash      uint64     // of key
	writes    uint64     // of the rowState, before the row is read
	cached    *cachedRow // nil if the row must be read
}

// Get reads uncached rows in key order by one iterator, so that neighbours share blocks.
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
	defer stats.CountRPC(server, len(gets), time.Now())
	stats.Gets.Add(int64(len(gets)))
	results := make([]hbase.Result, len(gets))
	lookups := make([]lookup, len(gets))
	s.prepare(gets, lookups, results)
	hits, misses := s.cache.find(&s.rows, lookups)
	if s.cache != nil {
		s.hits.Add(int64(hits))
		s.misses.Add(int64(misses))
	}
	// If all rows are cached and current, they are a snapshot. Otherwise the iterator is the
	// snapshot, and it also reads the cached rows that have changed.
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

// selected is the selection of successive Gets that differ only in Row.
type selected struct {
	*selection
	shape     unique.Handle[shape]
	shapeHash uint64
}

func (s *Store) prepare(gets []hbase.Get, lookups []lookup, results []hbase.Result) {
	hbase.Select(gets, results, s.selectFor, func(i int, sel selected) error {
		g := &gets[i]
		hash := rowHash(sel.table, g.Row)
		lookups[i] = lookup{
			sel:       sel.selection,
			cacheable: s.cache != nil && !sel.expires && g.Versions <= 1,
			index:     rowStateIndex(hash),
			key:       cacheKey{sel.shape, g.Row},
			hash:      hash ^ sel.shapeHash,
		}
		return nil
	})
}

func (s *Store) selectFor(g *hbase.Get) (sel selected, err error) {
	t, err := s.table(g.Table)
	if err != nil {
		return sel, err
	}
	if sel.selection, err = t.selection(g.Columns); err == nil {
		sel.shape = unique.Make(shape{t.id, g.Columns, g.Page})
		sel.shapeHash = maphash.Comparable(rowSeed, sel.shape)
	}
	return sel, err
}

// allCurrent forgets cached rows that have changed, and reports whether there were none.
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

func (s *Store) answer(
	ctx context.Context, r *reader, gets []hbase.Get, lookups []lookup, results []hbase.Result,
) error {
	meter := hbase.MeterOf(ctx)
	defer meter.Close()
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
			meter.Count(l.cached.bytes)
		}
	}
	slices.SortFunc(missing, func(i, j int) int {
		return cmp.Or(cmp.Compare(lookups[i].sel.table, lookups[j].sel.table), strings.Compare(gets[i].Row, gets[j].Row))
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
			bytes := hbase.Size(cells)
			meter.Count(bytes)
			s.cleaner.offer(r, len(cells) == 0)
			s.cache.offer(&lookups[i], cells, bytes)
		}
	}
	return nil
}

func (r *reader) get(g *hbase.Get, sel *selection) ([]hbase.Cell, error) {
	r.within = true
	r.prepare(g.Page, max(g.Versions, 1))
	r.rowKey = appendRow(r.rowKey[:0], sel.table, g.Row)
	return r.row(sel)
}
