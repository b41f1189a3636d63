package inflight

import (
	"io"
	"os"
	"time"
)

// Free is how many bytes of a request are not counted. The buffers of its connection take as much,
// and most requests are no longer.
const Free = 4 << 10

// releaseTimeout is how long a request waits until those that were cut off for it have ended.
const releaseTimeout = time.Second

// Reader reads a request. Until the request is complete it counts the bytes that were read, and the
// buffer for the next ones. It is for one goroutine.
type Reader struct {
	inFlight *Bytes
	from     io.Reader
	cut      func()
	read     int
	transfer *transfer // nil until it is counted
}

// Reader returns a reader of a request. If the request is cut off, as in [Bytes.Hold], cut must make reads from it
// return.
func (b *Bytes) Reader(from io.Reader, cut func()) *Reader {
	return &Reader{inFlight: b, from: from, cut: cut}
}

// Read implements [io.Reader]. It counts all of p. A request that was cut off ends with an error, never with [io.EOF].
func (r *Reader) Read(p []byte) (int, error) {
	r.count(r.read + len(p))
	n, err := r.from.Read(p)
	r.read += n
	if err == io.EOF && !r.End() {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// count raises the counted bytes. If that cuts off other requests, it waits until they have ended,
// before more is read.
func (r *Reader) count(bytes int) {
	b := r.inFlight
	if b == nil || bytes <= Free {
		return
	}
	if r.transfer == nil {
		r.transfer = b.begin(&transfer{cut: r.cut, gone: make(chan struct{})})
	}
	var timeout <-chan time.Time
	for _, other := range b.grow(r.transfer, max(0, bytes-r.transfer.bytes)) {
		if other == r.transfer {
			continue
		}
		if timeout == nil {
			timeout = time.After(releaseTimeout)
		}
		select {
		case <-other.gone:
		case <-timeout:
			return
		}
	}
}

// End stops counting the request, because it is complete or abandoned, and reports whether it was not cut off.
// It may be called repeatedly.
func (r *Reader) End() (whole bool) { return r.transfer == nil || r.inFlight.end(r.transfer) }
