package loaders

import (
	"iter"
	"slices"
	"strings"

	"twibase/hbase"
)

// batch is one call of the store. Reads of one row become one Get if it returns the same cells:
// named columns, and the first page of a list.
type batch struct {
	gets    []hbase.Get
	groups  []group               // index-aligned with gets
	unions  map[columnPair]string // see union
	results []hbase.Result        // index-aligned with gets
	err     error                 // of the call
	round   *Round                // nil unless it is traced
}

// group describes a Get. Its pages have the same limit: a longer one would read too much of the
// other lists.
type group struct {
	limit  int
	shared bool // by several reads
}

type columnPair struct{ a, b string }

// merge returns the batch of the read sets. If pages of a row have several limits, the longest is
// merged, so that the Gets do not depend on chance. The caller holds Loaders.mu.
func merge(sets []*readSet) *batch {
	n, rows := 0, 0
	for r := range firstReads(sets) {
		n++
		if r.first == r {
			rows++
		}
	}
	rows += (n - rows) / 8 // an estimate of the chains that start in an earlier batch
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

// take adds a read. conflict is whether another order of reads would make other Gets.
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
	columns := b.union(columnPair{sent.Columns, r.template.get.Columns})
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

// leadOf returns the read into which this one may be merged, or nil.
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

// union returns the columns of both, or "" if one reads a page of a family and the other named
// columns of it.
func (b *batch) union(p columnPair) string {
	if known, ok := b.unions[p]; ok {
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
	if b.unions == nil {
		b.unions = map[columnPair]string{}
	}
	b.unions[p] = strings.Join(columns, " ")
	return b.unions[p]
}

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

// template is a Get without its row.
type template struct {
	get   hbase.Get
	kind  mergeKind
	named []hbase.Column // of namedColumns
	most  int            // cells of a result at most, unless it is alone
}

type mergeKind int

const (
	alone        mergeKind = iota
	namedColumns           // a set of columns
	firstPage              // the first columns of one family
)

func newTemplate(g hbase.Get) *template {
	t := &template{get: g}
	switch {
	case g.Columns == "" || g.Versions > 1 || g.Time != hbase.TimeRange{} || g.Page.Start != "" || g.Page.Stop != "":
	case !strings.ContainsAny(g.Columns, ": ") && g.Page.Limit > 0:
		t.kind, t.most = firstPage, g.Page.Limit
	case g.Page.Limit == 0:
		columns, err := hbase.ParseColumns(g.Columns)
		if err == nil && !slices.ContainsFunc(columns, func(c hbase.Column) bool { return c.Whole }) {
			t.kind, t.named, t.most = namedColumns, columns, len(columns)
		}
	}
	return t
}

// among returns the cells of this Get among those of a merged one. Usually they are adjacent, and
// share its memory.
func (t *template) among(cells []hbase.Cell) []hbase.Cell {
	first := 0
	for first < len(cells) && !t.selects(&cells[first]) {
		first++
	}
	end := first
	for end < len(cells) && end-first < t.most && t.selects(&cells[end]) {
		end++
	}
	own := cells[first:end:end]
	for i := end; i < len(cells) && len(own) < t.most; i++ {
		if t.selects(&cells[i]) {
			own = append(own, cells[i])
		}
	}
	return own
}

func (t *template) selects(c *hbase.Cell) bool {
	if t.kind == firstPage {
		return c.Family == t.get.Columns
	}
	for i := range t.named {
		if t.named[i].Qualifier == c.Qualifier && t.named[i].Family == c.Family {
			return true
		}
	}
	return false
}
