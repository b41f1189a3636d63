//go:build linux

package kill

import (
	"slices"
	"sync"
	"time"
)

const shortest = 500 * time.Millisecond

type stream struct {
	mu      sync.Mutex
	last    time.Time
	outages []outage
}

type outage struct{ from, to time.Time }

func (s *stream) succeed() {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.last) > shortest && !s.last.IsZero() {
		s.outages = append(s.outages, outage{s.last, now})
	}
	s.last = now
}

func (s *stream) since(begun time.Time) (all []outage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = slices.Clone(s.outages)
	if now := time.Now(); now.Sub(s.last) > shortest {
		all = append(all, outage{s.last, now})
	}
	all = slices.DeleteFunc(all, func(o outage) bool { return o.to.Before(begun) })
	if len(all) > 0 && all[0].from.Before(begun) {
		all[0].from = begun
	}
	return all
}

type group []*stream

func newGroup(n int) (g group) {
	for range n {
		g = append(g, new(stream))
	}
	return g
}

func (g group) outage(begun time.Time) (total time.Duration, end time.Time) {
	var all []outage
	for _, s := range g {
		all = append(all, s.since(begun)...)
	}
	slices.SortFunc(all, func(a, b outage) int { return a.from.Compare(b.from) })
	end = begun
	for _, o := range all {
		if o.to.After(end) {
			if o.from.Before(end) {
				o.from = end
			}
			total += o.to.Sub(o.from)
			end = o.to
		}
	}
	return total, end
}
