package kerberos

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/types"
)

func pair(t *testing.T, keyType int32, subkey byte) (client, server *tokens) {
	t.Helper()
	e, err := crypto.GetEtype(keyType)
	if err != nil {
		t.Fatal(err)
	}
	size := e.GetKeyByteSize()
	if size == 24 { // size of a checksum's key
		size = 32
	}
	key := types.EncryptionKey{KeyType: keyType, KeyValue: bytes.Repeat([]byte{7}, size)}
	return &tokens{key: key, etype: e, flags: subkey, sent: 5, received: 1 << 31},
		&tokens{key: key, etype: e, flags: subkey | fromAcceptor, sent: 1 << 31, received: 5}
}

func TestTokensRoundTrip(t *testing.T) {
	for _, keyType := range encryptionTypes {
		for _, seal := range []bool{false, true} {
			for _, subkey := range []byte{0, acceptorSubkey} {
				t.Run(fmt.Sprint(keyType, seal, subkey), func(t *testing.T) {
					client, server := pair(t, keyType, subkey)
					for _, message := range [][]byte{[]byte("a"), bytes.Repeat([]byte("call"), 1000), {}} {
						exchange(t, client, server, message, seal)
						exchange(t, server, client, message, seal)
					}
				})
			}
		}
	}
}

func exchange(t *testing.T, from, to *tokens, message []byte, seal bool) {
	t.Helper()
	token, err := from.wrap(message, seal)
	if err != nil {
		t.Fatal(err)
	}
	if len(message) > 1 && bytes.Contains(token, message) == seal {
		t.Errorf("the message is readable: %v, want %v", !seal, seal)
	}
	got, err := to.unwrap(token, seal)
	if err != nil || !bytes.Equal(got, message) {
		t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(message))
	}
}

func TestChangedTokensAreRejected(t *testing.T) {
	for _, seal := range []bool{false, true} {
		client, server := pair(t, encryptionTypes[0], 0)
		token, err := client.wrap([]byte("message"), seal)
		if err != nil {
			t.Fatal(err)
		}
		reject := func(name string, token []byte, seal bool) {
			t.Helper()
			s := *server
			if _, err := s.unwrap(token, seal); !errors.Is(err, errToken) {
				t.Errorf("sealed %v, %s: got %v", seal, name, err)
			}
		}
		for i := range token {
			changed := slices.Clone(token)
			changed[i] ^= 1
			if i == 6 || i == 7 { // rotation: another token of the same message
				continue
			}
			reject(fmt.Sprint("byte ", i), changed, seal)
			reject(fmt.Sprint("cut at ", i), token[:i], seal)
		}
		reject("other protection", token, !seal)
		if _, err := server.unwrap(token, seal); err != nil {
			t.Fatal(err)
		}
		reject("repeated", token, seal)
		if _, err := client.wrap([]byte("lost"), seal); err != nil {
			t.Fatal(err)
		}
		next, err := client.wrap([]byte("next"), seal)
		if err != nil {
			t.Fatal(err)
		}
		reject("after a lost one", next, seal)
	}
}

func TestRotatedTokensAreRead(t *testing.T) {
	for _, seal := range []bool{false, true} {
		for rotation := range 40 {
			client, server := pair(t, encryptionTypes[0], 0)
			token, err := client.wrap([]byte("message"), seal)
			if err != nil {
				t.Fatal(err)
			}
			body := token[tokenHeader:]
			at := len(body) - rotation%len(body)
			rotated := slices.Concat(token[:tokenHeader], body[at:], body[:at])
			binary.BigEndian.PutUint16(rotated[6:], uint16(rotation))
			if got, err := server.unwrap(rotated, seal); err != nil || string(got) != "message" {
				t.Fatalf("sealed %v, rotation %d: got %q, %v", seal, rotation, got, err)
			}
		}
	}
}
