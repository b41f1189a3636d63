package writers

import (
	"math/rand/v2"
	"slices"
)

type callAt struct{ client, call int }

func (h history) remaining(client int, calls []call) (remaining []call) {
	for i, c := range calls {
		if !slices.Contains(h.without, callAt{client, i}) {
			remaining = append(remaining, c)
		}
	}
	return remaining
}

func (h history) random() *rand.Rand { return rand.New(rand.NewPCG(h.seed, 2+h.order<<10)) }

// calls has each client's number of calls.
func (h history) smaller(calls []int) (all []history) {
	var clients, single []history
	for client, n := range calls {
		var left []callAt
		for i := range n {
			if at := (callAt{client, i}); !slices.Contains(h.without, at) {
				left = append(left, at)
			}
		}
		for i := range left {
			single = append(single, h.omit(left[i:i+1]))
		}
		if len(left) > 1 {
			clients = append(clients, h.omit(left))
		}
	}
	if h.faultRate > 0 {
		clients = append(clients, h)
		clients[len(clients)-1].faultRate = h.faultRate / 2
		if h.faultRate < 0.005 {
			clients[len(clients)-1].faultRate = 0
		}
	}
	return append(clients, single...)
}

func (h history) omit(calls []callAt) history {
	h.without = slices.Concat(h.without, calls)
	return h
}

func (h history) Smaller() []history { return h.smaller(slices.Repeat([]int{h.calls}, h.clients)) }

func (h history) Next() history {
	h.order++
	return h
}
