package websocket

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestRejectedHandshakeRepeatsNoInput(t *testing.T) {
	long := strings.Repeat("<a", 20_000)
	for _, test := range []struct {
		name, method, header, value, code string
		status                            int
	}{
		{"long origin", "GET", "Origin", "http://" + long, "FORBIDDEN", 403},
		{"malformed origin", "GET", "Origin", "http://[" + long, "FORBIDDEN", 403},
		{"long version", "GET", "Sec-WebSocket-Version", long, "BAD_USER_INPUT", 400},
		{"a long key", "GET", "Sec-WebSocket-Key", long, "BAD_USER_INPUT", 400},
		{"no key", "GET", "Sec-WebSocket-Key", "", "BAD_USER_INPUT", 400},
		{"long Connection header", "GET", "Connection", long, "BAD_USER_INPUT", 426},
		{"a POST", "POST", "A", "", "BAD_USER_INPUT", 405},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(test.method, "/graphql", nil)
			for name, value := range map[string]string{"Upgrade": "websocket", "Connection": "Upgrade",
				"Sec-WebSocket-Version": "13",
				"Sec-WebSocket-Key":     "AAAAAAAAAAAAAAAAAAAAAA==", test.header: test.value} {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			(&Server{}).ServeHTTP(w, r)
			if w.Code != test.status || w.Body.Len() >= 1<<10 || !strings.Contains(w.Body.String(), `"code":"`+test.code+`"`) ||
				strings.Contains(w.Body.String(), "<a") {
				t.Errorf("status %d, %d bytes: %.200s", w.Code, w.Body.Len(), w.Body)
			}
			if kind := w.Header().Get("Content-Type"); kind != "application/json; charset=utf-8" {
				t.Errorf("Content-Type: %s", kind)
			}
			if (w.Header().Get("Allow") == http.MethodGet) != (test.status == http.StatusMethodNotAllowed) {
				t.Errorf("Allow: %q", w.Header().Get("Allow"))
			}
		})
	}
}

func TestLongSubprotocolIsNotAgreedOn(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/graphql", nil)
	for length, want := range map[int][]string{maxName: {Protocol, strings.Repeat("a", maxName)},
		maxName + 1: {Protocol}} {
		r.Header.Set("Sec-WebSocket-Protocol", strings.Repeat("a", length)+", b")
		if got := subprotocols(r); !slices.Equal(got, want) {
			t.Errorf("of %d bytes: %.200q", length, got)
		}
	}
}
