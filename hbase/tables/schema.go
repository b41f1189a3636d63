package tables

import (
	"encoding/binary"
	"slices"
	"strings"

	"twibase/hbase"
)

// Definitions returns all tables by name, each pre-split into so many regions, at least 1.
func Definitions(regions int) []hbase.Table {
	var splits []string
	for i := 1; i < regions; i++ {
		splits = append(splits, string(binary.BigEndian.AppendUint16(nil, uint16(i*0x10000/regions))))
	}
	var all []hbase.Table
	for _, s := range storage() {
		i := slices.IndexFunc(all, func(t hbase.Table) bool { return t.Name == s.table })
		if i < 0 {
			i, all = len(all), append(all, hbase.Table{Name: s.table, Splits: splits})
		}
		all[i].Families = append(all[i].Families, family(s.family))
	}
	slices.SortFunc(all, func(a, b hbase.Table) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// original are the tables of the first version of twibase. A store that lacks one of them has lost data. All other tables
// were added by later versions.
var original = []string{
	"accounts", "albums", "assignments", "broadcasters", "commenters", "comments", "cuts", "departments", "errands",
	"following", "follows", "games", "intents", "plays", "roles", "timelines", "twit_ids", "user_comments", "user_games",
	"user_roles", "users",
}

// Original reports whether every store has the table, whichever version of twibase wrote it.
func Original(table string) bool { return slices.Contains(original, table) }

// family returns how every family is made. ROW_INDEX_V1 makes a Get much cheaper for a region server than the default of
// HBase's clients: see docs/TABLES.md.
func family(name string) hbase.FamilySchema {
	return hbase.FamilySchema{Name: name, Versions: 1, Encoding: "ROW_INDEX_V1", Bloom: "ROW"}
}
