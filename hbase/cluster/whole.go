package cluster

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
)

// dialWhole makes connections on which each Write sends a whole message. gohbase writes a message
// with cells in several buffers, and other goroutines write at the same time: only a TCP connection
// keeps buffers together.
func dialWhole(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		w := &wholeConn{Conn: conn}
		w.complete.L = &w.mu
		return w, nil
	}
}

// wholeConn collects the buffers of a message. A goroutine that starts another one waits.
//
//	│ length 4 │ header length, header, request │ cells… │ cells… │
//	└────────────── the first buffer ───────────┘
type wholeConn struct {
	net.Conn
	mu       sync.Mutex
	complete sync.Cond // the message has been sent
	greeted  bool
	message  []byte // the buffers written so far
	size     int    // of the whole message
	err      error
}

const lengthBytes = 4

// Write implements [net.Conn].
func (w *wholeConn) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.greeted { // gohbase writes the preamble and the connection header at once
		w.greeted = true
		return w.Conn.Write(b)
	}
	if startsMessage(b) {
		for len(w.message) > 0 && w.err == nil {
			w.complete.Wait()
		}
		w.size = lengthBytes + int(binary.BigEndian.Uint32(b))
	}
	if w.err != nil {
		return 0, w.err
	}
	if len(w.message) == 0 && len(b) >= w.size {
		return w.send(b)
	}
	w.message = append(w.message, b...)
	if len(w.message) < w.size {
		return len(b), nil
	}
	_, err := w.send(w.message)
	w.message = w.message[:0]
	return len(b), err
}

// send sends a message, or the end of all messages if it fails.
func (w *wholeConn) send(message []byte) (int, error) {
	n, err := w.Conn.Write(message)
	w.err = err
	w.complete.Broadcast()
	return n, err
}

// startsMessage distinguishes the first buffer of a message from one of cells. After four bytes the
// first has the length of the header, which is not 0, and the other has the length of a key, in four
// bytes of which the first is 0.
func startsMessage(b []byte) bool { return len(b) > lengthBytes && b[lengthBytes] != 0 }
