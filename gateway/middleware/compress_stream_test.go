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
