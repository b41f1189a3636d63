package loaders

import (
	"slices"
	"strings"

	"twibase/hbase"
)

// template is a Get without its row, and how it can be merged with others.
type template struct {
	get   hbase.Get
	kind  kind
	named []hbase.Column // the columns, if that is its kind
	most  int            // how many cells its result has at most, unless it is alone
}

// kind says what of a Get can be merged.
type kind int

const (
	alone        kind = iota
	namedColumns      // all columns that it names
	firstPage         // the first columns of one family
)

func newTemplate(g hbase.Get) *template {
	s := &template{get: g}
	switch {
	case g.Columns == "" || g.Versions > 1 || g.Time != hbase.TimeRange{} || g.Page.Start != "" || g.Page.Stop != "":
	case !strings.ContainsAny(g.Columns, ": ") && g.Page.Limit > 0:
		s.kind, s.most = firstPage, g.Page.Limit
	case g.Page.Limit == 0:
		columns, err := hbase.ParseColumns(g.Columns)
		if err == nil && !slices.ContainsFunc(columns, func(c hbase.Column) bool { return c.Whole }) {
			s.kind, s.named, s.most = namedColumns, columns, len(columns)
		}
	}
	return s
}

// among returns the cells of such a Get among those of a Get that it was merged into. Mostly they
// are adjacent.
func (s *template) among(cells []hbase.Cell) []hbase.Cell {
	first := 0
	for first < len(cells) && !s.selects(&cells[first]) {
		first++
	}
	end := first
	for end < len(cells) && end-first < s.most && s.selects(&cells[end]) {
		end++
	}
	own := cells[first:end:end]
	for i := end; i < len(cells) && len(own) < s.most; i++ {
		if s.selects(&cells[i]) {
			own = append(own, cells[i])
		}
	}
	return own
}

// selects reports whether a cell can be one of such a Get.
func (s *template) selects(c *hbase.Cell) bool {
	if s.kind == firstPage {
		return c.Family == s.get.Columns
	}
	for i := range s.named {
		if s.named[i].Qualifier == c.Qualifier && s.named[i].Family == c.Family {
			return true
		}
	}
	return false
}
