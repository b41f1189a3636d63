package kerberos

import (
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/chksumtype"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

type ticket struct {
	messages.Ticket
	key types.EncryptionKey
}

// gssContext is a client's GSSAPI security context (RFC 4121, section 4.1).
type gssContext struct {
	ticket        ticket
	authenticator types.Authenticator
}

func newContext(user types.PrincipalName, realm string, t ticket) (*gssContext, error) {
	a, err := types.NewAuthenticator(realm, user)
	if err != nil {
		return nil, err
	}
	a.Cksum = types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: make([]byte, 24)}
	binary.LittleEndian.PutUint32(a.Cksum.Checksum, 16) // length of the channel bindings: none
	binary.LittleEndian.PutUint32(a.Cksum.Checksum[20:], gssapi.ContextFlagMutual|gssapi.ContextFlagReplay|
		gssapi.ContextFlagSequence|gssapi.ContextFlagConf|gssapi.ContextFlagInteg)
	return &gssContext{t, a}, nil
}

// Heads of GSSAPI tokens: Kerberos, and the kind of message.
const (
	mechanism  = "\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"
	headAPReq  = mechanism + "\x01\x00"
	headAPRep  = mechanism + "\x02\x00"
	headError  = mechanism + "\x03\x00"
	headLength = len(headAPReq)
)

var errAnswer = errors.New("the server does not answer as Kerberos demands")

func (c *gssContext) request() ([]byte, error) {
	request, err := messages.NewAPReq(c.ticket.Ticket, c.ticket.key, c.authenticator)
	if err != nil {
		return nil, err
	}
	types.SetFlag(&request.APOptions, flags.APOptionMutualRequired)
	b, err := request.Marshal()
	return asn1tools.AddASNAppTag(append([]byte(headAPReq), b...), 0), err
}

func (c *gssContext) answer(token []byte) (t *tokens, err error) {
	defer func() { // gokrb5 panics for a short ciphertext
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errAnswer, p)
		}
	}()
	head, body, err := parseToken(token)
	if err != nil {
		return nil, err
	}
	switch head {
	case headAPRep:
	case headError:
		var reason messages.KRBError
		if err := reason.Unmarshal(body); err != nil {
			return nil, err
		}
		return nil, reason
	default:
		return nil, fmt.Errorf("%w: it sends a token of another kind", errAnswer)
	}
	var reply messages.APRep
	if err := reply.Unmarshal(body); err != nil {
		return nil, err
	}
	plain, err := crypto.DecryptEncPart(reply.EncPart, c.ticket.key, keyusage.AP_REP_ENCPART)
	if err != nil {
		return nil, fmt.Errorf("%w: it does not have the key of the ticket", errAnswer)
	}
	var part messages.EncAPRepPart
	if err := part.Unmarshal(plain); err != nil {
		return nil, err
	}
	if a := c.authenticator; part.CTime.Unix() != a.CTime.Unix() || part.Cusec != a.Cusec {
		return nil, fmt.Errorf("%w: it answers another request", errAnswer)
	}
	return c.tokens(part)
}

func (c *gssContext) tokens(part messages.EncAPRepPart) (t *tokens, err error) {
	t = &tokens{key: c.ticket.key, sent: uint64(c.authenticator.SeqNumber), received: uint64(uint32(part.SequenceNumber))}
	if len(part.Subkey.KeyValue) > 0 {
		t.key, t.flags = part.Subkey, acceptorSubkey
	}
	if t.etype, err = crypto.GetEtype(t.key.KeyType); err != nil {
		return nil, err
	}
	return t, nil
}

func parseToken(token []byte) (head string, message []byte, err error) {
	var t asn1.RawValue
	rest, err := asn1.Unmarshal(token, &t)
	application := t.Class == asn1.ClassApplication && t.Tag == 0 && t.IsCompound
	if err != nil || !application || len(t.Bytes) < headLength || len(rest) > 0 {
		return "", nil, fmt.Errorf("%w: its token is not of GSSAPI, or not complete", errAnswer)
	}
	return string(t.Bytes[:headLength]), t.Bytes[headLength:], nil
}
