package check

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

const liveRuns = 3

type repeated struct {
	Violation
	changed bool // its values differed between two runs
}

// RunLive checks a store that gateways write to, and writes nothing.
//
// A single run also reports operations in progress, and columns that were written between two
// compared reads. So RunLive makes three runs, with pauses of Grace. It reports violations that
// each run has found with the same values, and returns those with changing values, which may be
// correct.
func (c Checker) RunLive(ctx context.Context) (changing []Violation, err error) {
	report := c.Report
	var all map[column]repeated
	for n := range liveRuns {
		if n > 0 {
			select {
			case <-time.After(c.Grace):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		found := map[column]repeated{}
		c.Report = func(v Violation) {
			before, known := all[v.at()]
			if n == 0 || known {
				changed := known && (before.changed || before.Stored != v.Stored || before.Expected != v.Expected)
				found[v.at()] = repeated{v, changed}
			}
		}
		if err := c.run(ctx, false); err != nil {
			return nil, err
		}
		if all = found; len(all) == 0 {
			return nil, nil
		}
	}
	for _, v := range slices.SortedFunc(maps.Values(all), func(a, b repeated) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	}) {
		if v.changed {
			changing = append(changing, v.Violation)
		} else if report != nil {
			report(v.Violation)
		}
	}
	return changing, nil
}
