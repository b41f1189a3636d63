package budget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"twibase/graph/explain"
)

type figure struct {
	name string
	of   func(explain.Totals) int64
}

func (f figure) heading() string {
	if f.name == "rpcs" {
		return "RPCs"
	}
	return f.name
}

var figures = []figure{
	{"rounds", func(t explain.Totals) int64 { return t.Rounds }},
	{"rpcs", func(t explain.Totals) int64 { return t.RPCs }},
	{"rows", func(t explain.Totals) int64 { return t.Rows }},
	{"objects", func(t explain.Totals) int64 { return t.Objects }},
	{"gets", func(t explain.Totals) int64 { return t.Gets }},
	{"scans", func(t explain.Totals) int64 { return t.Scans }},
}

// shown is the number of figures in a table. Without maximums, only the first `compared` (rounds,
// RPCs and rows) are compared with the baseline.
const shown, compared = 4, 3

// Maximums are the largest permitted figures of an operation, by name.
type Maximums map[string]int64

// Check rejects an unknown figure or a negative maximum.
func (m Maximums) Check() error {
	for name, most := range m {
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.name == name }) {
			var names []string
			for _, f := range figures {
				names = append(names, f.name)
			}
			return fmt.Errorf("there is no figure %q; there are %s", name, strings.Join(names, ", "))
		}
		if most < 0 {
			return fmt.Errorf("the maximum of %s can't be %d", name, most)
		}
	}
	return nil
}

// Report compares operations with a baseline and maximums.
type Report struct {
	Operations []Entry     `json:"operations"`
	Removed    []Operation `json:"-"`
	compares   bool
}

// Entry is an operation, compared with the baseline.
type Entry struct {
	Operation
	Exceeds []Excess   `json:"exceeds,omitempty"`
	was     *Operation // nil if the baseline lacks it
}

// Excess is a figure that is larger than allowed.
type Excess struct {
	Name  string `json:"figure"`
	Bound int64  `json:"bound"`
	Most  int64  `json:"most"`
	figure
}

// Failed reports whether the operation is rejected or costs more than allowed.
func (e *Entry) Failed() bool { return len(e.Rejected)+len(e.Exceeds) > 0 }

// Compare returns a report. It applies the baseline and the maximums as docs/DOCUMENTS.md
// describes.
func Compare(operations, baseline []Operation, maximums Maximums) *Report {
	r := &Report{Operations: []Entry{}, compares: baseline != nil}
	before := map[string][]*Operation{}
	for i := range baseline {
		before[key(&baseline[i])] = append(before[key(&baseline[i])], &baseline[i])
	}
	present := map[string]bool{}
	for _, o := range operations {
		present[key(&o)] = true
		e := Entry{Operation: o, was: previous(&o, before[key(&o)])}
		e.Exceeds = e.excess(maximums)
		r.Operations = append(r.Operations, e)
	}
	for _, o := range baseline {
		if !present[key(&o)] {
			r.Removed = append(r.Removed, o)
		}
	}
	return r
}

// key is equal for all versions of a named operation. Without a name, it is the document's hash.
func key(o *Operation) string {
	if o.Name == "" {
		return o.Hash
	}
	return o.Kind + " " + o.Name
}

// previous returns the version with the same document, or else the costliest of those deployed.
func previous(o *Operation, versions []*Operation) *Operation {
	if len(versions) == 0 {
		return nil
	}
	for _, v := range versions {
		if v.Hash == o.Hash {
			return v
		}
	}
	return slices.MaxFunc(versions, func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.RPCs, b.RPCs), cmp.Compare(a.Rounds, b.Rounds),
			strings.Compare(b.Hash, a.Hash))
	})
}

func (e *Entry) excess(maximums Maximums) (all []Excess) {
	for i, f := range figures {
		most, bounded := maximums[f.name]
		if e.was != nil && (bounded || len(maximums) == 0 && i < compared) {
			most, bounded = max(most, f.of(e.was.Totals)), true
		}
		if bound := f.of(e.Totals); bounded && bound > most {
			all = append(all, Excess{f.name, bound, most, f})
		}
	}
	return all
}
