package kerberos

import (
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

func TestOfferWithoutProtectionIsRejected(t *testing.T) {
	for want, offer := range map[string][]byte{
		"its offer has 3 bytes, not 4": {1, 0, 0},
		"it offers 0x8":                {8, 0, 0, 0},
	} {
		client, server := pair(t, encryptionTypes[0], 0)
		token, err := server.wrap(offer, false)
		if err != nil {
			t.Fatal(err)
		}
		local, remote := net.Pipe()
		go func() {
			defer remote.Close()
			_, _ = remote.Write(append(binary.BigEndian.AppendUint32(make([]byte, 4), uint32(len(token))), token...))
		}()
		_, err = agree(local, client)
		if !errors.Is(err, errProtection) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestRejectedTicketIsDiscarded(t *testing.T) {
	client, _ := pair(t, encryptionTypes[0], 0)
	end := time.Now().Add(time.Hour)
	id := identify(t, []string{"kdc"})
	id.asked.Store(&id.realm)
	host := types.NewPrincipalName(nametype.KRB_NT_SRV_INST, "hbase/host")
	of := messages.Ticket{TktVNO: 5, Realm: id.realm, SName: host,
		EncPart: types.EncryptedData{EType: client.key.KeyType, Cipher: []byte("ticket")}}
	l := &Login{id: id, slot: make(chan struct{}, 1), session: &session{id, expiring{end: end}, map[string]expiring{
		"hbase/host": {ticket{of, client.key}, end}, "hbase/other": {end: end}}}}
	local, remote := net.Pipe()
	defer local.Close()
	go func() {
		defer remote.Close()
		head := make([]byte, len(preamble)+4)
		_, _ = io.ReadFull(remote, head)
		_, _ = io.CopyN(io.Discard, remote, int64(binary.BigEndian.Uint32(head[len(preamble):])))
		answer := []byte{0, 0, 0, 1}
		for _, text := range []string{"javax.security.sasl.SaslException", "GSS initiate failed"} {
			answer = append(binary.BigEndian.AppendUint32(answer, uint32(len(text))), text...)
		}
		_, _ = remote.Write(answer)
	}()
	_, err := l.Secure(t.Context(), local, "host")
	if err == nil || !strings.Contains(err.Error(), "GSS initiate failed") {
		t.Error(err)
	}
	if got := slices.Collect(maps.Keys(l.session.others)); !slices.Equal(got, []string{"hbase/other"}) {
		t.Errorf("tickets %q", got)
	}
}
