package writers

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
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

func (h history) smaller() []history { return h.less(slices.Repeat([]int{h.calls}, h.clients)) }

func (h history) next() history {
	h.order++
	return h
}

// shrinking is what a history can do that is made smaller.
type shrinking[H any] interface {
	run(t *testing.T) ran
	// smaller are those that have less of something, next is the same in another order.
	smaller() []H
	next() H
}

// patience is for how long a history is made smaller: whoever waits for the test is to see it.
const patience = 2 * time.Minute

// shrunk makes a history that went wrong smaller, as long as it still does in one of some orders.
func shrunk[H shrinking[H]](t *testing.T, h H, r ran) (H, ran) {
	t.Helper()
	begun := time.Now()
	for again := true; again; {
		again = false
		for _, s := range h.smaller() {
			if time.Since(begun) > patience {
				break
			}
			if s, other := tries(t, s, 40); other.wrong() {
				h, r, again = s, other, true
				break
			}
		}
	}
	return h, r
}

// tries returns a history, in the first of n orders in which it goes wrong, or in one in which it does not.
func tries[H shrinking[H]](t *testing.T, h H, n int) (H, ran) {
	t.Helper()
	r := h.run(t)
	for range n - 1 {
		if r.wrong() {
			break
		}
		h = h.next()
		r = h.run(t)
	}
	return h, r
}
