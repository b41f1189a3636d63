package middleware

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"twibase/graph/endpoint/inflight"
)

func TestCompressDoesNotBufferServerSentEvents(t *testing.T) {
	for name, accept := range map[string][]string{
		"lower case":      {"text/event-stream"},
		"mixed case":      {"Text/Event-Stream"},
		"a second header": {"application/json", "text/event-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			next := http.HandlerFunc(func(to http.ResponseWriter, _ *http.Request) {
				to.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				to.WriteHeader(http.StatusOK)
				_, _ = io.WriteString(to, "event")
				if got := w.Body.String(); got != "event" {
					t.Errorf("the client got %q before the end of the stream, want the event", got)
				}
			})
			r := httptest.NewRequest(http.MethodGet, "/graphql", nil)
			r.Header["Accept"] = accept
			Compress(inflight.New(1<<20))(next).ServeHTTP(w, r)
		})
	}
}

func TestCompressBuffersOtherResponses(t *testing.T) {
	for name, header := range map[string][2]string{
		"no event":             {"Accept", "application/json, text/event-stream"},
		"no upgrade":           {"Upgrade", "x"},
		"an upgrade to HTTP/2": {"Upgrade", "h2c"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			inFlight := inflight.New(1 << 20)
			next := http.HandlerFunc(func(to http.ResponseWriter, _ *http.Request) {
				to.WriteHeader(http.StatusTeapot)
				_, _ = io.WriteString(to, "response")
				if got := w.Body.String(); got != "" {
					t.Errorf("the client got %q before the end of the response", got)
				}
			})
			r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
			r.Header.Set(header[0], header[1])
			Compress(inFlight)(next).ServeHTTP(w, r)
			if w.Code != http.StatusTeapot || w.Body.String() != "response" {
				t.Errorf("got status %d and %q", w.Code, w.Body)
			}
		})
	}
}
