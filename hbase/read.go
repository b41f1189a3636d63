package hbase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Get names what to read of one row. It is comparable, so that equal reads can be merged.
type Get struct {
	Table string
	Row   string

	// Columns selects families and columns, as in "i:name i:email f": a family, or a family and a qualifier, separated by
	// blanks. Empty means every family. Qualifiers with other bytes than letters, digits, '_' and '-' are read with a Page.
	Columns string

	// Page narrows and limits the selected columns.
	Page Page

	// Versions is how many versions of each cell to read, newest first; 0 means 1. A family keeps no more than its own
	// VERSIONS. Not with a Page.
	Versions int

	// Time takes only versions of that range, before Versions counts them.
	Time TimeRange
}

// Page is a range of columns inside a row. The zero value is all of them.
type Page struct {
	// Start is the first qualifier of the page, Stop the first behind it; an empty Stop is the end of the family. A page
	// with either needs Columns to select exactly one whole family.
	Start, Stop string
	// Limit is the greatest number of columns to return of each family; 0 means no limit.
	Limit int
}

// After returns the page of at most limit columns that follow qualifier.
func After(qualifier string, limit int) Page { return Page{Start: Next(qualifier), Limit: limit} }

// Exactly returns the page that holds one column alone.
func Exactly(qualifier string) Page { return Page{Start: qualifier, Stop: Next(qualifier)} }

// Next returns the least row key or qualifier that is greater than key.
func Next(key string) string { return key + "\x00" }

// PrefixEnd returns the least row key or qualifier greater than every one that starts with prefix. It is empty, which means no end,
// if there is none.
func PrefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}

// TimeRange is the milliseconds [From, To). A To of 0 is no upper end.
type TimeRange struct{ From, To int64 }

// Contains reports whether the range holds the timestamp.
func (t TimeRange) Contains(timestamp int64) bool {
	return timestamp >= t.From && (t.To == 0 || timestamp < t.To)
}

// Result is the answer to one Get. Its cells are in HBase's order: family, qualifier, newest first. Other callers may share them: they must not
// be changed.
type Result struct {
	Cells []Cell
	Err   error
}

// Cell is one version of one column.
type Cell struct {
	Family    string
	Qualifier string
	// Timestamp is in milliseconds since 1970. In a Put, 0 means the store's present.
	Timestamp int64
	Value     []byte
	// Memo is nil unless the engine keeps the cell in memory. A Put ignores it.
	Memo *Memo
}

// Row is a row key and the cells that were selected of it, at least one.
type Row struct {
	Key   string
	Cells []Cell
}

// Scan names a range of rows, from Start on up to, and without, Stop. An empty Start is the table's first row, an empty Stop its end.
// Reversed runs from Start, an upper bound that is included, down to and without Stop; the columns inside a row keep
// their ascending order.
type Scan struct {
	Table       string
	Start, Stop string
	Reversed    bool
	Columns     string
	Page        Page
	Versions    int
	Time        TimeRange
	// Limit ends the scan after so many rows; 0 means no limit.
	Limit int
	// PageSize is how many rows an RPC brings; 0 lets the engine choose.
	PageSize int
}

// Empty reports whether no row key can be in the range. Such a scan is not sent: HBase takes a range whose bounds are equal for that one row.
func (s Scan) Empty() bool {
	if s.Reversed {
		return s.Start != "" && s.Start <= s.Stop
	}
	return s.Stop != "" && s.Start >= s.Stop
}

// Column is one selected family or column.
type Column struct {
	Family string
	// Qualifier is ignored if Whole is true.
	Qualifier string
	Whole     bool
}

// ParseColumns parses [Get.Columns] and keeps their order. It returns [ErrInvalid] if they are malformed.
func ParseColumns(columns string) ([]Column, error) {
	var list []Column
	err := eachColumn(columns, func(c Column) { list = append(list, c) })
	if err != nil {
		return nil, err
	}
	return list, nil
}

// FamilyColumns is what is selected of a family: columns in ascending order, or all of them if Qualifiers is empty.
type FamilyColumns struct {
	Family     string
	Qualifiers []string
}

// ByFamily gathers columns by family, in the order of the families' names. A whole family includes columns of it that are named besides.
func ByFamily(columns []Column) []FamilyColumns {
	columns = slices.Clone(columns)
	slices.SortFunc(columns, func(a, b Column) int { // a whole family has no qualifier, and comes first
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
			return fmt.Errorf("%w: column %q: write family or family:qualifier", ErrInvalid, spec)
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

// Validate returns [ErrInvalid] and the reason if no store can serve the Get.
func (g Get) Validate() error {
	if err := checkRow(g.Row); err != nil {
		return err
	}
	return validateSelection(g.Columns, g.Page, g.Versions, g.Time)
}

// Validate returns [ErrInvalid] and the reason if no store can serve the Scan.
func (s Scan) Validate() error {
	if s.Limit < 0 || s.PageSize < 0 {
		return fmt.Errorf("%w: a scan's Limit and PageSize can't be negative", ErrInvalid)
	}
	return validateSelection(s.Columns, s.Page, s.Versions, s.Time)
}

func validateSelection(columns string, page Page, versions int, time TimeRange) error {
	selected, whole := 0, true
	err := eachColumn(columns, func(c Column) { selected, whole = selected+1, whole && c.Whole })
	switch {
	case err != nil:
		return err
	case page.Limit < 0 || versions < 0:
		return fmt.Errorf("%w: Limit and Versions can't be negative", ErrInvalid)
	case page != Page{} && versions > 1:
		return fmt.Errorf("%w: a Page holds one version of each column", ErrInvalid)
	case (page.Start != "" || page.Stop != "") && (selected != 1 || !whole):
		return fmt.Errorf("%w: a Page with Start or Stop needs Columns to name one whole family, not %q", ErrInvalid, columns)
	case page.Stop != "" && page.Stop < page.Start:
		return fmt.Errorf("%w: the Page's Stop is before its Start", ErrInvalid)
	case time.From < 0 || time.To != 0 && time.To < time.From:
		return fmt.Errorf("%w: TimeRange [%d, %d) is no range", ErrInvalid, time.From, time.To)
	}
	return nil
}

// Select calls selection for each Get, and use with the result. Successive Gets that differ in their rows only share one
// call of selection. The errors of Gets are stored in results.
func Select[S any](gets []Get, results []Result, selection func(*Get) (S, error), use func(i int, sel S) error) {
	var sel S
	selected := false // for the previous Get
	for i := range gets {
		g, err := &gets[i], error(nil)
		if selected && g.sameButRow(&gets[i-1]) {
			err = checkRow(g.Row) // the rest was valid
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
		g.Versions == other.Versions && g.Time == other.Time
}
