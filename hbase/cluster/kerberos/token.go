package kerberos

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/jcmturner/gokrb5/v8/crypto/etype"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/types"
)

// tokens makes and checks the Wrap tokens of a connection (RFC 4121, section 4.2.6.2):
//
//	│ 05 04 │ flags 1 │ FF │ extra count 2 │ rotation 2 │ sequence number 8 │ message, checksum │
//	                                                                        │ ciphertext        │  sealed
//
// The two directions are independent. One goroutine at a time may use each.
type tokens struct {
	key            types.EncryptionKey
	etype          etype.EType
	flags          byte
	sent, received uint64 // next sequence numbers
}

const tokenHeader = 16

const (
	fromAcceptor   = 1
	sealed         = 2
	acceptorSubkey = 4
)

var errToken = errors.New("a Wrap token is damaged, or made with another key")

func usage(flags byte) uint32 {
	if flags&fromAcceptor != 0 {
		return keyusage.GSSAPI_ACCEPTOR_SEAL
	}
	return keyusage.GSSAPI_INITIATOR_SEAL
}

// header returns a header whose extra count and rotation are 0, as in checksums. In a ciphertext,
// it has the token's extra count: see open.
func header(flags byte, number uint64) []byte {
	h := []byte{5, 4, flags, 0xFF, 0, 0, 0, 0}
	return binary.BigEndian.AppendUint64(h, number)
}

func (t *tokens) wrap(message []byte, seal bool) ([]byte, error) {
	flags := t.flags
	if seal {
		flags |= sealed
	}
	h := header(flags, t.sent)
	t.sent++
	content := slices.Concat(message, h)
	if seal {
		_, ciphertext, err := t.etype.EncryptMessage(t.key.KeyValue, content, usage(flags))
		return append(h, ciphertext...), err
	}
	checksum, err := t.etype.GetChecksumHash(t.key.KeyValue, content, usage(flags))
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint16(h[4:], uint16(len(checksum)))
	return slices.Concat(h, message, checksum), nil
}

func (t *tokens) unwrap(token []byte, seal bool) ([]byte, error) {
	if len(token) < tokenHeader || token[0] != 5 || token[1] != 4 || token[3] != 0xFF {
		return nil, errToken
	}
	flags, extra := token[2], int(binary.BigEndian.Uint16(token[4:]))
	rotation, number := int(binary.BigEndian.Uint16(token[6:])), binary.BigEndian.Uint64(token[8:])
	body := token[tokenHeader:]
	if flags&^sealed != (t.flags^fromAcceptor) || flags&sealed != 0 != seal || number != t.received || len(body) == 0 {
		return nil, errToken
	}
	t.received++
	if rotation %= len(body); rotation > 0 {
		body = slices.Concat(body[rotation:], body[:rotation])
	}
	if seal {
		return t.open(body, flags, number, extra)
	}
	split := len(body) - extra
	if extra == 0 || split < 0 {
		return nil, errToken
	}
	checksum, err := t.etype.GetChecksumHash(t.key.KeyValue,
		slices.Concat(body[:split], header(flags, number)), usage(flags))
	if err != nil || !hmac.Equal(checksum, body[split:]) {
		return nil, errToken
	}
	return body[:split], nil
}

// open decrypts a sealed body: the message, extra bytes and the header.
func (t *tokens) open(body []byte, flags byte, number uint64, extra int) ([]byte, error) {
	if len(body) < t.etype.GetConfounderByteSize()+t.etype.GetHMACBitLength()/8+extra+tokenHeader {
		return nil, errToken
	}
	content, err := t.etype.DecryptMessage(t.key.KeyValue, body, usage(flags))
	if err != nil {
		return nil, errToken
	}
	split := len(content) - tokenHeader
	want := header(flags, number)
	binary.BigEndian.PutUint16(want[4:], uint16(extra))
	if !hmac.Equal(content[split:], want) {
		return nil, errToken
	}
	return content[:split-extra], nil
}
