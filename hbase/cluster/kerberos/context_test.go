package kerberos

import (
	"encoding/asn1"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/iana/asnAppTag"
	"github.com/jcmturner/gokrb5/v8/iana/msgtype"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

func TestMalformedTokensAreRejected(t *testing.T) {
	for _, message := range []string{"", "message", strings.Repeat("m", 200), strings.Repeat("m", 70_000)} {
		token := asn1tools.AddASNAppTag([]byte(headAPRep+message), 0)
		head, body, err := parseToken(token)
		if head != headAPRep || string(body) != message || err != nil {
			t.Fatalf("got %q, %d bytes, %v", head, len(body), err)
		}
		malformed := map[string][]byte{
			"another byte after it": append(slices.Clone(token), 0),
			"a tag of its own":      asn1tools.AddASNAppTag([]byte(headAPRep+message), 1),
			"a primitive value":     append([]byte{0x40}, token[1:]...),
			"a universal tag":       append([]byte{0x30}, token[1:]...),
			"an indefinite length":  append([]byte{0x60, 0x80}, headAPRep+message...),
			"a cut head":            asn1tools.AddASNAppTag([]byte(headAPRep[1:]), 0),
		}
		for name, token := range malformed {
			if _, _, err := parseToken(token); !errors.Is(err, errAnswer) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		for n := range min(len(token), 300) {
			if _, _, err := parseToken(token[:n]); !errors.Is(err, errAnswer) {
				t.Errorf("cut at %d: got %v", n, err)
			}
		}
	}
}

func TestShortAnswersAreErrors(t *testing.T) {
	for _, size := range []int{0, 12, 20, 40} {
		for _, keyType := range encryptionTypes {
			client, _ := pair(t, keyType, 0)
			user := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "twibase")
			c, err := newContext(user, "EXAMPLE.COM", ticket{key: client.key})
			if err != nil {
				t.Fatal(err)
			}
			encrypted := types.EncryptedData{EType: keyType, Cipher: make([]byte, size)}
			reply, err := asn1.Marshal(messages.APRep{PVNO: 5, MsgType: msgtype.KRB_AP_REP, EncPart: encrypted})
			if err != nil {
				t.Fatal(err)
			}
			reply = asn1tools.AddASNAppTag(reply, asnAppTag.APREP)
			if _, err := c.answer(asn1tools.AddASNAppTag(append([]byte(headAPRep), reply...), 0)); !errors.Is(err, errAnswer) {
				t.Errorf("type %d, %d bytes: %v", keyType, size, err)
			}
		}
	}
}
