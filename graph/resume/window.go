package resume

import (
	"slices"
	"sync"
	"time"
)

const (
	// Keep is the time that a position is kept.
	Keep = time.Minute
	// MaxPositions is the maximum number of positions. The oldest is dropped for a new one.
	MaxPositions = 10_000
	// MaxOfViewer is the maximum number of positions of a viewer.
	MaxOfViewer = 100
)

// Window keeps positions for [Keep]. The zero value is empty. It is safe for concurrent use.
type Window struct {
	mu sync.Mutex
	// entries are the kept positions, oldest first. A search in 10,000 entries takes about 20 µs.
	entries []*entry
}

type entry struct {
	key      Key
	viewer   string
	position Position
	timer    *time.Timer
}

func (w *Window) keep(key Key, viewer string, position Position, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ofViewer []*entry
	for _, e := range w.entries {
		if e.viewer == viewer {
			ofViewer = append(ofViewer, e)
		}
	}
	if len(ofViewer) >= MaxOfViewer {
		w.drop(ofViewer[0])
	}
	if len(w.entries) >= MaxPositions {
		w.drop(w.entries[0])
	}
	e := &entry{key: key, viewer: viewer, position: position}
	w.entries = append(w.entries, e)
	e.timer = time.AfterFunc(time.Until(until), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.drop(e)
	})
}

// take removes and returns the oldest position with a key, or nil.
func (w *Window) take(key Key) Position {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.entries, func(e *entry) bool { return e.key == key })
	if i < 0 {
		return nil
	}
	e := w.entries[i]
	w.remove(e)
	return e.position
}

// drop removes and closes a position, unless it was removed. mu is held.
func (w *Window) drop(e *entry) {
	if w.remove(e) {
		e.position.Close()
	}
}

// remove reports whether it removed an entry. mu is held.
func (w *Window) remove(e *entry) bool {
	i := slices.Index(w.entries, e)
	if i < 0 {
		return false
	}
	e.timer.Stop()
	w.entries = slices.Delete(w.entries, i, i+1)
	return true
}
