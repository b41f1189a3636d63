package cluster

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
)

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer connects the layers of a connection:
//
//	wire ──► TLS ──► Kerberos ──► whole messages ──► watched
//
// The last layer, watched, records which servers refuse connections, and calls withOperation for
// each message. A layer returns a [refusal] from its dialFunc or from Read if no retry can help.
func (s *Store) dialer(wire dialFunc, noted *refusals) dialFunc {
	secure := dialPlain(wire)
	if s.tls != nil {
		secure = dialTLS(wire, s.tls)
	}
	if s.login != nil {
		secure = dialKerberos(secure, s.login)
	}
	return s.watched(dialMessages(secure, readTimeout), noted)
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
