package e2e

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

type tally struct {
	mu                                        sync.Mutex
	texts                                     map[uint64]bool
	asked, executed, mutations, subscriptions int
}

func (c *tally) full(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.texts) >= n
}

func (c *tally) add(text string, executed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked++; !executed {
		return
	}
	c.executed++
	c.texts[maphash.String(textSeed, text)] = true
	switch text[0] {
	case 'm':
		c.mutations++
	case 's':
		c.subscriptions++
	}
}

var textSeed = maphash.MakeSeed()

// compareUntil sends every fourth query twice, to reuse its compiled form.
func (e *executors) compareUntil(pool map[string][]string, random uint64, n int, counted *tally) error {
	var next atomic.Int64
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			for {
				i := uint64(next.Add(1))
				if i > 2*uint64(n) || counted.full(n) {
					return nil
				}
				q := &queries{Rand: rand.New(rand.NewPCG(random, i)), schema: e.schema, pool: pool}
				text, variables := q.operation()
				times := 1
				if i%4 == 0 {
					times = 2
				}
				for range times {
					r := q.request(text, variables)
					difference, executed := e.difference(r)
					if counted.add(text, executed); difference == "" {
						continue
					}
					r = e.shrink(r)
					if shrunk, _ := e.difference(r); shrunk != "" {
						difference = shrunk
					}
					return fmt.Errorf("query %d: %s\n%s", i, r, difference)
				}
			}
		})
	}
	return group.Wait()
}
