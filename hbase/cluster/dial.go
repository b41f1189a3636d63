package cluster

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync/atomic"
	"time"
)

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer connects the layers of a connection:
//
//	wire ──► write deadline ──► TLS ──► Kerberos ──► whole messages ──► watched
//
// The last layer, watched, records which servers refuse connections, and calls withOperation for
// each message. A layer returns a [refusal] from its dialFunc or from Read if no retry can help.
func (s *Store) dialer(wire dialFunc, noted *refusals) dialFunc {
	wire = dialBounded(wire, readTimeout)
	secure := dialPlain(wire)
	if s.tls != nil {
		secure = dialTLS(wire, s.tls)
	}
	if s.login != nil {
		secure = dialKerberos(secure, s.login)
	}
	return s.watched(dialMessages(secure), noted)
}

// dialBounded makes connections whose writes fail if the server reads no part of them within
// timeout. gohbase limits only the wait for a response to a request that has been sent.
func dialBounded(dial dialFunc, timeout time.Duration) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return boundedConn{conn, timeout}, nil
	}
}

type boundedConn struct {
	net.Conn
	timeout time.Duration
}

const boundedPart = 256 << 10 // bytes, which a slow network also takes within readTimeout

func (c boundedConn) Write(b []byte) (n int, err error) {
	for part := range slices.Chunk(b, boundedPart) {
		if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
			return n, err
		}
		written, err := c.Conn.Write(part)
		if n += written; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (s *Store) watched(dial dialFunc, noted *refusals) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			s.note(noted, addr, err)
			return nil, err
		}
		first := &firstRead{conn: conn, simple: s.login == nil, note: func(err error) { s.note(noted, addr, err) }}
		return watchedConn{conn, first}, nil
	}
}

type firstRead struct {
	conn   net.Conn
	simple bool // without Kerberos
	note   func(error)
	done   atomic.Bool
}

func (f *firstRead) Read(b []byte) (int, error) {
	n, err := f.conn.Read(b)
	if !f.done.Load() {
		f.done.Store(true)
		if f.simple && bytes.Contains(b[:n], []byte("Authentication is required")) {
			n, err = 0, refuse("it requires Kerberos: set --hbase-keytab and --hbase-principal")
		}
		f.note(err)
	}
	return n, err
}

type watchedConn struct {
	net.Conn
	first *firstRead
}

func (c watchedConn) Read(b []byte) (int, error) { return c.first.Read(b) }

func (c watchedConn) Write(b []byte) (int, error) {
	if _, err := c.Conn.Write(withOperation(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
