package cluster

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

func TestMessageToASilentServerTimesOut(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dial := dialMessages(new(net.Dialer).DialContext, 100*time.Millisecond)
	conn, err := dial(t.Context(), "tcp", listener.Addr().String()) // that never reads
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	const size = 32 << 20 // more than the sockets' buffers
	message := append(binary.BigEndian.AppendUint32(nil, size), make([]byte, size)...)
	message[lengthBytes] = 1
	if _, err := conn.Write(message); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want a timeout", err)
	}
}
