package kerberos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

const preamble = "HBas\x00\x51" // with Kerberos

// protection is a bit of RFC 4752, and a value of hbase.rpc.protection.
type protection byte

const (
	authentication protection = 1 << iota
	integrity
	privacy
)

func strongest(set byte) protection {
	for _, p := range []protection{privacy, integrity, authentication} {
		if set&byte(p) != 0 {
			return p
		}
	}
	return 0
}

// Tokens of a handshake have hundreds of bytes, or tens of thousands with a user's groups.
const maxToken = 1 << 20

var errNotSecured = errors.New("the server does not authenticate")

// A RemoteError is an exception of the server.
type RemoteError struct{ Class, Message string }

func (e *RemoteError) Error() string { return e.Class + ": " + e.Message }

func handshake(conn net.Conn, c *gssContext) (*tokens, protection, error) {
	request, err := c.request()
	if err != nil {
		return nil, 0, err
	}
	if err := send(conn, []byte(preamble), request); err != nil {
		return nil, 0, err
	}
	answer, err := receive(conn)
	if err != nil {
		return nil, 0, err
	}
	t, err := c.answer(answer)
	if err != nil {
		return nil, 0, err
	}
	if err := send(conn, nil, nil); err != nil { // RFC 4752: nothing to add
		return nil, 0, err
	}
	p, err := agree(conn, t)
	return t, p, err
}

var errProtection = errors.New("the server offers none of authentication, integrity and privacy")

func agree(conn net.Conn, t *tokens) (protection, error) {
	token, err := receive(conn)
	if err != nil {
		return 0, err
	}
	offer, err := t.unwrap(token, false)
	if err != nil {
		return 0, err
	}
	if len(offer) != 4 {
		return 0, fmt.Errorf("%w: its offer has %d bytes, not 4", errProtection, len(offer))
	}
	p := strongest(offer[0])
	if p == 0 {
		return 0, fmt.Errorf("%w: it offers %#x", errProtection, offer[0])
	}
	choice := []byte{byte(p), 0, 0, 0}
	if p != authentication {
		// HBase ignores the maximum size, and so does Java's client.
		choice = []byte{byte(p), 0xFF, 0xFF, 0xFF}
	}
	if token, err = t.wrap(choice, false); err != nil {
		return 0, err
	}
	return p, send(conn, nil, token)
}

func send(conn net.Conn, head, token []byte) error {
	b := binary.BigEndian.AppendUint32(head, uint32(len(token)))
	_, err := conn.Write(append(b, token...))
	return err
}

// switchToSimple is the length that a server without Kerberos sends.
const switchToSimple = -88

func receive(conn net.Conn) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	if head != [4]byte{} { // not SaslStatus.SUCCESS
		return nil, receiveError(conn)
	}
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	size := int32(binary.BigEndian.Uint32(head[:]))
	if size == switchToSimple {
		return nil, errNotSecured
	}
	return receiveBytes(conn, size)
}

func receiveError(conn net.Conn) error {
	var texts [2]string
	for i := range texts {
		var head [4]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return err
		}
		if size := int32(binary.BigEndian.Uint32(head[:])); size >= 0 { // -1 is null
			text, err := receiveBytes(conn, size)
			if err != nil {
				return err
			}
			texts[i] = string(text)
		}
	}
	return &RemoteError{texts[0], texts[1]}
}

func receiveBytes(conn net.Conn, size int32) ([]byte, error) {
	if size < 0 || size > maxToken {
		return nil, fmt.Errorf("the server sends a token of %d bytes", size)
	}
	b := make([]byte, size)
	_, err := io.ReadFull(conn, b)
	return b, err
}
