// Package levelbound bounds the levels of a report by the plan of its operation, as docs/EXPLAIN.md
// says and the IDE draws it.
package levelbound

import (
	"slices"

	"twibase/graph/explain"
	"twibase/graph/report"
)

// Of returns the maximum number of Gets and of rows of a level. Calls of writers have no bound.
func Of(p *explain.Plan, l *report.Level) (gets, rows int64, bounded bool) {
	counted := map[int]bool{}
	for i, r := range p.Reads {
		if !slices.Contains(l.Path, r.Field) ||
			!slices.ContainsFunc(l.Loaders, func(of report.Loader) bool { return of.Name == r.Name }) {
			continue
		}
		bounded = true
		if r.With != nil {
			i = *r.With
		}
		if !counted[i] {
			counted[i], gets, rows = true, gets+p.Reads[i].Gets, rows+p.Reads[i].Rows
		}
	}
	return gets, rows, bounded
}
