// Package inflight bounds the memory of slow transfers.
package inflight

import (
	"container/list"
	"io"
	"os"
	"sync"
)

// Bytes counts the bytes in flight in one direction. Above its limit it cuts off the oldest
// transfers, which are the slow ones. A nil *Bytes bounds nothing. It is safe for concurrent use.
type Bytes struct {
	limit int

	mu     sync.Mutex
	bytes  int
	cutOff int
	all    list.List // oldest first
}

type transfer struct {
	element *list.Element // nil after the end
	bytes   int
	cut     func()
	isCut   bool
}

// New returns a counter with a limit in bytes.
func New(limit int) *Bytes { return &Bytes{limit: limit} }

// Add counts a response until sent is called. cut must end the transfer without blocking. It is
// called at most once, and never after sent has returned.
func (b *Bytes) Add(bytes int, cut func()) (sent func()) {
	t := b.begin(cut)
	b.grow(t, bytes)
	return func() { b.end(t) }
}

func (b *Bytes) begin(cut func()) *transfer {
	t := &transfer{cut: cut}
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		t.element = b.all.PushBack(t)
	}
	return t
}

// grow may cut off t, but never the only transfer.
func (b *Bytes) grow(t *transfer, bytes int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.element == nil {
		return
	}
	t.bytes += bytes
	b.bytes += bytes
	for b.bytes > b.limit && b.all.Len() > 1 {
		oldest := b.all.Front().Value.(*transfer)
		oldest.isCut = true
		b.cutOff++
		oldest.cut()
		b.remove(oldest)
	}
}

func (b *Bytes) end(t *transfer) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.element != nil {
		b.remove(t)
	}
	return !t.isCut
}

func (b *Bytes) remove(t *transfer) {
	b.all.Remove(t.element)
	b.bytes -= t.bytes
	t.element = nil
}

// Load returns the bytes in flight, and the number of transfers that were cut off.
func (b *Bytes) Load() (bytes, cut int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes, b.cutOff
}

// Reader counts the bytes of an incomplete request, and the buffer for the next bytes. It is not
// safe for concurrent use.
type Reader struct {
	inFlight *Bytes
	from     io.Reader
	read     int
	transfer *transfer
}

// Reader returns a reader of a request that already holds bytes, such as its header. cut is as in
// [Bytes.Add], and must make reads return. The caller calls End.
func (b *Bytes) Reader(from io.Reader, bytes int, cut func()) *Reader {
	return &Reader{inFlight: b, from: from, read: bytes, transfer: b.begin(cut)}
}

// Read counts all of p. A request that was cut off never ends with [io.EOF].
func (r *Reader) Read(p []byte) (int, error) {
	r.inFlight.grow(r.transfer, max(0, r.read+len(p)-r.transfer.bytes))
	n, err := r.from.Read(p)
	r.read += n
	if err == io.EOF && !r.End() {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// End ends the count, and returns false if the request was cut off. It may be called repeatedly.
func (r *Reader) End() bool { return r.inFlight.end(r.transfer) }
