// Package shrink makes random histories smaller that went wrong.
package shrink

import "time"

// History is what happens by chance.
type History[H any] interface {
	// Smaller are those that have less of something.
	Smaller() []H
	// Next is the same with other chances.
	Next() H
}

const (
	// chances is with how many chances a smaller history is tried.
	chances = 40
	// patience is for how long: whoever waits for the test is to see it.
	patience = 2 * time.Minute
)

// Down returns a history that goes wrong, and what became of it: as small as can be found from one that did within two minutes. Run makes one happen,
// and reports whether it goes wrong.
func Down[H History[H], R any](h H, became R, run func(H) (R, bool)) (H, R) {
	begun := time.Now()
	for again := true; again; {
		again = false
	smaller:
		for _, s := range h.Smaller() {
			for range chances {
				if time.Since(begun) > patience {
					return h, became
				}
				if r, wrong := run(s); wrong {
					h, became, again = s, r, true
					break smaller
				}
				s = s.Next()
			}
		}
	}
	return h, became
}
