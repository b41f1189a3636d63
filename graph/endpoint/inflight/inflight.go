// Package inflight bounds the memory of responses that wait for slow readers, and of requests that wait for slow
// senders.
package inflight

import (
	"container/list"
	"io"
	"os"
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
	place *list.Element // nil once it is no longer counted
	bytes int
	cut   func()
	early bool // it was cut off
}

// New returns a counter with a limit.
func New(limit int) *Bytes { return &Bytes{limit: limit} }

// Hold counts a response until sent is called. A response above the limit cuts off all others. cut ends the transfer;
// it is called at most once, never after sent has returned, and must not block.
func (b *Bytes) Hold(bytes int, cut func()) (sent func()) {
	t := b.begin(cut)
	b.grow(t, bytes)
	return func() { b.end(t) }
}

func (b *Bytes) begin(cut func()) *transfer {
	t := &transfer{cut: cut}
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		t.place = b.all.PushBack(t)
	}
	return t
}

// grow adds bytes to a transfer, and cuts off the oldest ones above the limit.
func (b *Bytes) grow(t *transfer, bytes int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.place == nil {
		return
	}
	t.bytes += bytes
	b.bytes += bytes
	for b.bytes > b.limit && b.all.Len() > 1 {
		oldest := b.all.Front().Value.(*transfer)
		oldest.early = true
		b.cut++
		oldest.cut()
		b.remove(oldest)
	}
}

// end stops counting a transfer, and reports whether it was not cut off. It may be called repeatedly.
func (b *Bytes) end(t *transfer) (whole bool) {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.place != nil {
		b.remove(t)
	}
	return !t.early
}

func (b *Bytes) remove(t *transfer) {
	b.all.Remove(t.place)
	b.bytes -= t.bytes
	t.place = nil
}

// Load returns how many bytes are in flight, and how many transfers were cut off so far.
func (b *Bytes) Load() (bytes, cut int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes, b.cut
}

// Reader reads a request. Until the request is complete it counts the bytes that were read, and the buffer for the
// next ones. It is for one goroutine.
type Reader struct {
	inFlight *Bytes
	from     io.Reader
	read     int
	transfer *transfer
}

// Reader returns a reader of a request. If the request is cut off, as in [Bytes.Hold], cut must make reads from it
// return. The caller calls End.
func (b *Bytes) Reader(from io.Reader, cut func()) *Reader {
	return &Reader{inFlight: b, from: from, transfer: b.begin(cut)}
}

// Read implements [io.Reader]. It counts all of p. A request that was cut off ends with an error, never with [io.EOF].
func (r *Reader) Read(p []byte) (int, error) {
	r.inFlight.grow(r.transfer, max(0, r.read+len(p)-r.transfer.bytes))
	n, err := r.from.Read(p)
	r.read += n
	if err == io.EOF && !r.End() {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// End stops counting the request, because it is complete or abandoned, and reports whether it was not cut off. It may
// be called repeatedly.
func (r *Reader) End() (whole bool) { return r.inFlight.end(r.transfer) }
