package tables_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestWhereAMemberBelongs(t *testing.T) {
	l := tables.UserRoles
	sealed := tables.Bucket{Number: 1, Start: "m"}
	announced := []tables.Bucket{{Number: 7, Start: "d", Stop: "g"}, {Number: 8, Start: "g", Stop: "m"}}
	for _, test := range []struct {
		reason   string
		cells    []hbase.Cell
		position string
		want     tables.Place
	}{
		{"a list of one bucket", nil, "a", tables.Place{}},
		{"before what is sealed", []hbase.Cell{l.BucketCell(sealed, 0)}, "a", tables.Place{}},
		{"in what is sealed", []hbase.Cell{l.BucketCell(sealed, 0)}, "m", tables.Place{Covering: 1}},
		{"before what is being cut", []hbase.Cell{l.BucketCell(sealed, 0), l.PendingCell(announced, 0)}, "c", tables.Place{}},
		{"in what is being cut", []hbase.Cell{l.BucketCell(sealed, 0), l.PendingCell(announced, 0)}, "d", tables.Place{Pending: 7}},
		{"further on", []hbase.Cell{l.BucketCell(sealed, 0), l.PendingCell(announced, 0)}, "lz", tables.Place{Pending: 8}},
		{"behind what is being cut", []hbase.Cell{l.BucketCell(sealed, 0), l.PendingCell(announced, 0)}, "n", tables.Place{Covering: 1}},
		{"in what was named and is still announced", []hbase.Cell{l.BucketCell(announced[0], 0), l.BucketCell(announced[1], 0),
			l.BucketCell(sealed, 0), l.PendingCell(announced, 0)}, "d", tables.Place{Covering: 7, Moving: true}},
	} {
		got, err := l.Place("LiLei", test.position, test.cells)
		if err != nil || got != test.want {
			t.Errorf("%s: %v, %v, want %v", test.reason, got, err, test.want)
		}
	}
}

func TestDecodeSkipsMovedMarkers(t *testing.T) {
	l := tables.UserRoles
	a, b, moved := l.Cell("a", 1), l.Cell("c", 1), l.MovedCell("b", 2)
	members, positions, _, err := l.Decode("LiLei", []hbase.Cell{a, moved, b})
	if err != nil || cmp.Diff([]string{"a", "c"}, members) != "" || len(positions) != 2 {
		t.Errorf("a cell that tells of a move is taken for a member: %q %v", members, err)
	}
}
