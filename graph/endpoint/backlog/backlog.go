// Package backlog bounds the memory that answers take while they wait for those who read them, and requests while they wait for the rest of them.
package backlog

import (
	"container/list"
	"sync"
)

// Backlog counts the bytes of what is on its way, all in one direction. If they become too many, those are cut off that have been on their way for
// longest: who reads and sends in time is done before, so that those who are slow are in each other's way and in nobody else's. A nil one bounds
// nothing. It is safe for concurrent use.
type Backlog struct {
	most int

	mu    sync.Mutex
	bytes int
	cut   int
	waits list.List // of *Held, the oldest first
}

// Held is an answer or a request that a backlog counts. Its methods are for one goroutine.
type Held struct {
	backlog *Backlog
	place   *list.Element
	bytes   int
	cut     func() // nil once it is counted no more
	early   bool   // it was cut off
}

// New returns a backlog of so many bytes at most.
func New(most int) *Backlog { return &Backlog{most: most} }

// Hold counts an answer until sent is called: see [Backlog.Begin].
func (b *Backlog) Hold(bytes int, cut func()) (sent func()) {
	h := b.Begin(cut)
	h.Grow(bytes)
	return func() { h.End() }
}

// Begin counts something of no bytes as yet. What is too long alone stays alone. cut ends it; it is called once at most, never after End has returned,
// and must wait for nobody.
func (b *Backlog) Begin(cut func()) *Held {
	h := &Held{backlog: b, cut: cut}
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		h.place = b.waits.PushBack(h)
	}
	return h
}

// Grow counts more bytes of it.
func (h *Held) Grow(bytes int) {
	b := h.backlog
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.cut == nil {
		return
	}
	h.bytes += bytes
	b.bytes += bytes
	for b.bytes > b.most && b.waits.Len() > 1 {
		oldest := b.waits.Front().Value.(*Held)
		cut := oldest.cut
		b.remove(oldest)
		b.cut++
		oldest.early = true
		cut()
	}
}

// End counts it no more, and reports whether it had not been cut off. It may be called again.
func (h *Held) End() (whole bool) {
	b := h.backlog
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.cut != nil {
		b.remove(h)
	}
	return !h.early
}

func (b *Backlog) remove(h *Held) {
	b.waits.Remove(h.place)
	b.bytes -= h.bytes
	h.cut = nil
}

// Load is how many bytes are on their way now, and how many were cut off since the start.
func (b *Backlog) Load() (bytes, cut int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes, b.cut
}
