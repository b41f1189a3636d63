package hbase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Get selects cells of a row. It is comparable.
type Get struct {
	Table string
	Row   string

	// Columns selects families and columns, such as "i:name i:email f", or all families if it is
	// empty. For a qualifier with bytes other than letters, digits, '_' and '-', use [Exactly].
	Columns string

	Page Page

	// Versions limits the versions of each column, newest first. 0 means 1, and a Page allows no
	// more.
	Versions int
}

// Page is a range of columns.
type Page struct {
	// The range is [Start, Stop). An empty Stop means no end. With a Start or a Stop, Columns must
	// name exactly one whole family.
	Start, Stop string
	// Limit is in columns per family. 0 means no limit.
	Limit    int
	NoValues bool
}

// Exactly returns the page of one column.
func Exactly(qualifier string) Page { return Page{Start: qualifier, Stop: Next(qualifier)} }

// Next returns the smallest key greater than key.
func Next(key string) string { return key + "\x00" }

// PrefixEnd returns the smallest key greater than all keys with the prefix, or "".
func PrefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}

// Result has cells in HBase's order: family, qualifier, newest first.
type Result struct {
	Cells []Cell
	Err   error
}

// Cell is a version of a column.
type Cell struct {
	Family    string
	Qualifier string
	// Timestamp is in milliseconds since 1970. In a Put, 0 means now.
	Timestamp int64
	Value     []byte
	// Memo may be nil. Put ignores it.
	Memo *Memo
}

// LatestTimestamp returns the latest timestamp of cells, or 0.
func LatestTimestamp(cells []Cell) (timestamp int64) {
	for i := range cells {
		timestamp = max(timestamp, cells[i].Timestamp)
	}
	return timestamp
}

// FindCell returns the cell of a column, or nil.
func FindCell(cells []Cell, family, qualifier string) *Cell {
	for i := range cells {
		if c := &cells[i]; c.Family == family && c.Qualifier == qualifier {
			return c
		}
	}
	return nil
}

// Row has at least one cell.
type Row struct {
	Key   string
	Cells []Cell
}

// Scan selects rows from Start, inclusive, to Stop, exclusive. If Reversed, rows descend, but
// columns ascend. An empty bound is an end of the table. Other fields are as in [Get].
type Scan struct {
	Table       string
	Start, Stop string
	Reversed    bool
	Columns     string
	Page        Page
	// Limit is in rows. 0 means no limit.
	Limit int
	// PageSize is in rows per RPC. If it is 0, the engine decides.
	PageSize int
}

// Empty reports whether the bounds select no row. Never send such a scan: if the bounds are equal,
// HBase reads a row.
func (s Scan) Empty() bool {
	if s.Reversed {
		return s.Start != "" && s.Start <= s.Stop
	}
	return s.Stop != "" && s.Start >= s.Stop
}

// Column is one column, or a whole family.
type Column struct {
	Family    string
	Qualifier string
	Whole     bool
}

// MaxCachedColumns bounds the entries of caches whose keys are [Get.Columns].
const MaxCachedColumns = 1000

// ParseColumns parses [Get.Columns], or returns [ErrInvalid].
func ParseColumns(columns string) ([]Column, error) {
	var list []Column
	err := eachColumn(columns, func(c Column) { list = append(list, c) })
	if err != nil {
		return nil, err
	}
	return list, nil
}

// FamilyColumns are columns of a family. Qualifiers ascend; nil selects all.
type FamilyColumns struct {
	Family     string
	Qualifiers []string
}

// ByFamily groups columns by family, ascending. A whole family replaces its named columns.
func ByFamily(columns []Column) []FamilyColumns {
	columns = slices.Clone(columns)
	slices.SortFunc(columns, func(a, b Column) int { // whole families first
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(a.Qualifier, b.Qualifier))
	})
	var families []FamilyColumns
	for _, c := range slices.Compact(columns) {
		last := len(families) - 1
		switch {
		case last < 0 || families[last].Family != c.Family:
			f := FamilyColumns{Family: c.Family}
			if !c.Whole {
				f.Qualifiers = []string{c.Qualifier}
			}
			families = append(families, f)
		case families[last].Qualifiers != nil:
			families[last].Qualifiers = append(families[last].Qualifiers, c.Qualifier)
		}
	}
	return families
}

func eachColumn(columns string, f func(Column)) error {
	for spec := range strings.FieldsSeq(columns) {
		family, qualifier, named := strings.Cut(spec, ":")
		if family == "" || named && !isWord(qualifier) {
			return fmt.Errorf("%w: column %q: write family or family:qualifier, "+
				"with letters, digits, '_' and '-' in the qualifier", ErrInvalid, spec)
		}
		f(Column{Family: family, Qualifier: qualifier, Whole: !named})
	}
	return nil
}

func isWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return s != ""
}

// Validate may return [ErrInvalid].
func (g Get) Validate() error {
	if err := checkRow(g.Row); err != nil {
		return err
	}
	if g.Versions < 0 || g.Versions > 1 && g.Page != (Page{}) {
		return fmt.Errorf("%w: Versions can't be negative, nor more than 1 with a Page", ErrInvalid)
	}
	return validateSelection(g.Columns, g.Page)
}

// Validate may return [ErrInvalid].
func (s Scan) Validate() error {
	if s.Limit < 0 || s.PageSize < 0 {
		return fmt.Errorf("%w: a scan's Limit and PageSize can't be negative", ErrInvalid)
	}
	return validateSelection(s.Columns, s.Page)
}

func validateSelection(columns string, page Page) error {
	selected, whole := 0, true
	err := eachColumn(columns, func(c Column) { selected, whole = selected+1, whole && c.Whole })
	switch {
	case err != nil:
		return err
	case page.Limit < 0:
		return fmt.Errorf("%w: the Page's Limit can't be negative", ErrInvalid)
	case (page.Start != "" || page.Stop != "") && (selected != 1 || !whole):
		return fmt.Errorf("%w: a Page with Start or Stop needs Columns to name one whole family, not %q", ErrInvalid, columns)
	case page.Stop != "" && page.Stop < page.Start:
		return fmt.Errorf("%w: the Page's Stop is before its Start", ErrInvalid)
	}
	return nil
}

// Select validates gets, calls use for each valid Get, and stores errors in results. Successive
// Gets that differ only in Row share one call of selection.
func Select[S any](gets []Get, results []Result, selection func(*Get) (S, error), use func(i int, sel S) error) {
	var sel S
	selected := false
	for i := range gets {
		g, err := &gets[i], error(nil)
		if selected && g.sameButRow(&gets[i-1]) {
			err = checkRow(g.Row) // the other fields were valid in the previous Get
		} else if err = g.Validate(); err == nil {
			sel, err = selection(g)
		}
		if selected = err == nil; selected {
			err = use(i, sel)
		}
		results[i].Err = err
	}
}

func (g *Get) sameButRow(other *Get) bool {
	return g.Table == other.Table && g.Columns == other.Columns && g.Page == other.Page &&
		g.Versions == other.Versions
}
