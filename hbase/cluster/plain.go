package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

const probeTimeout = time.Second

func dialPlain(wire dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := wire(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &plainConn{Conn: conn, expectsTLS: func() bool { return expectsTLS(wire, network, addr) }}, nil
	}
}

type plainConn struct {
	net.Conn
	expectsTLS func() bool
	read       bool
}

func (c *plainConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.read { // only one goroutine reads a connection
		return n, err
	}
	c.read = true
	closed := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
	if isTLSAlert(b[:n]) || n == 0 && closed && c.expectsTLS() {
		return 0, refuse("it expects TLS: set --hbase-ca to the certificates of its CA, " +
			"and --hbase-cert and --hbase-key if it wants a client certificate")
	}
	return n, err
}

// isTLSAlert is false for HBase's first response. There these bytes would be a length of 352 MB.
func isTLSAlert(b []byte) bool {
	const alert, version = 21, 3
	return len(b) >= 2 && b[0] == alert && b[1] == version
}

// expectsTLS reports whether a server answers a TLS handshake, even by rejecting it.
func expectsTLS(wire dialFunc, network, addr string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	conn, err := wire(ctx, network, addr)
	if err != nil {
		return false
	}
	defer conn.Close()
	host, _, _ := net.SplitHostPort(addr)
	err = tls.Client(conn, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}).HandshakeContext(ctx)
	var untrusted *tls.CertificateVerificationError
	_, rejected := alertOf(err)
	return err == nil || rejected || errors.As(err, &untrusted)
}
