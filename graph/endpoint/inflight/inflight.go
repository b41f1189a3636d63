// Package inflight bounds the memory of responses that wait for slow readers, and of requests that wait for slow
// senders.
package inflight

import (
	"container/list"
	"sync"
)

// Bytes counts the bytes in flight of many transfers in one direction. Above its limit it cuts off the transfers that
// have lasted for longest: fast ones are done before, so slow ones are in each other's way only. A nil *Bytes bounds
// nothing. It is safe for concurrent use.
type Bytes struct {
	limit int

	mu    sync.Mutex
	bytes int
	cut   int       // transfers that were cut off so far
	all   list.List // of *transfer, the oldest first
}

// transfer is a response or a request that is counted.
type transfer struct {
	place *list.Element
	bytes int
	cut   func() // nil once it is no longer counted
	early bool   // it was cut off
	ended bool
	gone  chan struct{} // closed at its end; nil for responses
}

// New returns a counter with a limit.
func New(limit int) *Bytes { return &Bytes{limit: limit} }

// Hold counts a response until sent is called. A response above the limit cuts off all others. cut ends the transfer;
// it is called at most once, never after sent has returned, and must not block.
func (b *Bytes) Hold(bytes int, cut func()) (sent func()) {
	if b == nil {
		return func() {}
	}
	t := b.begin(&transfer{cut: cut})
	b.grow(t, bytes)
	return func() { b.end(t) }
}

func (b *Bytes) begin(t *transfer) *transfer {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.place = b.all.PushBack(t)
	return t
}

// grow adds bytes to a transfer, and returns what it cut off for them.
func (b *Bytes) grow(t *transfer, bytes int) (cut []*transfer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.cut == nil {
		return nil
	}
	t.bytes += bytes
	b.bytes += bytes
	for b.bytes > b.limit && b.all.Len() > 1 {
		oldest := b.all.Front().Value.(*transfer)
		oldest.early = true
		b.cut++
		oldest.cut()
		b.remove(oldest)
		cut = append(cut, oldest)
	}
	return cut
}

// end stops counting a transfer, and reports whether it was not cut off. It may be called repeatedly.
func (b *Bytes) end(t *transfer) (whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.cut != nil {
		b.remove(t)
	}
	if t.gone != nil && !t.ended {
		close(t.gone)
	}
	t.ended = true
	return !t.early
}

func (b *Bytes) remove(t *transfer) {
	b.all.Remove(t.place)
	b.bytes -= t.bytes
	t.cut = nil
}

// Load returns how many bytes are in flight, and how many transfers were cut off so far.
func (b *Bytes) Load() (bytes, cut int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes, b.cut
}
