// Package backlog bounds the memory that answers take while they wait for those who read them.
package backlog

import (
	"container/list"
	"sync"
)

// Backlog counts the bytes of answers that are being sent. If they become too many, those are cut off that have been sent for longest: who reads in
// time is done before, so that slow readers are in each other's way and in nobody else's. A nil one bounds nothing. It is safe for concurrent use.
type Backlog struct {
	most int

	mu    sync.Mutex
	bytes int
	cut   int
	waits list.List // of *answer, the oldest first
}

type answer struct {
	bytes int
	cut   func()
}

// New returns a backlog of so many bytes at most.
func New(most int) *Backlog { return &Backlog{most: most} }

// Hold counts an answer until sent is called. An answer that is too long alone stays alone. cut ends the sending; it is called once at most, never
// after sent has returned, and must wait for nobody.
func (b *Backlog) Hold(bytes int, cut func()) (sent func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	mine := b.waits.PushBack(&answer{bytes, cut})
	b.bytes += bytes
	for b.bytes > b.most && b.waits.Len() > 1 {
		oldest := b.waits.Remove(b.waits.Front()).(*answer)
		b.bytes -= oldest.bytes
		b.cut++
		oldest.cut()
		oldest.cut = nil
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if a := mine.Value.(*answer); a.cut != nil {
			b.waits.Remove(mine)
			b.bytes -= a.bytes
			a.cut = nil
		}
	}
}

// Load is how many bytes wait now, and how many answers were cut off since the start.
func (b *Backlog) Load() (bytes, cut int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes, b.cut
}
