package resume

import (
	"slices"
	"sync"
	"time"
)

const (
	// Keep is how long a position is kept.
	Keep = time.Minute
	// The oldest position is dropped for a new one.
	maxPositions = 10_000
	maxOfViewer  = 100
)

// Window keeps positions for [Keep]. The zero value is empty. It is safe for concurrent use.
type Window struct {
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

func (w *Window) keep(key Key, viewer string, position Position, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of := w.entriesOf(func(e *entry) bool { return e.viewer == viewer }); len(of) >= maxOfViewer {
		w.drop(of[0])
	}
	if len(w.entries) >= maxPositions {
		w.drop(w.entries[0])
	}
	e := &entry{key: key, viewer: viewer, until: until, position: position}
	i := len(w.entries)
	for i > 0 && until.Before(w.entries[i-1].until) {
		i--
	}
	w.entries = slices.Insert(w.entries, i, e)
	e.timer = time.AfterFunc(time.Until(until), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.drop(e)
	})
}

// entriesOf filters the entries, earliest first. The caller holds mu.
func (w *Window) entriesOf(is func(*entry) bool) (of []*entry) {
	for _, e := range w.entries {
		if is(e) {
			of = append(of, e)
		}
	}
	return of
}

// take removes the latest position of the key, moves it back to the earliest, and returns it: a
// client may receive an event twice, but misses none. The other positions stay, for more operations
// with the key.
func (w *Window) take(key Key) (position Position, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.entriesOf(func(e *entry) bool { return e.key == key })
	if len(of) == 0 {
		return nil, time.Time{}
	}
	first, last := of[0], of[len(of)-1]
	if w.remove(last); last != first {
		last.position.MoveTo(first.position)
	}
	return last.position, first.until
}

// drop also closes the position. The caller holds mu.
func (w *Window) drop(e *entry) {
	if w.remove(e) {
		e.position.Close()
	}
}

// remove reports whether w had the entry. The caller holds mu.
func (w *Window) remove(e *entry) bool {
	i := slices.Index(w.entries, e)
	if i < 0 {
		return false
	}
	e.timer.Stop()
	w.entries = slices.Delete(w.entries, i, i+1)
	return true
}
