package loaders

import (
	"iter"
	"slices"
	"strings"

	"twibase/hbase"
)

// batch is the Gets of one call of the store. Reads of one row become one Get where that returns
// exactly the same cells: named columns together, and with the first page of a list. A region
// server then looks the row up once.
type batch struct {
	gets   []hbase.Get
	groups []group // index-aligned with gets
	united map[columnPair]string
	// results are the store's, index-aligned with gets, unless the call failed.
	results []hbase.Result
	err     error
	round   *Round // nil unless it is traced
}

// group is the reads that were merged into one Get. All pages among them have the same limit: a
// longer one would read too much of the other lists.
type group struct {
	limit  int
	shared bool // by several reads
}

// columnPair is the columns of two Gets.
type columnPair struct{ a, b string }

// merge merges the reads of a batch. If pages of a row have several limits, the longest one takes
// part, whichever was asked for first: what is read must not depend on chance. The caller holds
// Loaders.mu, because it follows chains of reads.
func merge(sets []*readSet) *batch {
	n, rows := 0, 0
	for r := range firstReads(sets) {
		n++
		if r.first == r {
			rows++
		}
	}
	rows += (n - rows) / 8 // chains that start with a read of an earlier batch
	b, conflict := newBatch(sets, rows), false
	for r := range firstReads(sets) {
		conflict = b.take(r) || conflict
	}
	if !conflict {
		return b
	}
	b = newBatch(sets, rows)
	for _, r := range slices.SortedStableFunc(firstReads(sets), func(r, other *read) int {
		return other.template.get.Page.Limit - r.template.get.Page.Limit
	}) {
		b.take(r)
	}
	return b
}

// firstReads returns the reads of the sets that were not asked for before.
func firstReads(sets []*readSet) iter.Seq[*read] {
	return func(yield func(*read) bool) {
		for _, set := range sets {
			for i := range set.reads {
				if r := &set.reads[i]; r.same == r && !yield(r) {
					return
				}
			}
		}
	}
}

// newBatch returns the batch of these read sets, which read about so many rows.
func newBatch(sets []*readSet, rows int) *batch {
	b := &batch{gets: make([]hbase.Get, 0, rows), groups: make([]group, 0, rows)}
	for _, set := range sets {
		set.batch = b
	}
	for r := range firstReads(sets) {
		r.lead = false
	}
	return b
}

// take adds a read. conflict reports that another order of reads would make other Gets.
func (b *batch) take(r *read) (conflict bool) {
	limit := r.template.get.Page.Limit
	lead := b.leadOf(r)
	if lead == nil {
		b.add(r, r.template.kind != alone)
		return false
	}
	group, sent := &b.groups[lead.slot], &b.gets[lead.slot]
	if r.template.kind == firstPage && group.limit != 0 && group.limit != limit {
		b.add(r, false)
		return true
	}
	columns := b.unite(columnPair{sent.Columns, r.template.get.Columns})
	if columns == "" {
		b.add(r, false)
		return false
	}
	r.slot = lead.slot
	group.limit, group.shared = max(group.limit, limit), true
	sent.Columns, sent.Page.Limit = columns, group.limit
	if group.limit > 0 {
		// The limit holds for each family, and must not cut off named columns.
		sent.Page.Limit = max(group.limit, strings.Count(columns, ":"))
	}
	return false
}

func (b *batch) add(r *read, lead bool) {
	r.slot, r.lead = int32(len(b.gets)), lead
	b.gets, b.groups = append(b.gets, r.get()), append(b.groups, group{limit: r.template.get.Page.Limit})
}

// leadOf returns the read of the same row with which others are merged, nil if there is none.
func (b *batch) leadOf(r *read) *read {
	if r.template.kind == alone {
		return nil
	}
	for other := r.first; other != nil; other = other.next {
		if other.set.batch == b && other.lead && other.template.get.Table == r.template.get.Table {
			return other
		}
	}
	return nil
}

// unite returns the columns of both, each once. It is empty if one names a column of a family that
// the other reads a page of.
func (b *batch) unite(p columnPair) string {
	if known, ok := b.united[p]; ok {
		return known
	}
	columns := strings.Fields(p.a)
	for _, c := range strings.Fields(p.b) {
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	for _, c := range columns {
		if family, _, named := strings.Cut(c, ":"); named && slices.Contains(columns, family) {
			columns = nil
			break
		}
	}
	if b.united == nil {
		b.united = map[columnPair]string{}
	}
	b.united[p] = strings.Join(columns, " ")
	return b.united[p]
}

// result returns the result of a read.
func (b *batch) result(r *read) hbase.Result {
	if b.err != nil {
		return hbase.Result{Err: b.err}
	}
	result := b.results[r.slot]
	if b.groups[r.slot].shared {
		result.Cells = r.template.among(result.Cells)
	}
	return result
}
