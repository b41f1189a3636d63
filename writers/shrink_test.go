package writers

import (
	"math/rand/v2"
	"slices"
)

// callAt is a call: whose it is, and the how many-th of that client.
type callAt struct{ client, call int }

// left are the calls of a client that are not left out.
func (h history) left(client int, calls []call) (left []call) {
	for i, c := range calls {
		if !slices.Contains(h.without, callAt{client, i}) {
			left = append(left, c)
		}
	}
	return left
}

// chance is what the order of the answers, and what goes wrong, depends on.
func (h history) chance() *rand.Rand { return rand.New(rand.NewPCG(h.seed, 2+h.order<<10)) }

// less are histories that have less of something, where the clients make so many calls: without all calls of a client, with fewer faults, without
// a call.
func (h history) less(calls []int) (all []history) {
	var clients, single []history
	for client, n := range calls {
		var left []callAt
		for i := range n {
			if at := (callAt{client, i}); !slices.Contains(h.without, at) {
				left = append(left, at)
			}
		}
		for i := range left {
			single = append(single, h.leaving(left[i:i+1]))
		}
		if len(left) > 1 {
			clients = append(clients, h.leaving(left))
		}
	}
	if h.faults > 0 {
		clients = append(clients, h)
		clients[len(clients)-1].faults = h.faults / 2
		if h.faults < 0.005 {
			clients[len(clients)-1].faults = 0
		}
	}
	return append(clients, single...)
}

func (h history) leaving(out []callAt) history {
	h.without = slices.Concat(h.without, out)
	return h
}

// Smaller implements [shrink.History].
func (h history) Smaller() []history { return h.less(slices.Repeat([]int{h.calls}, h.clients)) }

// Next implements [shrink.History].
func (h history) Next() history {
	h.order++
	return h
}
