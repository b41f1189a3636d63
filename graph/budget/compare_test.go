package budget

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/explain"
)

func op(name, hash string, rounds, rpcs, rows int64) Operation {
	return Operation{Name: name, Kind: "query", Hash: hash, File: hash + ".graphql",
		Totals: explain.Totals{Rounds: rounds, RPCs: rpcs, Gets: rows, Rows: rows, Objects: rows, Resolved: rows},
		Fields: []explain.Item{{Path: "f", Round: rounds, Rows: rows, Objects: rows}}}
}

func TestCompareReportsExceededFigures(t *testing.T) {
	for _, test := range []struct {
		name          string
		now, baseline []Operation
		maximums      Maximums
		want          string
	}{
		{"no baseline, no maximum", []Operation{op("A", "1", 9, 9, 9)}, nil, nil, ""},
		{"a maximum that is met", []Operation{op("A", "1", 9, 9, 9)}, nil, Maximums{"rows": 9, "objects": 9}, ""},
		{"maximums that are exceeded", []Operation{op("A", "1", 9, 9, 9)}, nil, Maximums{"rows": 8, "gets": 7, "rounds": 0},
			"A rounds≤0 rows≤8 gets≤7"},
		{"the same cost", []Operation{op("A", "1", 2, 3, 4)}, []Operation{op("A", "1", 2, 3, 4)}, nil, ""},
		{"less", []Operation{op("A", "1", 1, 2, 3)}, []Operation{op("A", "1", 2, 3, 4)}, nil, ""},
		{"more of each", []Operation{op("A", "2", 3, 4, 5)}, []Operation{op("A", "1", 2, 3, 4)}, nil, "A rounds≤2 rpcs≤3 rows≤4"},
		{"an empty baseline", []Operation{op("A", "1", 9, 9, 9)}, []Operation{}, nil, ""},
		{"a new operation", []Operation{op("B", "2", 9, 9, 9)}, []Operation{op("A", "1", 2, 3, 4)}, nil, ""},
		{"a new operation above a maximum", []Operation{op("B", "2", 9, 9, 9)}, []Operation{op("A", "1", 2, 3, 4)},
			Maximums{"rows": 8}, "B rows≤8"},
		{"more, and below the maximum", []Operation{op("A", "2", 3, 4, 5)}, []Operation{op("A", "1", 2, 3, 4)}, Maximums{"rows": 5}, ""},
		{"more, above the maximum", []Operation{op("A", "2", 3, 4, 6)}, []Operation{op("A", "1", 2, 3, 4)}, Maximums{"rows": 5}, "A rows≤5"},
		{"as before, above the maximum", []Operation{op("A", "2", 3, 4, 6)}, []Operation{op("A", "1", 2, 3, 6)}, Maximums{"rows": 5}, ""},
		{"more than before, above the maximum", []Operation{op("A", "2", 3, 4, 7)}, []Operation{op("A", "1", 2, 3, 6)},
			Maximums{"rows": 5}, "A rows≤6"},
		{"a version next to a costlier one", []Operation{op("A", "1", 2, 3, 4), op("A", "2", 2, 3, 9), op("A", "3", 2, 3, 7)},
			[]Operation{op("A", "1", 2, 3, 4), op("A", "2", 2, 3, 9)}, nil, ""},
		{"a version that costs more than all before", []Operation{op("A", "3", 2, 3, 10)},
			[]Operation{op("A", "1", 2, 3, 4), op("A", "2", 2, 3, 9)}, nil, "A rows≤9"},
		{"the same document costs more in a new schema", []Operation{op("A", "1", 2, 3, 5)},
			[]Operation{op("A", "1", 2, 3, 4), op("A", "2", 2, 3, 9)}, nil, "A rows≤4"},
		{"documents without a name are compared by hash", []Operation{op("", "1", 2, 3, 5), op("", "2", 2, 3, 9)},
			[]Operation{op("", "1", 2, 3, 4)}, nil, " rows≤4"},
		{"a mutation with the name of a query",
			[]Operation{{Name: "A", Kind: "mutation", Hash: "2", Totals: explain.Totals{Rows: 9}}},
			[]Operation{op("A", "1", 2, 3, 4)}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, e := range Compare(test.now, test.baseline, test.maximums).Operations {
				if len(e.Exceeds) == 0 {
					continue
				}
				text := e.Name
				for _, x := range e.Exceeds {
					text += " " + x.Name + "≤" + group(x.Most)
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidMaximumsAreRejected(t *testing.T) {
	for _, test := range []struct {
		maximums Maximums
		want     string
	}{
		{Maximums{"rows": 0, "rpcs": 5}, ""},
		{Maximums{"row": 5}, `there is no figure "row"; there are rounds, rpcs, rows, objects, gets, scans`},
		{Maximums{"rows": -1}, "the maximum of rows can't be -1"},
	} {
		got := ""
		if err := test.maximums.Check(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%v: the error is %q, want %q", test.maximums, got, test.want)
		}
	}
}
