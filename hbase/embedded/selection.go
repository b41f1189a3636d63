package embedded

import (
	"slices"

	"twibase/hbase"
)

// selection is what a Columns string means for a table.
type selection struct {
	// number tells it from the table's others that are remembered; 0 is one that is not.
	number uint32
	// families are in the order of their names.
	families []familySelection
}

type familySelection struct {
	family
	// key is the family's part of a key.
	key string
	// columns are the ones selected, in their order; none means all.
	columns []column
}

// column is a qualifier, also as the part of a key.
type column struct{ qualifier, key string }

// maxRemembered bounds how many Columns strings a table remembers. A program has few; a caller that makes them up has many.
const maxRemembered = 1000

// selection returns what columns mean.
func (t *table) selection(columns string) (*selection, error) {
	if known, ok := t.selections.Load(columns); ok {
		return known.(*selection), nil
	}
	list, err := hbase.ParseColumns(columns)
	if err != nil {
		return nil, err
	}
	sel, err := t.compile(list)
	if err != nil {
		return nil, err
	}
	if number := t.remembered.Add(1); number <= maxRemembered {
		sel.number = uint32(number)
		t.selections.Store(columns, sel)
	}
	return sel, nil
}

func (t *table) compile(list []hbase.Column) (*selection, error) {
	for _, c := range list {
		if _, err := t.family(c.Family); err != nil {
			return nil, err
		}
	}
	var sel selection
	for _, f := range t.families {
		qualifiers, selected := columnsOf(f.name, list)
		if selected {
			sel.families = append(sel.families, selectColumns(f, qualifiers))
		}
	}
	return &sel, nil
}

func selectColumns(f family, qualifiers []string) familySelection {
	fs := familySelection{family: f, key: f.name + "\x00"}
	for _, q := range qualifiers {
		fs.columns = append(fs.columns, column{qualifier: q, key: string(appendEscaped(nil, q))})
	}
	return fs
}

// columnsOf returns what list selects of a family: nothing, all (no qualifiers), or some columns.
func columnsOf(family string, list []hbase.Column) (qualifiers []string, selected bool) {
	if len(list) == 0 {
		return nil, true
	}
	for _, c := range list {
		switch {
		case c.Family != family:
		case c.Whole:
			return nil, true
		default:
			selected = true
			qualifiers = append(qualifiers, c.Qualifier)
		}
	}
	slices.Sort(qualifiers)
	return slices.Compact(qualifiers), selected
}
