package writers

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"twibase/hbase"
)

// increment is what one operation adds to the counts in one row.
type increment struct {
	location
	op     string
	deltas map[string]int // by column
	// before are the cells of the row, if they were read before the commit. They cannot include the
	// operation. read is whether they were read, and not used yet.
	before []hbase.Cell
	read   bool
	// after are the counts with the increment, if this process added it.
	after map[string]int
}

// addIncrements adds up what a stage counts in each row. Other stages must not count in the same
// row: an increment is applied once.
func (x *execution) addIncrements(s stage) {
	own := map[location]bool{}
	for _, e := range s {
		c, ok := e.(count)
		if !ok {
			continue
		}
		inc := x.increments[c.location]
		if inc == nil {
			inc = &increment{location: c.location, op: x.intent.ID, deltas: map[string]int{}}
			x.increments[c.location], own[c.location] = inc, true
		} else if !own[c.location] {
			panic("writers: " + x.caller + " counts in one row in two stages")
		}
		inc.deltas[c.name] += c.delta
	}
}

func (x *execution) sortedIncrements() []*increment {
	return slices.SortedFunc(maps.Values(x.increments), func(a, b *increment) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.row, b.row))
	})
}

// incrementQueue combines the increments of concurrent operations in one row into one CheckAndPut,
// so that a hot row does not become a bottleneck. The zero value is ready for use.
type incrementQueue struct {
	mu sync.Mutex
	// rows has an entry for each row that a goroutine is writing: the increments that wait until it
	// is done.
	rows map[location][]*pendingIncrement
}

type pendingIncrement struct {
	*increment
	done chan error // has room for the result
}

// apply applies an increment exactly once, even if several gateways call it.
func (q *incrementQueue) apply(ctx context.Context, c client, inc *increment, label string) error {
	own := &pendingIncrement{inc, make(chan error, 1)}
	if !q.enqueue(own) {
		return <-own.done
	}
	// This goroutine also applies what others enqueue meanwhile, so its work does not end with its
	// caller's context.
	work, cancel := c.w.outlive(ctx)
	defer cancel()
	work, cancel = context.WithTimeout(work, hbase.DefaultTimeout)
	defer cancel()
	for batch := []*pendingIncrement{own}; len(batch) > 0; batch = q.next(inc.location) {
		err := applyBatch(work, c, batch, label+"count "+inc.table)
		for _, p := range batch {
			p.done <- err
		}
	}
	return <-own.done
}

// enqueue reports whether the caller has to write the row. Otherwise the goroutine that writes it
// now applies p next.
func (q *incrementQueue) enqueue(p *pendingIncrement) (writer bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, busy := q.rows[p.location]
	if busy {
		q.rows[p.location] = append(waiting, p)
		return false
	}
	if q.rows == nil {
		q.rows = map[location][]*pendingIncrement{}
	}
	q.rows[p.location] = nil
	return true
}

// next returns the increments that wait for a row. If there are none, the row has no writer any
// more.
func (q *incrementQueue) next(at location) []*pendingIncrement {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.rows[at]
	if len(batch) == 0 {
		delete(q.rows, at)
	} else {
		q.rows[at] = nil
	}
	return batch
}
