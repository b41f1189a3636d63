package transfer

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
)

func violations(t testing.TB, store hbase.Store) (lines []string) {
	t.Helper()
	err := check.All(t.Context(), store, func(v check.Violation) { lines = append(lines, v.String()) })
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestImportHasNoViolations(t *testing.T) {
	for _, bound := range []int{0, 10, 2} {
		t.Run(fmt.Sprint("bound ", bound), func(t *testing.T) {
			d, store := longLists(t), openStore(t)
			load(t, store, d.files(), Options{ListBound: bound})
			if lines := violations(t, store); len(lines) > 0 {
				t.Errorf("got %d violations, the first: %s", len(lines), lines[0])
			}
		})
	}
}

func derived(table, family string) bool {
	l := tables.ListOf(table, family)
	return l != nil && l != &tables.Twits.AnyList && l != &tables.Comments.AnyList ||
		table == tables.GameDays.Table && family == tables.GameDays.Get("", "", "").Columns
}

func TestDamageOfDerivedDataIsRepaired(t *testing.T) {
	r := seeded(t)
	d, store := longListsBy(r), openStore(t)
	load(t, store, d.files(), Options{ListBound: 10})
	values := func() (lines []string) {
		for _, table := range tables.Definitions(1) {
			for row, err := range store.Scan(t.Context(), hbase.Scan{Table: table.Name}) {
				if err != nil {
					t.Fatal(err)
				}
				if row.Key == tables.Imports.Get().Row {
					continue // of repairs
				}
				for _, c := range row.Cells {
					lines = append(lines, fmt.Sprintf("%s %q %s:%q %q", table.Name, row.Key, c.Family, c.Qualifier, c.Value))
				}
			}
		}
		return lines
	}
	before := values()
	var damage []hbase.Mutation
	for _, table := range tables.Definitions(1) {
		var last *hbase.Cell
		for row, err := range store.Scan(t.Context(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range row.Cells {
				if !derived(table.Name, c.Family) || r.IntN(20) > 0 || c.Qualifier >= tables.MembersEnd {
					continue
				}
				switch r.IntN(2) {
				case 0:
					c.Timestamp += int64(r.IntN(1000))
					damage = append(damage, hbase.DeleteCells(table.Name, row.Key, c))
				case 1:
					if last != nil && last.Family == c.Family {
						damage = append(damage, hbase.Put{Table: table.Name, Row: row.Key, Cells: []hbase.Cell{*last}})
					}
				}
				last = &c
			}
		}
	}
	if errs, err := store.Mutate(t.Context(), damage); errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	if lines := violations(t, store); len(lines) < len(damage)/2 {
		t.Errorf("got %d violations of %d damaged cells", len(lines), len(damage))
	}
	result, err := check.Checker{Store: store}.RepairAll(t.Context())
	t.Logf("%d damages: %+v", len(damage), result)
	if err != nil || result.Left > 0 {
		t.Fatal(result, err)
	}
	if diff := cmp.Diff(before, values()); diff != "" {
		t.Errorf("(-before +repaired):\n%s", diff)
	}
}

// The twits in an unnamed bucket have no other copy.
func TestRepairRestoresBucketsWithoutADirectory(t *testing.T) {
	r := seeded(t)
	d, store := longListsBy(r), openStore(t)
	load(t, store, d.files(), Options{ListBound: 10})
	read := func() (lines []string) { // restored members are younger
		for _, line := range readLists(t, store, d, tables.ListBound) {
			lines = append(lines, regexp.MustCompile(`@\d+`).ReplaceAllString(line, ""))
		}
		slices.Sort(lines)
		return lines
	}
	want := read()
	var damage []hbase.Mutation
	for _, table := range tables.Definitions(1) {
		for row, err := range store.Scan(t.Context(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range row.Cells {
				if c.Qualifier >= tables.MembersEnd && r.IntN(3) == 0 {
					damage = append(damage, hbase.DeleteCells(table.Name, row.Key, c))
				}
			}
		}
	}
	if errs, err := store.Mutate(t.Context(), damage); errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	result, err := check.Checker{Store: store}.RepairAll(t.Context())
	t.Logf("%d damages: %+v", len(damage), result)
	if err != nil || result.Left > 0 || len(damage) == 0 {
		t.Fatal(result, err)
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("(-before +repaired):\n%s", diff)
	}
}
