package kerberos

import (
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"testing"
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
