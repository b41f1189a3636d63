package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// claim says by how much less time, and CPU time, the tall table takes than the wide one to answer the first question: the source says
// half as much or less.
func claim(_ context.Context, results []result) (string, error) {
	var b strings.Builder
	b.WriteString("What the tall table saves of the wide one's cost, for \"has X played Y?\":\n\n| | days of all users |")
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
		for _, by := range []struct {
			name string
			of   func(*cost) time.Duration
		}{
			{"time", func(c *cost) time.Duration { return c.time }},
			{"CPU", func(c *cost) time.Duration { return c.own + c.servers }},
		} {
			for _, scale := range scales {
				fmt.Fprintf(&b, "| %s, %s | %d |", r.engine.name(), by.name, scale)
				for _, days := range userDays {
					at := slices.IndexFunc(r.measured, func(m measured) bool { return m.scale == scale && m.size == days })
					wide, tall := r.measured[at].costs[0], r.measured[at].costs[1]
					fmt.Fprintf(&b, " %.0f %% |", 100-100*float64(by.of(tall))/float64(by.of(wide)))
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String() + "\n", nil
}
