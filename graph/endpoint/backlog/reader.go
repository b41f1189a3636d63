package backlog

import (
	"io"
	"os"
	"time"
)

// Free is how many bytes of a request are not counted: its connection takes as much anyway, and the many who send no more are in nobody's way.
const Free = 4 << 10

// patience is how long a request waits for those that were cut off for it.
const patience = time.Second

// Reader reads a request, and holds what has come of it, and the room for more, until it has come. It is for one goroutine.
type Reader struct {
	backlog *Backlog
	from    io.Reader
	cut     func()
	read    int
	held    *held
}

// Reader returns a reader of a request. If the request is cut off, as those of [Backlog.Hold] are, cut makes what reads from it return.
func (b *Backlog) Reader(from io.Reader, cut func()) *Reader {
	return &Reader{backlog: b, from: from, cut: cut}
}

// Read implements [io.Reader]. What it reads into is counted as room that is kept. A request that was cut off ends with an error, never with [io.EOF].
func (r *Reader) Read(p []byte) (int, error) {
	r.hold(r.read + len(p))
	n, err := r.from.Read(p)
	r.read += n
	if err == io.EOF && !r.End() {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// hold counts so many bytes. It waits until those that it had cut off have let go what they held: nothing more is read meanwhile.
func (r *Reader) hold(bytes int) {
	b := r.backlog
	if b == nil || bytes <= Free {
		return
	}
	if r.held == nil {
		r.held = b.begin(&held{cut: r.cut, gone: make(chan struct{})})
	}
	var late <-chan time.Time
	for _, other := range b.grow(r.held, max(0, bytes-r.held.bytes)) {
		if other == r.held {
			continue
		}
		if late == nil {
			late = time.After(patience)
		}
		select {
		case <-other.gone:
		case <-late:
			return
		}
	}
}

// End counts the request no more, and reports whether it had not been cut off: it is read, or nobody waits for the rest of it. It may be called again.
func (r *Reader) End() (whole bool) { return r.held == nil || r.backlog.end(r.held) }
