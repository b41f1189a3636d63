// Package shrink reduces random histories that fail to smaller ones.
package shrink

import "time"

// History is a random test case.
type History[H any] interface {
	// Smaller returns histories with less of something.
	Smaller() []H
	// Next returns a history of the same size with another seed.
	Next() H
}

const (
	// seeds is the number of seeds that are tried for a smaller history.
	seeds = 40
	// timeout limits the time until the test reports.
	timeout = 2 * time.Minute
)

// Down returns a small history that fails, and its result. run executes a history and reports
// whether it fails; h has failed with the given result.
func Down[H History[H], R any](h H, result R, run func(H) (R, bool)) (H, R) {
	begun := time.Now()
	for again := true; again; {
		again = false
	smaller:
		for _, s := range h.Smaller() {
			for range seeds {
				if time.Since(begun) > timeout {
					return h, result
				}
				if r, failed := run(s); failed {
					h, result, again = s, r, true
					break smaller
				}
				s = s.Next()
			}
		}
	}
	return h, result
}
