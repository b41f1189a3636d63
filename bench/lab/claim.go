package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// claim returns a table of the time that the tall table saves of the wide one's, for the first question. The source claims
// that it is half or more.
func claim(_ context.Context, results []result) (string, error) {
	var b strings.Builder
	b.WriteString("What the tall table saves of the wide one's time, for \"has X played Y?\":\n\n| | days of all users |")
	for _, days := range userDays {
		fmt.Fprintf(&b, " X has %d |", days)
	}
	fmt.Fprintf(&b, "\n| --- | ---: |%s\n", strings.Repeat(" ---: |", len(userDays)))
	for _, r := range results {
		var scales []int
		for _, m := range r.measured {
			scales = append(scales, m.scale)
		}
		scales = slices.Compact(scales)
		for _, scale := range scales {
			fmt.Fprintf(&b, "| %s | %d |", r.engine.name(), scale)
			for _, days := range userDays {
				at := slices.IndexFunc(r.measured, func(m measured) bool { return m.scale == scale && m.size == days })
				wide, tall := r.measured[at].costs[0], r.measured[at].costs[1]
				fmt.Fprintf(&b, " %.0f %% |", 100-100*float64(tall.time)/float64(wide.time))
			}
			b.WriteByte('\n')
		}
	}
	return b.String() + "\n", nil
}
