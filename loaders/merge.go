package loaders

import (
	"slices"
	"strings"

	"twibase/hbase"
)

// merged are the Gets of a batch after those of one row became one, where one Get says exactly the same: named columns together, and with
// the first page of a list. A region server then looks the row up once.
type merged struct {
	gets []hbase.Get
	// of[i] is the index in gets that answers the batch's get i; shared tells those that answer several.
	of     []int
	shared []bool
}

// kind is what of a Get can be merged.
type kind int

const (
	alone   kind = iota
	named        // named columns, all of them
	leading      // the first columns of one family
)

func kindOf(g *hbase.Get) kind {
	switch {
	case g.Columns == "" || g.Versions > 1 || g.Time != hbase.TimeRange{} || g.Page.Start != "" || g.Page.Stop != "":
		return alone
	case !strings.ContainsAny(g.Columns, ": ") && g.Page.Limit > 0:
		return leading
	case g.Page.Limit == 0 && allNamed(g.Columns):
		return named
	}
	return alone
}

func allNamed(columns string) bool {
	for c := range strings.FieldsSeq(columns) {
		if !strings.Contains(c, ":") {
			return false
		}
	}
	return true
}

// group is what was merged of one row: leading pages of one length, since of a longer one too much would be read of the others.
type group struct{ index, limit int }

// merge merges the Gets of a batch. Where a row is asked for first pages of several lengths the longest one takes part, whichever was asked for
// first: what is read does not depend on chance.
func merge(gets []*hbase.Get) merged {
	if alike(gets) {
		m := mergedOf(len(gets))
		for i, g := range gets {
			m.add(i, g)
		}
		return m
	}
	m, clash := mergeIn(gets, nil)
	if clash {
		order := make([]int, len(gets))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return gets[b].Page.Limit - gets[a].Page.Limit })
		m, _ = mergeIn(gets, order)
	}
	return m
}

// alike reports whether the gets differ in their rows alone: as no two of a batch are the same, there is nothing to be merged then.
func alike(gets []*hbase.Get) bool {
	like := *gets[0]
	for _, g := range gets[1:] {
		if like.Row = g.Row; like != *g {
			return false
		}
	}
	return true
}

// mergeIn merges the Gets in that order, or their own if it is nil, and reports whether the order mattered.
func mergeIn(gets []*hbase.Get, order []int) (m merged, clash bool) {
	type row struct{ table, key string }
	type pair struct{ a, b string }
	m = mergedOf(len(gets))
	groups, unions := make(map[row]group, len(gets)), map[pair]string{}
	for i := range gets {
		if order != nil {
			i = order[i]
		}
		g := gets[i]
		k, at := kindOf(g), row{g.Table, g.Row}
		open, met := groups[at]
		differ := met && k == leading && open.limit != 0 && open.limit != g.Page.Limit
		clash = clash || differ
		if k == alone || differ {
			m.add(i, g)
			continue
		}
		if !met {
			groups[at] = group{len(m.gets), g.Page.Limit}
			m.add(i, g)
			continue
		}
		sent, names := &m.gets[open.index], pair{m.gets[open.index].Columns, g.Columns}
		if _, known := unions[names]; !known {
			unions[names] = unite(names.a, names.b)
		}
		if unions[names] == "" {
			m.add(i, g)
			continue
		}
		open.limit = max(open.limit, g.Page.Limit)
		groups[at], m.of[i], m.shared[open.index] = open, open.index, true
		sent.Columns, sent.Page.Limit = unions[names], open.limit
		if open.limit > 0 {
			// The limit is each family's own, and must let all named columns through.
			sent.Page.Limit = max(open.limit, strings.Count(sent.Columns, ":"))
		}
	}
	return m, clash
}

func mergedOf(n int) merged {
	return merged{gets: make([]hbase.Get, 0, n), of: make([]int, n), shared: make([]bool, 0, n)}
}

func (m *merged) add(i int, g *hbase.Get) {
	m.of[i] = len(m.gets)
	m.gets, m.shared = append(m.gets, *g), append(m.shared, false)
}

// unite returns the columns of both, each once. It is empty if one names a column of a family of which the other wants the first.
func unite(a, b string) string {
	columns := strings.Fields(a)
	for _, c := range strings.Fields(b) {
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	for _, c := range columns {
		if family, _, named := strings.Cut(c, ":"); named && slices.Contains(columns, family) {
			return ""
		}
	}
	return strings.Join(columns, " ")
}

// answer returns the cells of the batch's get i among those of the Get that was sent.
func (m *merged) answer(i int, g *hbase.Get, cells []hbase.Cell) []hbase.Cell {
	if !m.shared[m.of[i]] {
		return cells
	}
	takes := func(c *hbase.Cell, n int) bool {
		if g.Page.Limit > 0 {
			return c.Family == g.Columns && n < g.Page.Limit
		}
		return has(g.Columns, c)
	}
	first, last, n := 0, -1, 0
	for i := range cells {
		if takes(&cells[i], n) {
			if last = i; n == 0 {
				first = i
			}
			n++
		}
	}
	if n == last-first+1 { // they lie side by side, as they mostly do
		return cells[first : first+n : first+n]
	}
	mine := make([]hbase.Cell, 0, n)
	for i := range cells {
		if takes(&cells[i], len(mine)) {
			mine = append(mine, cells[i])
		}
	}
	return mine
}

// has reports whether the named columns have that of the cell.
func has(columns string, c *hbase.Cell) bool {
	for name := range strings.FieldsSeq(columns) {
		if len(name) == len(c.Family)+1+len(c.Qualifier) && strings.HasPrefix(name, c.Family) && strings.HasSuffix(name, c.Qualifier) {
			return true
		}
	}
	return false
}
