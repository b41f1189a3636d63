package embedded

import (
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"twibase/hbase"
)

// table is a table that is open. It does not change.
type table struct {
	id         uint32
	definition hbase.Table
	// families are in the order of their names, as their cells are.
	families []family
	// selections remembers what Columns strings mean.
	selections *lru.Cache[string, *selection]
}

type family struct {
	name string
	// keep is how many versions of a cell a read may see.
	keep int
}

// storedTable is a table's entry in the catalog. Splits may hold any bytes, which JSON's strings don't.
type storedTable struct {
	ID       uint32
	Families []hbase.FamilySchema
	Splits   [][]byte
}

func newTable(id uint32, definition hbase.Table) *table {
	t := &table{id: id, definition: definition}
	t.selections, _ = lru.New[string, *selection](maxSelections)
	for _, f := range definition.Families {
		t.families = append(t.families, family{name: f.Name, keep: max(f.Versions, 1)})
	}
	slices.SortFunc(t.families, func(a, b family) int { return strings.Compare(a.name, b.name) })
	return t
}

func (t *table) family(name string) (family, error) {
	for _, f := range t.families {
		if f.name == name {
			return f, nil
		}
	}
	return family{}, fmt.Errorf("%w: table %s has no family %q", hbase.ErrFamilyNotFound, t.definition.Name, name)
}

// table finds a table; the caller is inside enter and leave.
func (s *Store) table(name string) (*table, error) {
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%w: %q", hbase.ErrTableNotFound, name)
}
