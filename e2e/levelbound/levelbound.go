// Package levelbound bounds the levels of a report by the operation's plan, as in docs/EXPLAIN.md
// and the IDE.
package levelbound

import (
	"slices"

	"twibase/graph/explain"
	"twibase/graph/report"
)

// Of returns a level's bounds. Calls of writers are unbounded.
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
