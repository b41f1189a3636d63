package backlog

import (
	"io"
	"os"
)

// Free is how many bytes of a request are not counted: its connection takes as much anyway, and the many who send no more are in nobody's way.
const Free = 4 << 10

// Reader reads a request, and holds what has come of it until the last byte has. It is for one goroutine.
type Reader struct {
	backlog *Backlog
	from    io.Reader
	cut     func()
	read    int
	held    *Held
}

// Reader returns a reader of a request. cut makes what reads from it return: see [Backlog.Begin].
func (b *Backlog) Reader(from io.Reader, cut func()) *Reader {
	return &Reader{backlog: b, from: from, cut: cut}
}

// Read implements [io.Reader]. A request that was cut off never ends with [io.EOF].
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err == io.EOF {
		if !r.End() {
			err = os.ErrDeadlineExceeded
		}
		return n, err
	}
	r.read += n
	switch {
	case r.held != nil:
		r.held.Grow(n)
	case r.read > Free:
		r.held = r.backlog.Begin(r.cut)
		r.held.Grow(r.read)
	}
	return n, err
}

// End counts the request no more, and reports whether it had not been cut off: it is read, or nobody waits for the rest of it. It may be called again.
func (r *Reader) End() (whole bool) { return r.held == nil || r.held.End() }
