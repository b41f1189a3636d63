package resume

import (
	"slices"
	"sync"
	"time"
)

const (
	// TTL is the time that a position is kept.
	TTL = time.Minute
	// Above these limits, a new position replaces the oldest.
	maxPositions = 10_000
	maxOfViewer  = 100
)

// Positions keeps positions for [TTL]. The zero value is empty. It is safe for concurrent use.
type Positions struct {
	mu sync.Mutex
	// entries are searched linearly: 10,000 take about 20 µs.
	entries []*entry
}

type entry struct {
	key      Key
	viewer   string
	until    time.Time
	position Position
	timer    *time.Timer
}

func (p *Positions) keep(key Key, viewer string, position Position, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if of := p.entriesOf(func(e *entry) bool { return e.viewer == viewer }); len(of) >= maxOfViewer {
		p.drop(of[0])
	}
	if len(p.entries) >= maxPositions {
		p.drop(p.entries[0])
	}
	e := &entry{key: key, viewer: viewer, until: until, position: position}
	i := len(p.entries)
	for i > 0 && until.Before(p.entries[i-1].until) {
		i--
	}
	p.entries = slices.Insert(p.entries, i, e)
	e.timer = time.AfterFunc(time.Until(until), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.drop(e)
	})
}

// entriesOf filters the entries, earliest first. The caller holds mu.
func (p *Positions) entriesOf(is func(*entry) bool) (of []*entry) {
	for _, e := range p.entries {
		if is(e) {
			of = append(of, e)
		}
	}
	return of
}

// take removes and returns the latest position of the key, moved back to the earliest. So a client
// may receive an event twice, but misses none. Other positions stay for other operations.
func (p *Positions) take(key Key) (position Position, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.entriesOf(func(e *entry) bool { return e.key == key })
	if len(of) == 0 {
		return nil, time.Time{}
	}
	first, last := of[0], of[len(of)-1]
	if p.remove(last); last != first {
		last.position.MoveTo(first.position)
	}
	return last.position, first.until
}

// drop removes an entry, and closes its position. The caller holds mu.
func (p *Positions) drop(e *entry) {
	if p.remove(e) {
		e.position.Close()
	}
}

// remove reports whether p had the entry. The caller holds mu.
func (p *Positions) remove(e *entry) bool {
	i := slices.Index(p.entries, e)
	if i < 0 {
		return false
	}
	e.timer.Stop()
	p.entries = slices.Delete(p.entries, i, i+1)
	return true
}
