package middleware

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"twibase/graph/endpoint/inflight"
)

type discard struct{ header http.Header }

func (d discard) Header() http.Header            { return d.header }
func (d discard) Write(text []byte) (int, error) { return len(text), nil }
func (d discard) WriteHeader(int)                {}

func BenchmarkBuffer(b *testing.B) {
	for _, size := range []int{1000, 20_000, 200_000} {
		data := bytes.Repeat([]byte("x"), size)
		h := buffer(inflight.New(1<<30), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(data)
		}))
		r := httptest.NewRequest("GET", "/", nil)
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(discard{http.Header{}}, r)
			}
		})
	}
}
