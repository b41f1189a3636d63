package e2e

import (
	"fmt"
	"slices"
	"strings"

	"twibase/graph/explain"
	costs "twibase/graph/report"
)

// levelBound returns the maximum number of Gets and of rows of a level, by the reads of the plan that
// have its fields and loaders. The reads of writers have no bound. The IDE draws it: see
// graph/playground/ide/bounds.js.
func levelBound(p *explain.Plan, l *costs.Level) (gets, rows int64, bounded bool) {
	counted := map[int]bool{}
	for i, r := range p.Reads {
		if !slices.Contains(l.Path, r.Field) ||
			!slices.ContainsFunc(l.Loaders, func(of costs.Loader) bool { return of.Name == r.Name }) {
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

// exceededLevel describes the first level of a report that exceeds its bound; empty if there is none.
func exceededLevel(p *explain.Plan, r *costs.Report) (violation string) {
	for i := range r.Levels {
		l := &r.Levels[i]
		gets, rows, bounded := levelBound(p, l)
		if !bounded && len(l.Loaders) == 1 && strings.Contains(l.Loaders[0].Name, ": ") {
			continue
		}
		if !bounded || l.Gets > gets || l.Rows > rows {
			return fmt.Sprintf("level %d has %d Gets and %d rows; bounded: %t, by %d and %d: %+v",
				i+1, l.Gets, l.Rows, bounded, gets, rows, *l)
		}
	}
	return ""
}
