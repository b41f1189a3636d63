package embedded

import (
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"twibase/hbase"
)

// table is immutable, except for the cache selections.
type table struct {
	id         uint32
	name       string
	families   []family
	selections *lru.Cache[string, *selection]
}

type family struct {
	name     string
	versions int
	ttl      int64 // ms
}

// storedTable is JSON in the catalog.
type storedTable struct {
	ID       uint32
	Families []hbase.FamilySchema
}

func newTable(id uint32, name string, families []hbase.FamilySchema) *table {
	t := &table{id: id, name: name}
	t.selections, _ = lru.New[string, *selection](hbase.MaxCachedColumns)
	for _, f := range families {
		t.families = append(t.families, family{name: f.Name, versions: max(f.Versions, 1), ttl: f.TTL.Milliseconds()})
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
	return family{}, fmt.Errorf("%w: table %s has no family %q", hbase.ErrFamilyNotFound, t.name, name)
}

// table must be called between enter and leave.
func (s *Store) table(name string) (*table, error) {
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%w: %q", hbase.ErrTableNotFound, name)
}

// selection is a parsed [hbase.Get.Columns].
type selection struct {
	table    uint32
	families []familySelection
	expires  bool
}

type familySelection struct {
	family
	key string
	// columns is empty if all columns are selected.
	columns []column
}

type column struct{ qualifier, key string }

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
	sel.expires = slices.ContainsFunc(sel.families, func(f familySelection) bool { return f.ttl > 0 })
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
