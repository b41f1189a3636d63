package command

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A proxy and the gateway must agree where a request ends.
func TestAmbiguousHeadersAreRejected(t *testing.T) {
	url, _ := started(t)
	const body = `{"query":"{__typename}"}`
	for _, test := range []struct {
		name, headers string
		status        int
	}{
		{"one length", "Content-Length: 24\r\n", 200},
		{"two lengths", "Content-Length: 24\r\nContent-Length: 23\r\n", 400},
		{"Content-Length with a sign", "Content-Length: +24\r\n", 400},
		{"negative Content-Length", "Content-Length: -24\r\n", 400},
		{"blank after a header name", "Content-Length : 24\r\n", 400},
		{"unknown Transfer-Encoding", "Content-Length: 24\r\nTransfer-Encoding: xchunked\r\n", 501},
		{"two hosts", "Content-Length: 24\r\nHost: b\r\n", 400},
		{"a nul", "Content-Length: 24\r\nA: \x00\r\n", 400},
		{"unknown Expect", "Content-Length: 24\r\nExpect: 200-ok\r\n", 417},
		{"128 KiB of headers", "Content-Length: 24\r\nA: " + strings.Repeat("a", 128<<10) + "\r\n", 431},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(10 * time.Second))
			// The server may close the connection early.
			_, _ = io.WriteString(c, "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"+test.headers+"\r\n"+body)
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != test.status {
				t.Errorf("status %d", response.StatusCode)
			}
			if response.StatusCode != http.StatusOK && !response.Close {
				t.Error("the connection was not closed")
			}
		})
	}
}
