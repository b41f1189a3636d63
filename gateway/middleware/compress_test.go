package middleware

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"

	"twibase/graph/endpoint/inflight"
)

func BenchmarkCompressionLevel(b *testing.B) {
	page, err := os.ReadFile("../../docs/OPERATIONS.md")
	if err != nil {
		b.Fatal(err)
	}
	type node struct {
		ID      []byte `json:"id"`
		Content string `json:"content"`
	}
	var nodes []node
	ids := rand.New(rand.NewPCG(1, 1))
	for content := range strings.Lines(string(page)) {
		nodes = append(nodes, node{binary.BigEndian.AppendUint64(nil, ids.Uint64()), content})
	}
	data, err := json.Marshal(nodes)
	if err != nil {
		b.Fatal(err)
	}
	for _, level := range []int{1, compressionLevel, 3, 5, 6} {
		b.Run(strconv.Itoa(level), func(b *testing.B) {
			var response bytes.Buffer
			w, err := gzip.NewWriterLevel(&response, level)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				response.Reset()
				w.Reset(&response)
				_, _ = w.Write(data)
				_ = w.Close()
			}
			b.ReportMetric(float64(response.Len())/float64(len(data)), "length/original")
		})
	}
}

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

type partsWriter struct {
	http.ResponseWriter
	write func(part []byte)
}

func (w partsWriter) Write(part []byte) (int, error) {
	w.write(part)
	return len(part), nil
}

func TestOthersRunDuringALongCompression(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, test := range []struct {
		encoding string
		want     []int
	}{
		{"gzip", []int{compressedPart, compressedPart, 1}},
		{"", []int{2*compressedPart + 1}},
	} {
		var other atomic.Bool
		var parts []int
		handler := yield(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			go other.Store(true)
			_, _ = w.Write(make([]byte, 2*compressedPart+1))
		}))
		r := httptest.NewRequest(http.MethodGet, "/graphql", nil)
		r.Header.Set("Accept-Encoding", test.encoding)
		handler.ServeHTTP(partsWriter{httptest.NewRecorder(), func(part []byte) {
			if parts = append(parts, len(part)); len(parts) == 2 && !other.Load() {
				t.Error("another goroutine does not run between two parts")
			}
		}}, r)
		if !slices.Equal(parts, test.want) {
			t.Errorf("with Accept-Encoding %q, parts of %v bytes are written, want %v", test.encoding, parts, test.want)
		}
	}
}
