package tables_test

import (
	"testing"

	"twibase/hbase/tables"
)

func TestDefinitionsSplitIntoRegions(t *testing.T) {
	for _, regions := range []int{0, 1, 2, 3, 7, 256, 1000, 1 << 16} {
		for _, table := range tables.Definitions(regions) {
			if got := len(table.Splits) + 1; got != max(regions, 1) {
				t.Errorf("%s: got %d regions, want %d", table.Name, got, max(regions, 1))
			}
			if err := table.Validate(); err != nil {
				t.Errorf("%d regions: %v", regions, err)
			}
			if regions > 1000 {
				break // splits by letter allow 26³ regions
			}
		}
	}
}

func TestReadsUseDefinedFamilies(t *testing.T) {
	families := map[string]bool{}
	for _, table := range tables.Definitions(1) {
		for _, f := range table.Families {
			families[table.Name+" "+f.Name] = true
		}
		if len(table.Families) > 3 {
			t.Errorf("%s has %d families, want at most 3: more are slow to flush", table.Name, len(table.Families))
		}
	}
	for _, l := range lists {
		if get := l.directory(l.owner, "", 1); !families[get.Table+" "+get.Columns] {
			t.Errorf("%s reads the undefined family %s of table %s", l.name, get.Columns, get.Table)
		}
		if l.length != nil && !families[l.length(l.owner).Table+" "+tables.Attributes] {
			t.Errorf("%s counts in table %s, which has no attributes", l.name, l.length(l.owner).Table)
		}
	}
	withAttributes := []string{tables.TwitNames.Table, tables.Comments.Table, tables.Accounts.Table}
	for _, o := range tables.Objects() {
		withAttributes = append(withAttributes, o.Table)
	}
	for _, r := range tables.Relations() {
		withAttributes = append(withAttributes, r.Table)
	}
	for _, table := range withAttributes {
		if !families[table+" "+tables.Attributes] {
			t.Errorf("table %s has no attributes", table)
		}
	}
}

func TestRowsSpreadOverRegions(t *testing.T) {
	const regions, rows = 16, 16_000
	splits := tables.Definitions(regions)[0].Splits
	var of [regions]int
	for i := range rows {
		row := tables.RowKey("u" + string(rune('a'+i%26)) + string(rune('0'+i/26%10)) + string(rune(0x4e00+i)))
		of[count(splits, func(split string) bool { return split <= row })]++
	}
	for region, n := range of {
		if n < rows/regions/2 || n > rows/regions*2 {
			t.Errorf("region %d has %d of %d rows", region, n, rows)
		}
	}
}
