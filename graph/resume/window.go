package resume

import (
	"container/list"
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
	mu      sync.Mutex
	all     list.List // of *entry, the oldest first
	keys    map[Key][]*entry
	viewers map[string][]*entry
}

// entry is a position that is kept. The slices that have it are ordered by when it is dropped, and
// so by when the operation expired.
type entry struct {
	key      Key
	viewer   string
	until    time.Time
	position Position
	element  *list.Element
	timer    *time.Timer
}

// keep keeps a position until a time.
func (w *Window) keep(key Key, viewer string, position Position, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keys == nil {
		w.keys, w.viewers = map[Key][]*entry{}, map[string][]*entry{}
	}
	if of := w.viewers[viewer]; len(of) >= MaxOfViewer {
		w.drop(of[0])
	}
	if w.all.Len() >= MaxPositions {
		w.drop(w.all.Front().Value.(*entry))
	}
	e := &entry{key: key, viewer: viewer, until: until, position: position}
	e.element = w.all.PushBack(e)
	w.keys[key] = insert(w.keys[key], e)
	w.viewers[viewer] = insert(w.viewers[viewer], e)
	e.timer = time.AfterFunc(time.Until(until), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.drop(e)
	})
}

// insert inserts an entry in the order of until, behind equal ones.
func insert(of []*entry, e *entry) []*entry {
	i := len(of)
	for i > 0 && e.until.Before(of[i-1].until) {
		i--
	}
	return slices.Insert(of, i, e)
}

// take returns the position to continue from, nil if there is none, and until when it is kept. If
// there are several, nothing says which of them the client stopped at, so each client gets the
// earliest: it may receive an event again, but misses none.
func (w *Window) take(key Key) (position Position, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.keys[key]
	if len(of) == 0 {
		return nil, time.Time{}
	}
	until = of[0].until
	if len(of) == 1 {
		return w.remove(of[0]), until
	}
	position = of[0].position.Fork()
	w.drop(of[len(of)-1])
	return position, until
}

// drop closes a position, unless it was removed before. The caller holds mu.
func (w *Window) drop(e *entry) {
	if position := w.remove(e); position != nil {
		position.Close()
	}
}

// remove removes an entry and returns its position, or nil if it was removed before. The caller
// holds mu.
func (w *Window) remove(e *entry) Position {
	if e.element == nil {
		return nil
	}
	e.timer.Stop()
	w.all.Remove(e.element)
	e.element = nil
	without(w.keys, e.key, e)
	without(w.viewers, e.viewer, e)
	return e.position
}

// without removes an entry from a slice of a map.
func without[K comparable](of map[K][]*entry, key K, e *entry) {
	if of[key] = slices.DeleteFunc(of[key], func(other *entry) bool { return other == e }); len(of[key]) == 0 {
		delete(of, key)
	}
}
