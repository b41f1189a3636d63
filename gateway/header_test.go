package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestManyHeaderFieldsAreRejectedBeforeTheBody(t *testing.T) {
	slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
		for _, test := range []struct {
			fields, status int
			body           string
		}{
			{maxHeaderFields - 2, http.StatusOK, `"data"`}, // and Content-Type, Content-Length
			{maxHeaderFields - 1, http.StatusRequestHeaderFieldsTooLarge,
				`{"errors":[{"message":"the number of header fields is limited to 100, and this is 101",` +
					`"extensions":{"actual":101,"code":"LIMIT_EXCEEDED","limit":100}}]}`},
		} {
			var headers strings.Builder
			for i := range test.fields {
				fmt.Fprintf(&headers, "x%d:\r\n", i)
			}
			text := request("{__typename}", headers.String())
			if test.status != http.StatusOK {
				text = text[:len(text)-1] // an incomplete body
			}
			c, began := s.dial(), time.Now()
			s.clients.Go(func() { io.WriteString(c, text) })
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if response.StatusCode != test.status || !strings.Contains(string(body), test.body) || err != nil {
				t.Errorf("%d fields: got %s: %s %v", test.fields, response.Status, body, err)
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("%d fields: answered after %v", test.fields, took)
			}
			c.Close()
		}
	})
}

func TestLongHeadersOfSlowBodiesAreInFlight(t *testing.T) {
	slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
		const long = 60 << 10
		c := s.dial()
		s.clients.Go(func() {
			text := request("{__typename}", "X-Long: "+strings.Repeat("x", long)+"\r\n")
			io.WriteString(c, text[:len(text)-1])
			time.Sleep(time.Second)
			if bytes, _ := s.receiving.Load(); bytes < long {
				t.Errorf("%d bytes in flight, want more than %d", bytes, long)
			}
			c.Close()
		})
	})
}
