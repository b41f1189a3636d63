package loaders

import (
	"slices"
	"strings"

	"twibase/hbase"
)

// merged is the Gets of a batch. Reads of one row become one Get where that returns exactly the
// same cells: named columns together, and with the first page of a list. A region server then looks
// the row up once.
type merged struct {
	gets   []hbase.Get
	groups []group // index-aligned with gets
	united map[columnPair]string
	// results are the store's, index-aligned with gets.
	results []hbase.Result
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
func merge(sets []*readSet) *merged {
	n, rows := 0, 0
	for _, set := range sets {
		n += len(set.reads)
		for i := range set.reads {
			if set.reads[i].first == &set.reads[i] {
				rows++
			}
		}
	}
	rows += (n - rows) / 8 // chains that start with a read of an earlier batch
	m, conflict := newMerged(rows), false
	for _, set := range sets {
		for i := range set.reads {
			conflict = m.take(&set.reads[i]) || conflict
		}
	}
	if !conflict {
		return m
	}
	reads := make([]*read, 0, n)
	for _, set := range sets {
		for i := range set.reads {
			reads = append(reads, &set.reads[i])
		}
	}
	slices.SortStableFunc(reads, func(a, b *read) int { return b.shape.get.Page.Limit - a.shape.get.Page.Limit })
	m = newMerged(rows)
	for _, r := range reads {
		m.take(r)
	}
	return m
}

// newMerged returns the Gets of a batch that reads about so many rows.
func newMerged(rows int) *merged {
	return &merged{gets: make([]hbase.Get, 0, rows), groups: make([]group, 0, rows)}
}

// take adds a read. conflict reports that another order of reads would make other Gets.
func (m *merged) take(r *read) (conflict bool) {
	limit := r.shape.get.Page.Limit
	lead := m.leadOf(r)
	if lead == nil {
		m.add(r, r.shape.kind != alone)
		return false
	}
	group, sent := &m.groups[lead.slot], &m.gets[lead.slot]
	if r.shape.kind == firstPage && group.limit != 0 && group.limit != limit {
		m.add(r, false)
		return true
	}
	columns := m.unite(columnPair{sent.Columns, r.shape.get.Columns})
	if columns == "" {
		m.add(r, false)
		return false
	}
	r.in, r.slot, r.lead = m, lead.slot, false
	group.limit, group.shared = max(group.limit, limit), true
	sent.Columns, sent.Page.Limit = columns, group.limit
	if group.limit > 0 {
		// The limit holds for each family, and must not cut off named columns.
		sent.Page.Limit = max(group.limit, strings.Count(columns, ":"))
	}
	return false
}

func (m *merged) add(r *read, lead bool) {
	r.in, r.slot, r.lead = m, int32(len(m.gets)), lead
	m.gets, m.groups = append(m.gets, r.get()), append(m.groups, group{limit: r.shape.get.Page.Limit})
}

// leadOf returns the read of the same row with which others are merged, nil if there is none.
func (m *merged) leadOf(r *read) *read {
	if r.shape.kind == alone {
		return nil
	}
	for other := r.first; other != nil; other = other.next {
		if other.in == m && other.lead && other.shape.get.Table == r.shape.get.Table {
			return other
		}
	}
	return nil
}

// unite returns the columns of both, each once. It is empty if one names a column of a family that
// the other reads a page of.
func (m *merged) unite(p columnPair) string {
	if known, ok := m.united[p]; ok {
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
	if m.united == nil {
		m.united = map[columnPair]string{}
	}
	m.united[p] = strings.Join(columns, " ")
	return m.united[p]
}

// result returns the result of a read.
func (m *merged) result(r *read) hbase.Result {
	result := m.results[r.slot]
	if m.groups[r.slot].shared {
		result.Cells = r.shape.among(result.Cells)
	}
	return result
}
