package tables_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestBucketsAtAPosition(t *testing.T) {
	l := tables.UserRoles
	named := tables.Bucket{Number: 1, Start: "m"}
	pending := []tables.Bucket{{Number: 7, Start: "d", Stop: "g"}, {Number: 8, Start: "g", Stop: "m"}}
	splitting := []hbase.Cell{l.BucketCell(named, 0), l.PendingCell(pending, 0)}
	for _, test := range []struct {
		reason   string
		cells    []hbase.Cell
		position string
		want     tables.BucketsAt
	}{
		{"a list of one bucket", nil, "a", tables.BucketsAt{}},
		{"before a named bucket", []hbase.Cell{l.BucketCell(named, 0)}, "a", tables.BucketsAt{}},
		{"in a named bucket", []hbase.Cell{l.BucketCell(named, 0)}, "m", tables.BucketsAt{Covering: 1}},
		{"before the pending buckets", splitting, "c", tables.BucketsAt{}},
		{"in a pending bucket", splitting, "d", tables.BucketsAt{Pending: 7}},
		{"in the next pending bucket", splitting, "lz", tables.BucketsAt{Pending: 8}},
		{"after the pending buckets", splitting, "n", tables.BucketsAt{Covering: 1}},
		{"in a bucket that is named and still pending", []hbase.Cell{l.BucketCell(pending[0], 0), l.BucketCell(pending[1], 0),
			l.BucketCell(named, 0), l.PendingCell(pending, 0)}, "d", tables.BucketsAt{Covering: 7, Moving: true}},
	} {
		got, err := l.DecodeBucketsAt("LiLei", test.position, test.cells)
		if err != nil || got != test.want {
			t.Errorf("%s: got %v, error %v, want %v", test.reason, got, err, test.want)
		}
	}
}

func TestDecodeSkipsMovedMarkers(t *testing.T) {
	l := tables.UserRoles
	a, b, moved := l.Cell("a", 1), l.Cell("c", 1), l.MovedCell("b", 2)
	members, positions, err := l.Decode("LiLei", []hbase.Cell{a, moved, b})
	if err != nil || cmp.Diff([]string{"a", "c"}, members) != "" || len(positions) != 2 {
		t.Errorf("got members %q, error %v, want a and c", members, err)
	}
}
