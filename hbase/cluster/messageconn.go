package cluster

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
)

// dialMessages makes connections that send whole messages. gohbase writes a message with cells as
// several buffers, from several goroutines, and only a [net.TCPConn] would keep them together.
func dialMessages(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		w := &messageConn{Conn: conn}
		w.complete.L = &w.mu
		return w, nil
	}
}

// messageConn collects the buffers of a message. Other messages wait until it is complete.
//
//	│ length 4 │ header length, header, request │ cells… │ cells… │
//	└────────────── the first buffer ───────────┘
type messageConn struct {
	net.Conn
	mu       sync.Mutex
	complete sync.Cond // signalled when the message was sent
	started  bool
	message  []byte
	size     int // of the whole message
	err      error
}

const lengthBytes = 4

func (w *messageConn) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.started { // b is the preamble and the connection header
		w.started = true
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

// After an error, all calls of Write fail.
func (w *messageConn) send(message []byte) (int, error) {
	n, err := w.Conn.Write(message)
	w.err = err
	w.complete.Broadcast()
	return n, err
}

// startsMessage reports whether b is the first buffer of a message, not its cells. The fifth byte
// is the length of a header (not 0), or the first of four bytes of a key's length (0).
func startsMessage(b []byte) bool { return len(b) > lengthBytes && b[lengthBytes] != 0 }
