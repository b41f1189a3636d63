package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/sample"
	"twibase/transfer"
)

type frames struct {
	*http2.Framer
	conn   net.Conn
	out    *bufio.Writer
	packed bytes.Buffer
	pack   *hpack.Encoder
	stream uint32
	// done is closed after the response to the last ping, or with the connection. It is nil if
	// nothing is read.
	done chan struct{}
}

var last = [8]byte{'l', 'a', 's', 't'}

func newFrames(t *testing.T, conn net.Conn, reads bool) *frames {
	t.Helper()
	f := &frames{conn: conn, out: bufio.NewWriter(conn), stream: 1}
	f.Framer, f.pack = http2.NewFramer(f.out, conn), hpack.NewEncoder(&f.packed)
	t.Cleanup(func() { conn.Close() })
	if reads {
		f.done = make(chan struct{})
		go func() {
			defer close(f.done)
			for {
				frame, err := f.ReadFrame()
				if ping, is := frame.(*http2.PingFrame); err != nil || is && ping.IsAck() && ping.Data == last {
					return
				}
			}
		}()
	}
	io.WriteString(f.out, http2.ClientPreface)
	if err := errors.Join(f.WriteSettings(), f.out.Flush()); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *frames) head(method, path string) http2.HeadersFrameParam {
	f.packed.Reset()
	for _, field := range [][2]string{
		{":method", method}, {":scheme", "http"}, {":authority", "gateway"}, {":path", path},
		{"content-type", "application/json"},
	} {
		_ = f.pack.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	defer func() { f.stream += 2 }()
	return http2.HeadersFrameParam{
		StreamID: f.stream, BlockFragment: f.packed.Bytes(), EndHeaders: true, EndStream: method == http.MethodGet,
	}
}

func (f *frames) request() (stream uint32, err error) {
	head := f.head(http.MethodGet, "/graphql?query={users(first:50){nodes{name%20twits{nodes{content}}}}}")
	return head.StreamID, f.WriteHeaders(head)
}

type countingStore struct {
	hbase.Store
	gets atomic.Int64
}

func (s *countingStore) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	s.gets.Add(int64(len(gets)))
	return s.Store.Get(ctx, gets)
}

type flooded struct {
	store   *countingStore
	address string
	pipes   *pipes
}

func newFlooded(t *testing.T) *flooded {
	t.Helper()
	memory, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { memory.Close() })
	if _, err := transfer.EnsureTables(t.Context(), memory, 1); err != nil {
		t.Fatal(err)
	}
	if err := sample.Load(t.Context(), memory); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const running = 8
	f := &flooded{store: &countingStore{Store: memory}, address: listener.Addr().String(), pipes: newPipes()}
	server := newServer(New(f.store, Config{Limits: limits.Default(), Concurrency: running}).Public, running,
		zerolog.Nop())
	go server.Serve(listener)
	go server.Serve(f.pipes)
	t.Cleanup(func() { server.Close() })
	return f
}

func TestHTTP2FrameFloodsDelayNoOtherRequest(t *testing.T) {
	for _, test := range []struct {
		name  string
		times int
		reads bool // responses
		ends  bool // before all frames are sent
		each  func(f *frames, i int) error
	}{
		{"requests that the client cancels", 20_000, true, false, func(f *frames, _ int) error {
			stream, err := f.request()
			return errors.Join(err, f.WriteRSTStream(stream, http2.ErrCodeCancel))
		}},
		{"requests that the server cancels", 20_000, true, false, func(f *frames, _ int) error {
			stream, err := f.request()
			return errors.Join(err, f.WriteRawFrame(http2.FrameWindowUpdate, 0, stream, make([]byte, 4)))
		}},
		{"endless headers", 20_000, true, true, func(f *frames, i int) error {
			if i == 0 {
				head := f.head(http.MethodGet, "/healthz")
				head.EndHeaders = false
				return f.WriteHeaders(head)
			}
			return f.WriteContinuation(1, false, bytes.Repeat([]byte{0, 1, 'a', 1, 'b'}, 3000))
		}},
		{"endless empty headers", 30_000, true, false, func(f *frames, i int) error {
			if i == 0 {
				head := f.head(http.MethodGet, "/healthz")
				head.EndHeaders = false
				return f.WriteHeaders(head)
			}
			return f.WriteContinuation(1, false, nil)
		}},
		{"settings", 20_000, true, false, func(f *frames, i int) error {
			return f.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: uint32(i)},
				http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(i)})
		}},
		{"pings", 20_000, true, false, func(f *frames, _ int) error { return f.WritePing(false, [8]byte{}) }},
		{"unread pings", 20_000, false, true, func(f *frames, _ int) error { return f.WritePing(false, [8]byte{}) }},
		{"unread settings", 20_000, false, false, func(f *frames, _ int) error { return f.WriteSettings() }},
		{"empty data", 30_000, true, false, func(f *frames, i int) error {
			if i == 0 {
				return f.WriteHeaders(f.head(http.MethodPost, "/graphql"))
			}
			return f.WriteData(1, false, nil)
		}},
		{"priorities of streams that are never opened", 30_000, true, false, func(f *frames, i int) error {
			return f.WritePriority(uint32(2*i+1), http2.PriorityParam{StreamDep: uint32(2*i + 3)})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			flooded := newFlooded(t)
			client := &http.Client{Timeout: 10 * time.Second}
			failed := 0
			otherRequest := func() (took time.Duration) {
				began := time.Now()
				response, err := client.Get("http://" + flooded.address + "/graphql?query={__typename}")
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				if body, err := io.ReadAll(response.Body); string(body) != `{"data":{"__typename":"Query"}}` || err != nil {
					failed++
				}
				return time.Since(began)
			}
			otherRequest()
			goroutines, memory := runtime.NumGoroutine(), heapNow()
			conn, err := net.Dial("tcp", flooded.address)
			if !test.reads {
				conn, err = flooded.pipes.Dial(t.Context(), "", "")
			}
			if err != nil {
				t.Fatal(err)
			}
			f := newFrames(t, conn, test.reads)
			_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
			sent, ended := 0, make(chan error, 1)
			go func() {
				var err error
				for ; sent < test.times && err == nil; sent++ {
					err = test.each(f, sent)
				}
				if f.done != nil {
					err = errors.Join(err, f.WritePing(false, last), f.out.Flush())
					<-f.done
				}
				ended <- err
			}()
			most, longest, others := 0, time.Duration(0), 0
			for sending := true; sending; others++ {
				select {
				case err = <-ended:
					sending = false
				default:
					most, longest = max(most, runtime.NumGoroutine()), max(longest, otherRequest())
				}
			}
			t.Logf("%d sent, %v; %d other requests took at most %v; %d more goroutines, %d Gets", sent, err, others, longest,
				most-goroutines, flooded.store.gets.Load())
			conn.Close()
			if test.ends && (err == nil || errors.Is(err, os.ErrDeadlineExceeded)) {
				t.Errorf("the connection was not closed after %d frames: %v", sent, err)
			}
			if failed > 0 || longest > 5*time.Second {
				t.Errorf("of %d other requests %d failed, and one took %v", others, failed, longest)
			}
			if more := most - goroutines; more > 100 {
				t.Errorf("%d more goroutines, want at most 100", more)
			}
			client.CloseIdleConnections()
			for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines &&
				time.Now().Before(deadline); {
				time.Sleep(10 * time.Millisecond)
			}
			if now := runtime.NumGoroutine(); now > goroutines {
				t.Errorf("%d goroutines remain, want %d", now, goroutines)
			}
			if more := heapNow() - memory; more > 8<<20 {
				t.Errorf("%d more bytes in use", more)
			}
		})
	}
}

func heapNow() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

func TestHTTP2ReceiveWindowsAreBounded(t *testing.T) {
	conn, err := net.Dial("tcp", newFlooded(t).address)
	if err != nil {
		t.Fatal(err)
	}
	f := newFrames(t, conn, false)
	head := f.head(http.MethodGet, "/graphql?query=subscription{twitPosted(username:%22LiLei%22){id}}")
	head.EndStream = false
	if err := errors.Join(f.WriteHeaders(head), f.WritePing(false, last), f.out.Flush()); err != nil {
		t.Fatal(err)
	}
	ofStream, ofConnection := uint32(65_535), uint32(65_535)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if size, has := frame.Value(http2.SettingInitialWindowSize); has {
				ofStream = size
			}
		case *http2.WindowUpdateFrame:
			ofConnection += frame.Increment
		case *http2.PingFrame:
			if ofStream > maxUnread || ofConnection > maxUnread {
				t.Errorf("receive windows: %d of a stream, %d of a connection, want at most %d", ofStream, ofConnection, maxUnread)
			}
			return
		}
	}
}
