package loaders

import (
	"slices"
	"strings"

	"twibase/hbase"
)

// merged are the Gets of a batch after those of one row became one, where one Get says exactly the same: named columns together, and with
// the first page of a list. A region server then looks the row up once.
type merged struct {
	gets   []hbase.Get
	groups []group // of each Get
	united map[pair]string
	// last are those that were united last, mostly with the same ones again.
	last       pair
	lastUnited string
	results    []hbase.Result
	err        error
}

// group is what was merged into one Get: leading pages of one length, since of a longer one too much would be read of the others.
type group struct {
	limit  int
	shared bool // by several requests
}

// pair are the columns of two Gets.
type pair struct{ a, b string }

// kind is what of a Get can be merged.
type kind int

const (
	alone   kind = iota
	named        // named columns, all of them
	leading      // the first columns of one family
)

func shapeOf(g hbase.Get) *shape {
	s := &shape{get: g}
	switch {
	case g.Columns == "" || g.Versions > 1 || g.Time != hbase.TimeRange{} || g.Page.Start != "" || g.Page.Stop != "":
	case !strings.ContainsAny(g.Columns, ": ") && g.Page.Limit > 0:
		s.kind, s.most = leading, g.Page.Limit
	case g.Page.Limit == 0:
		if columns, err := hbase.ParseColumns(g.Columns); err == nil && !slices.ContainsFunc(columns, func(c hbase.Column) bool { return c.Whole }) {
			s.kind, s.named, s.most = named, columns, len(columns)
		}
	}
	return s
}

// merge merges the requests of a batch. Where a row is asked for first pages of several lengths the longest one takes part, whichever was asked for
// first: what is read does not depend on chance. The caller holds Loaders.mu.
func merge(questions []*question) *merged {
	n, rows := 0, 0
	for _, q := range questions {
		n += len(q.answers)
		for i := range q.answers {
			if a := &q.answers[i]; a.first == a {
				rows++
			}
		}
	}
	rows += (n - rows) / 8 // of a few something was asked before
	m, clash := newMerged(rows), false
	for _, q := range questions {
		for i := range q.answers {
			clash = m.take(&q.answers[i]) || clash
		}
	}
	if !clash {
		return m
	}
	longest := make([]*answer, 0, n)
	for _, q := range questions {
		for i := range q.answers {
			longest = append(longest, &q.answers[i])
		}
	}
	slices.SortStableFunc(longest, func(a, b *answer) int { return b.shape.get.Page.Limit - a.shape.get.Page.Limit })
	m = newMerged(rows)
	for _, a := range longest {
		m.take(a)
	}
	return m
}

func newMerged(n int) *merged {
	return &merged{gets: make([]hbase.Get, 0, n), groups: make([]group, 0, n)}
}

// take adds a request, and reports whether its order among the others mattered.
func (m *merged) take(a *answer) (clash bool) {
	lead, limit := (*answer)(nil), a.shape.get.Page.Limit
	if a.shape.kind != alone {
		lead = m.leader(a)
	}
	if lead == nil {
		m.add(a, a.shape.kind != alone)
		return false
	}
	group, sent := &m.groups[lead.at], &m.gets[lead.at]
	if a.shape.kind == leading && group.limit != 0 && group.limit != limit {
		m.add(a, false)
		return true
	}
	columns := m.unite(pair{sent.Columns, a.shape.get.Columns})
	if columns == "" {
		m.add(a, false)
		return false
	}
	a.in, a.at, a.leads = m, lead.at, false
	group.limit, group.shared = max(group.limit, limit), true
	sent.Columns, sent.Page.Limit = columns, group.limit
	if group.limit > 0 {
		// The limit is each family's own, and must let all named columns through.
		sent.Page.Limit = max(group.limit, strings.Count(columns, ":"))
	}
	return false
}

func (m *merged) add(a *answer, leads bool) {
	a.in, a.at, a.leads = m, int32(len(m.gets)), leads
	m.gets, m.groups = append(m.gets, a.whole()), append(m.groups, group{limit: a.shape.get.Page.Limit})
}

// leader returns the request of the same row with which others are merged, if there is one.
func (m *merged) leader(a *answer) *answer {
	for b := a.first; b != nil; b = b.next {
		if b.in == m && b.leads && b.shape.get.Table == a.shape.get.Table {
			return b
		}
	}
	return nil
}

// unite returns the columns of both, each once. It is empty if one names a column of a family of which the other wants the first.
func (m *merged) unite(p pair) string {
	if p == m.last {
		return m.lastUnited
	}
	if known, is := m.united[p]; is {
		m.last, m.lastUnited = p, known
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
		m.united = map[pair]string{}
	}
	m.united[p] = strings.Join(columns, " ")
	return m.united[p]
}

// among returns the cells of such a request among those of the Get that was sent, where they mostly lie side by side.
func (s *shape) among(cells []hbase.Cell) []hbase.Cell {
	first := 0
	for first < len(cells) && !s.takes(&cells[first]) {
		first++
	}
	end := first
	for end < len(cells) && end-first < s.most && s.takes(&cells[end]) {
		end++
	}
	mine := cells[first:end:end]
	for i := end; i < len(cells) && len(mine) < s.most; i++ {
		if s.takes(&cells[i]) {
			mine = append(mine, cells[i])
		}
	}
	return mine
}

// takes reports whether a cell can be one of such a request.
func (s *shape) takes(c *hbase.Cell) bool {
	if s.kind == leading {
		return c.Family == s.get.Columns
	}
	for i := range s.named {
		if s.named[i].Qualifier == c.Qualifier && s.named[i].Family == c.Family {
			return true
		}
	}
	return false
}
