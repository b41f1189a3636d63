package loaders

import (
	"iter"
	"slices"
	"strings"

	"twibase/hbase"
)

// batch is one call of the store. Reads of named columns and of first pages of families may share a
// Get of their row.
type batch struct {
	gets    []hbase.Get // index-aligned with groups and results
	groups  []group
	unions  map[columnPair]string // see unions in 'go -C bench run . without'
	results []hbase.Result
	err     error
	round   *Round // nil unless traced or part of a recorded span
}

// group describes the reads of a Get. Its pages have the same limit: HBase applies the limit of a
// Get to each family, so a larger one would read unneeded members.
type group struct {
	limit  int // of the pages; 0 if all columns are named
	shared bool
}

type columnPair struct{ a, b string }

// merge makes a batch of the new reads of sets. Of first pages of a row, it merges only those with
// the largest limit, whatever the order of the sets. The caller holds Loaders.mu.
func merge(sets []*readSet) *batch {
	n, rows := 0, 0
	for r := range newReads(sets) {
		n++
		if r.first == r {
			rows++
		}
	}
	rows += (n - rows) / 8 // a guess: an eighth of the other reads need their own Get
	b := newBatch(sets, rows)
	if b.takeAll(newReads(sets)) {
		return b
	}
	b = newBatch(sets, rows)
	b.takeAll(slices.Values(slices.SortedStableFunc(newReads(sets), func(r, other *read) int {
		return other.template.get.Page.Limit - r.template.get.Page.Limit
	})))
	return b
}

func newReads(sets []*readSet) iter.Seq[*read] {
	return func(yield func(*read) bool) {
		for _, set := range sets {
			for i := range set.reads {
				if r := &set.reads[i]; r.original == r && !yield(r) {
					return
				}
			}
		}
	}
}

// newBatch also undoes an earlier attempt to merge the sets.
func newBatch(sets []*readSet, rows int) *batch {
	b := &batch{gets: make([]hbase.Get, 0, rows), groups: make([]group, 0, rows)}
	for _, set := range sets {
		set.batch = b
	}
	for r := range newReads(sets) {
		r.target = false
	}
	return b
}

func (b *batch) takeAll(reads iter.Seq[*read]) (sameLimits bool) {
	sameLimits = true
	for r := range reads {
		sameLimits = b.take(r) && sameLimits
	}
	return sameLimits
}

// take merges a read into a Get, or adds a Get. sameLimits is false if r is a page whose limit
// differs from that of its row's Get.
func (b *batch) take(r *read) (sameLimits bool) {
	target := b.targetOf(r)
	switch {
	case target == nil:
		b.add(r, r.template.kind != alone)
	case b.limitsDiffer(target, r):
		b.add(r, false)
		return false
	case !b.share(target, r):
		b.add(r, false)
	}
	return true
}

func (b *batch) limitsDiffer(target, r *read) bool {
	limit := b.groups[target.index].limit
	return r.template.kind == firstPage && limit != 0 && limit != r.template.get.Page.Limit
}

// share returns false if the columns need two Gets: see union.
func (b *batch) share(target, r *read) bool {
	group, sent := &b.groups[target.index], &b.gets[target.index]
	columns := b.union(columnPair{sent.Columns, r.template.get.Columns})
	if columns == "" {
		return false
	}
	r.index = target.index
	group.limit, group.shared = max(group.limit, r.template.get.Page.Limit), true
	if sent.Columns = columns; group.limit > 0 {
		// The limit holds for each family, and must not cut off named columns.
		sent.Page.Limit = max(group.limit, strings.Count(columns, ":"))
	}
	return true
}

func (b *batch) add(r *read, target bool) {
	r.index, r.target = int32(len(b.gets)), target
	b.gets, b.groups = append(b.gets, r.get()), append(b.groups, group{limit: r.template.get.Page.Limit})
}

func (b *batch) targetOf(r *read) *read {
	if r.template.kind == alone {
		return nil
	}
	for other := r.first; other != nil; other = other.next {
		if other.set.batch == b && other.target && other.template.get.Table == r.template.get.Table {
			return other
		}
	}
	return nil
}

// union returns the columns of two Gets, or "" if one reads a page of a family, and the other reads
// named columns of that family.
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
	result := b.results[r.index]
	if b.groups[r.index].shared {
		result.Cells = r.template.among(result.Cells)
	}
	return result
}

type template struct {
	get      hbase.Get
	kind     mergeKind
	named    []hbase.Column
	maxCells int // 0 if kind is alone
}

type mergeKind int

const (
	alone mergeKind = iota // never merged
	namedColumns
	firstPage
)

func newTemplate(g hbase.Get) *template {
	t := &template{get: g}
	switch {
	case g.Columns == "" || g.Versions > 1 || g.Page.Start != "" || g.Page.Stop != "" || g.Page.NoValues:
	case !strings.ContainsAny(g.Columns, ": ") && g.Page.Limit > 0:
		t.kind, t.maxCells = firstPage, g.Page.Limit
	case g.Page.Limit == 0:
		columns, err := hbase.ParseColumns(g.Columns)
		if err == nil && !slices.ContainsFunc(columns, func(c hbase.Column) bool { return c.Whole }) {
			t.kind, t.named, t.maxCells = namedColumns, columns, len(columns)
		}
	}
	return t
}

// among returns the cells that t selects. It copies nothing if they are adjacent.
func (t *template) among(cells []hbase.Cell) []hbase.Cell {
	first := 0
	for first < len(cells) && !t.selects(&cells[first]) {
		first++
	}
	end := first
	for end < len(cells) && end-first < t.maxCells && t.selects(&cells[end]) {
		end++
	}
	own := cells[first:end:end]
	for i := end; i < len(cells) && len(own) < t.maxCells; i++ {
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
