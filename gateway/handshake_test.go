package gateway

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/http2"
)

func TestStalledTLSHandshakeIsClosed(t *testing.T) {
	example := httptest.NewTLSServer(http.NotFoundHandler())
	certificates := example.TLS.Certificates
	example.Close()
	hello := func(c net.Conn) *tls.Conn {
		return tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	}
	for _, test := range []struct {
		name  string
		many  int
		begin func(c net.Conn)
	}{
		{"before the hello", 1000, func(net.Conn) {}},
		{"after a byte of the hello", 1000, func(c net.Conn) { c.Write([]byte{22}) }},
		{"after the hello", 50, func(c net.Conn) { hello(&mute{c}).Handshake() }},
		{"after the handshake", 50, func(c net.Conn) { hello(c).Handshake() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := newPipes()
				server := newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "complete") }),
					0, zerolog.Nop())
				server.TLSConfig = &tls.Config{Certificates: certificates}
				go server.ServeTLS(network, "", "")
				defer server.Close()
				began := time.Now()
				var all sync.WaitGroup
				for range test.many {
					c, err := network.Dial(t.Context(), "", "")
					if err != nil {
						t.Fatal(err)
					}
					all.Go(func() {
						defer c.Close()
						test.begin(c)
						io.Copy(io.Discard, c)
						if took := time.Since(began); took != headerTimeout {
							t.Errorf("closed after %v, want %v", took, headerTimeout)
						}
					})
				}
				synctest.Wait()
				client := &http.Client{Transport: &http.Transport{DialContext: network.Dial, DisableKeepAlives: true,
					TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
				response, err := client.Get("https://gateway")
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(response.Body)
				if took := time.Since(began); string(body) != "complete" || err != nil || took != 0 {
					t.Errorf("another client got %s after %v: %v", body, took, err)
				}
				response.Body.Close()
				all.Wait()
			})
		})
	}
}

type mute struct{ net.Conn }

func (m *mute) Read([]byte) (int, error) { return 0, io.EOF }

func ask(query string) string { return `{"query":"` + query + `"}` }

func (s *slowServer) newSlowFrames() *frames { return newFrames(s.t, s.dial(), false) }

func (f *frames) await(stream uint32, types ...http2.FrameType) (http2.Frame, error) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return nil, err
		}
		for _, typ := range types {
			if h := frame.Header(); h.StreamID == stream && h.Type == typ {
				return frame, nil
			}
		}
	}
}

func TestSlowHTTP2ClientsAreClosed(t *testing.T) {
	t.Run("incomplete headers", func(t *testing.T) {
		slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
			f, began := s.newSlowFrames(), time.Now()
			head := f.head(http.MethodGet, "/graphql")
			head.EndHeaders = false
			s.clients.Go(func() { _ = errors.Join(f.WriteHeaders(head), f.out.Flush()) })
			s.checkOtherRequest("during incomplete headers")
			for {
				if _, err := f.ReadFrame(); err != nil {
					break
				}
			}
			if took := time.Since(began); took > idleTimeout+2*time.Second {
				t.Errorf("it is closed after %v", took)
			}
		})
	})
	t.Run("a byte of the body per second", func(t *testing.T) {
		slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
			f, began, body := s.newSlowFrames(), time.Now(), ask(long())
			head := f.head(http.MethodPost, "/graphql")
			s.clients.Go(func() {
				err := errors.Join(f.WriteHeaders(head), f.out.Flush())
				for i := 0; err == nil && time.Since(began) < 2*requestTimeout; i++ {
					err = errors.Join(f.WriteData(head.StreamID, false, []byte(body[i:i+1])), f.out.Flush())
					time.Sleep(time.Second)
				}
				f.conn.Close()
			})
			time.Sleep(10 * time.Second)
			s.checkOtherRequest("during a slow body")
			if _, err := f.await(head.StreamID, http2.FrameHeaders); err != nil ||
				time.Since(began).Round(time.Second) != requestTimeout {
				t.Errorf("response after %v: %v", time.Since(began), err)
			}
			io.Copy(io.Discard, f.conn)
		})
	})
	t.Run("unread response", func(t *testing.T) {
		slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
			f, began := s.newSlowFrames(), time.Now()
			head := f.head(http.MethodPost, "/graphql")
			s.clients.Go(func() {
				_ = errors.Join(f.WriteHeaders(head), f.WriteData(head.StreamID, true, []byte(ask(long()))), f.out.Flush())
			})
			if _, err := f.await(head.StreamID, http2.FrameHeaders); err != nil { // 64 KiB
				t.Fatal(err)
			}
			ended := make(chan time.Duration)
			go func() {
				_, _ = f.await(head.StreamID, http2.FrameRSTStream)
				ended <- time.Since(began)
			}()
			time.Sleep(time.Second)
			if bytes, _ := s.sending.Load(); bytes < 1<<20 {
				t.Errorf("%d bytes in flight", bytes)
			}
			s.checkOtherRequest("during an unread response")
			if took := <-ended; took.Round(time.Second) != writeTimeout {
				t.Errorf("it ended after %v, want %v", took, writeTimeout)
			}
			f.conn.Close()
		})
	})
	t.Run("oldest unread responses are cut off", func(t *testing.T) {
		slowly(t, 4<<20, func(t *testing.T, s *slowServer) {
			var all sync.WaitGroup
			began, early := time.Now(), 0
			for range 10 {
				f := s.newSlowFrames()
				head := f.head(http.MethodPost, "/graphql")
				s.clients.Go(func() {
					_ = errors.Join(f.WriteHeaders(head), f.WriteData(head.StreamID, true, []byte(ask(long()))), f.out.Flush())
				})
				all.Go(func() {
					if _, err := f.await(head.StreamID, http2.FrameRSTStream); err == nil && time.Since(began) < 10*time.Second {
						early++
					}
					f.conn.Close()
				})
				time.Sleep(time.Second / 2)
				if bytes, _ := s.sending.Load(); bytes > 4<<20 {
					t.Errorf("%d bytes in flight", bytes)
				}
			}
			all.Wait()
			if _, cut := s.sending.Load(); cut == 0 || int(cut) != early {
				t.Errorf("%d were cut off, and %d ended early", cut, early)
			}
		})
	})
}
