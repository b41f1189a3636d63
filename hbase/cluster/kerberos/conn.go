package kerberos

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

const simplePreamble = "HBas\x00\x50"

// conn drops simplePreamble, which a client without Kerberos sends.
type conn struct {
	net.Conn
	started bool
}

func (c *conn) Write(b []byte) (int, error) {
	if c.started {
		return c.Conn.Write(b)
	}
	rest, ok := bytes.CutPrefix(b, []byte(simplePreamble))
	if !ok {
		return 0, errors.New("kerberos: a connection must start with the preamble")
	}
	c.started = true
	n, err := c.Conn.Write(rest)
	return n + len(simplePreamble), err
}

// wrapped writes and reads Wrap tokens after their length. One goroutine at a time may read.
type wrapped struct {
	net.Conn
	tokens  *tokens
	seal    bool // encrypt
	writing sync.Mutex
	in      *bufio.Reader
	unread  []byte
}

func newWrapped(c net.Conn, t *tokens, p protection) *wrapped {
	return &wrapped{Conn: c, tokens: t, seal: p == privacy, in: bufio.NewReader(c)}
}

func (w *wrapped) Write(b []byte) (int, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	token, err := w.tokens.wrap(b, w.seal)
	if err != nil {
		return 0, err
	}
	if err := send(w.Conn, nil, token); err != nil {
		return 0, err
	}
	return len(b), nil
}

// maxWrapped detects damaged lengths: responses are far shorter.
const maxWrapped = 1 << 30

func (w *wrapped) Read(b []byte) (int, error) {
	for len(w.unread) == 0 {
		var head [4]byte
		if _, err := io.ReadFull(w.in, head[:]); err != nil {
			return 0, err
		}
		size := binary.BigEndian.Uint32(head[:])
		if size > maxWrapped {
			return 0, fmt.Errorf("kerberos: the server sends a token of %d bytes", size)
		}
		token := make([]byte, size)
		if _, err := io.ReadFull(w.in, token); err != nil {
			return 0, err
		}
		message, err := w.tokens.unwrap(token, w.seal)
		if err != nil {
			return 0, fmt.Errorf("kerberos: %w", err)
		}
		w.unread = message
	}
	n := copy(b, w.unread)
	w.unread = w.unread[n:]
	return n, nil
}
