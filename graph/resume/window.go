package resume

import (
	"slices"
	"sync"
	"time"
)

const (
	// Keep is how long a position is kept.
	Keep = time.Minute
	// MaxPositions is how many positions are kept at most. The oldest makes room for a new one.
	MaxPositions = 10_000
	// MaxOfViewer is how many of these a viewer has at most.
	MaxOfViewer = 100
)

// Window keeps positions for [Keep]. The zero value is empty. It is safe for concurrent use.
type Window struct {
	mu sync.Mutex
	// entries are ordered by when they are dropped, and so by when their operations expired. They are searched one
	// by one: at most ten thousand take some 20 µs.
	entries []*entry
}

// entry is a position that is kept.
type entry struct {
	key      Key
	viewer   string
	until    time.Time
	position Position
	timer    *time.Timer
}

// keep keeps a position until a time.
func (w *Window) keep(key Key, viewer string, position Position, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of := w.entriesOf(func(e *entry) bool { return e.viewer == viewer }); len(of) >= MaxOfViewer {
		w.drop(of[0])
	}
	if len(w.entries) >= MaxPositions {
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

// entriesOf returns the entries for which is holds. The caller holds mu.
func (w *Window) entriesOf(is func(*entry) bool) (of []*entry) {
	for _, e := range w.entries {
		if is(e) {
			of = append(of, e)
		}
	}
	return of
}

// take returns the position to continue from, nil if there is none, and until when it is kept. If there are several,
// nothing says which of them the client stopped at, so each client gets the earliest: it may receive an event again, but
// misses none.
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

// drop closes a position, unless it was removed before. The caller holds mu.
func (w *Window) drop(e *entry) {
	if w.remove(e) {
		e.position.Close()
	}
}

// remove reports whether it removed an entry. The caller holds mu.
func (w *Window) remove(e *entry) bool {
	i := slices.Index(w.entries, e)
	if i < 0 {
		return false
	}
	e.timer.Stop()
	w.entries = slices.Delete(w.entries, i, i+1)
	return true
}
