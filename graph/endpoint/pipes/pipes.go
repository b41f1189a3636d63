// Package pipes is a network inside a process, for tests with a fake clock: see [testing/synctest].
package pipes

import (
	"context"
	"net"
	"sync"
)

// Network is a network with one server. Its connections have no buffers: a write waits for the
// read.
type Network struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

var _ net.Listener = (*Network)(nil)

// New returns a network.
func New() *Network { return &Network{accepted: make(chan net.Conn), closed: make(chan struct{})} }

// Accept implements [net.Listener].
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.accepted:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr implements [net.Listener].
func (*Network) Addr() net.Addr { return &net.IPAddr{} }

// Dial connects to the server.
func (n *Network) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.accepted <- server:
		return client, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}
