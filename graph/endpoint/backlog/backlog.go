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
	waits list.List // of *held, the oldest first
}

// held is an answer or a request that is counted.
type held struct {
	place *list.Element
	bytes int
	cut   func() // nil once it is counted no more
	early bool   // it was cut off
	ended bool
	gone  chan struct{} // when it has ended; nil if nobody waits for that
}

// New returns a backlog of so many bytes at most.
func New(most int) *Backlog { return &Backlog{most: most} }

// Hold counts an answer until sent is called. An answer that is too long alone stays alone. cut ends the sending; it is called once at most, never
// after sent has returned, and must wait for nobody.
func (b *Backlog) Hold(bytes int, cut func()) (sent func()) {
	if b == nil {
		return func() {}
	}
	h := b.begin(&held{cut: cut})
	b.grow(h, bytes)
	return func() { b.end(h) }
}

func (b *Backlog) begin(h *held) *held {
	b.mu.Lock()
	defer b.mu.Unlock()
	h.place = b.waits.PushBack(h)
	return h
}

// grow counts more bytes of h, and returns what was cut off for that.
func (b *Backlog) grow(h *held, bytes int) (cut []*held) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.cut == nil {
		return nil
	}
	h.bytes += bytes
	b.bytes += bytes
	for b.bytes > b.most && b.waits.Len() > 1 {
		oldest := b.waits.Front().Value.(*held)
		oldest.early = true
		b.cut++
		oldest.cut()
		b.remove(oldest)
		cut = append(cut, oldest)
	}
	return cut
}

// end counts h no more, and reports whether it had not been cut off. It may be called again.
func (b *Backlog) end(h *held) (whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.cut != nil {
		b.remove(h)
	}
	if h.gone != nil && !h.ended {
		close(h.gone)
	}
	h.ended = true
	return !h.early
}

func (b *Backlog) remove(h *held) {
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
