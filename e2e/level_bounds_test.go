package e2e

import (
	"fmt"
	"strings"

	"twibase/e2e/levelbound"
	"twibase/graph/explain"
	costs "twibase/graph/report"
)

func exceededLevel(p *explain.Plan, r *costs.Report) (violation string) {
	for i := range r.Levels {
		l := &r.Levels[i]
		gets, rows, bounded := levelbound.Of(p, l)
		if !bounded && len(l.Loaders) == 1 && strings.Contains(l.Loaders[0].Name, ": ") {
			continue // a writer
		}
		if !bounded || l.Gets > gets || l.Rows > rows {
			return fmt.Sprintf("level %d has %d Gets and %d rows; bounded: %t, by %d and %d: %+v",
				i+1, l.Gets, l.Rows, bounded, gets, rows, *l)
		}
	}
	return ""
}
