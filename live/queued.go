package live

import "sync/atomic"

// queued counts the queues that have an entry. While there are any, the poller's total includes the
// entry's bytes once.
type queued struct {
	bytes  int64
	queues atomic.Int64
	all    *atomic.Int64
}

// The subscriptions of one check share the counter of an entry.
func (p *Poller) queuedOf(known map[any]*queued, entry any) *queued {
	q := known[entry]
	if q == nil {
		q = &queued{bytes: int64(p.o.Size(entry)), all: &p.queued}
		known[entry] = q
	}
	return q
}

func (q *queued) hold() {
	if q.queues.Add(1) == 1 {
		q.all.Add(q.bytes)
	}
}

// Release must be called after the entry was sent or dropped.
func (e Event) Release() {
	if q := e.queued; q.queues.Add(-1) == 0 {
		q.all.Add(-q.bytes)
	}
}

// bound ends slow subscriptions until the queued entries have at most maxQueued bytes. The caller
// holds mu.
func (p *Poller) bound() {
	for p.queued.Load() > maxQueued {
		slowest := p.slowest()
		if slowest == nil {
			return
		}
		if slowest.state != closed {
			slowest.cutOff()
		}
		slowest.drain()
	}
}

// slowest returns the subscription that has been behind longest, except suspended ones, which lose
// no entries. The caller holds mu.
func (p *Poller) slowest() (slowest *Subscription) {
	for _, r := range p.rows {
		for s := range r.subscribers {
			if len(s.queue) > 0 && s.state != suspended && (slowest == nil || s.behind.Before(slowest.behind)) {
				slowest = s
			}
		}
	}
	return slowest
}

// The caller holds mu.
func (s *Subscription) drain() {
	for {
		select {
		case e, open := <-s.queue:
			if !open {
				return
			}
			e.Release()
		default:
			return
		}
	}
}
