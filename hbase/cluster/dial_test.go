package cluster

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestWriteThatAServerDoesNotReadTimesOut(t *testing.T) {
	for _, test := range []struct {
		name  string
		parts int // read by the server, one each second
		err   error
	}{
		{"a silent server", 1, os.ErrDeadlineExceeded},
		{"a slow server", 4, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				local, remote := net.Pipe()
				defer local.Close()
				defer remote.Close()
				go func() {
					for range test.parts {
						time.Sleep(time.Second)
						_, _ = io.CopyN(io.Discard, remote, boundedPart)
					}
				}()
				c := boundedConn{local, 2 * time.Second}
				if n, err := c.Write(make([]byte, 4*boundedPart)); !errors.Is(err, test.err) || n != test.parts*boundedPart {
					t.Errorf("%d bytes, error %v", n, err)
				}
			})
		})
	}
}
