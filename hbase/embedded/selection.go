package embedded

import "twibase/hbase"

// selection is what a Columns string means for a table.
type selection struct {
	table uint32
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

// maxSelections bounds how many Columns strings a table remembers. A program has few; a caller that makes them up has many.
const maxSelections = 1000

// selection returns what columns mean.
func (t *table) selection(columns string) (*selection, error) {
	if known, ok := t.selections.Get(columns); ok {
		return known, nil
	}
	list, err := hbase.ParseColumns(columns)
	if err != nil {
		return nil, err
	}
	sel := &selection{table: t.id}
	for _, c := range hbase.ByFamily(list) {
		f, err := t.family(c.Family)
		if err != nil {
			return nil, err
		}
		sel.families = append(sel.families, selectColumns(f, c.Qualifiers))
	}
	if len(list) == 0 {
		for _, f := range t.families {
			sel.families = append(sel.families, selectColumns(f, nil))
		}
	}
	t.selections.Add(columns, sel)
	return sel, nil
}

func selectColumns(f family, qualifiers []string) familySelection {
	fs := familySelection{family: f, key: f.name + "\x00"}
	for _, q := range qualifiers {
		fs.columns = append(fs.columns, column{qualifier: q, key: string(appendEscaped(nil, q))})
	}
	return fs
}
