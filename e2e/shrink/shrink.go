// Package shrink reduces random histories that fail to smaller ones.
package shrink

import "time"

type History[H any] interface {
	Smaller() []H
	// Next has the same size and another seed.
	Next() H
}

const (
	seeds   = 40
	timeout = 2 * time.Minute
)

// Down returns a small failing history and its result. h has failed with result.
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
