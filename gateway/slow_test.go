package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"twibase/gateway/metrics"
	"twibase/gateway/middleware"
	"twibase/gateway/usage"
	"twibase/graph/endpoint"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/loaders"
	"twibase/resolvers"
)

func slowly(t *testing.T, most int, test func(t *testing.T, s *slowServer)) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowServer{t: t, network: newPipes(), sending: inflight.New(most), receiving: inflight.New(most)}
		tasks := func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }
		graphQL := endpoint.New(exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, tasks), endpoint.Config{
			Timeout: requestTimeout, Concurrency: 1, Sending: s.sending, Receiving: s.receiving,
			Around: func(ctx context.Context) context.Context { return loaders.With(ctx, nil) }})
		requests := middleware.NewRequestLog(zerolog.Nop(), metrics.NewOperations(usage.New(graphQL.Fields())).Observe,
			middleware.Slow{}, middleware.Spans{})
		server := newServer(middleware.Chain(graphQL, middleware.Compress(s.sending), requests.Handler), 0, zerolog.Nop())
		go server.Serve(s.network)
		defer server.Close()
		test(t, s)
		s.clients.Wait()
		time.Sleep(time.Second) // net/http closes abandoned connections after half a second
		server.Close()
		synctest.Wait()
		for _, held := range []*inflight.Bytes{s.sending, s.receiving} {
			if bytes, _ := held.Load(); bytes != 0 {
				t.Errorf("%d bytes in flight at the end, want 0", bytes)
			}
		}
	})
}

type slowServer struct {
	t         *testing.T
	network   *pipes
	sending   *inflight.Bytes
	receiving *inflight.Bytes
	clients   sync.WaitGroup
}

func (s *slowServer) dial() net.Conn {
	s.t.Helper()
	c, err := s.network.Dial(s.t.Context(), "", "")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

func request(query string, headers ...string) string {
	body := `{"query":` + strconv.Quote(query) + `}`
	return "POST /graphql HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n" + strings.Join(headers, "") +
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// long returns a query whose response has more than a megabyte.
func long() string {
	var query strings.Builder
	for i := range 40 {
		fmt.Fprintf(&query, " a%d: __schema { types { name description fields { name description args { name description } } } }", i)
	}
	return "{" + query.String() + "}"
}

func (s *slowServer) checkOtherRequest(when string) {
	s.t.Helper()
	start, c := time.Now(), s.dial()
	if _, err := io.WriteString(c, request("{__typename}")); err != nil {
		s.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if took := time.Since(start); response.StatusCode != http.StatusOK || took > 0 {
		s.t.Errorf("%s: another request got %s after %v", when, response.Status, took)
	}
}

func (s *slowServer) readSlowly(text string, done func(bytes int, took time.Duration)) {
	c, began := s.dial(), time.Now()
	s.clients.Go(func() {
		io.WriteString(c, text)
		if _, err := io.CopyN(io.Discard, c, 1000); err != nil {
			done(0, time.Since(began))
			return
		}
		one, n := make([]byte, 1), 0
		for {
			if _, err := c.Read(one); err != nil {
				done(n, time.Since(began))
				return
			}
			n++
			time.Sleep(time.Second / 10)
		}
	})
}

func TestSlowRequestBodyTimesOut(t *testing.T) {
	const complete = `{"query":"{__typename}"}`
	for _, test := range []struct{ name, first, everySecond string }{
		{"a byte per second", "", `{"query":` + strconv.Quote(long())},
		{"a megabyte, then nothing", strings.Repeat(" ", 1_040_000), ""},
		{"a megabyte, then a byte per second", strings.Repeat(" ", 1_040_000), complete + strings.Repeat(" ", 100)},
		{"less than its Content-Length", complete, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
				c, began := s.dial(), time.Now()
				s.clients.Go(func() {
					io.WriteString(c, "POST /graphql HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n"+test.first)
					for _, b := range []byte(test.everySecond) {
						if _, err := c.Write([]byte{b}); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				})
				time.Sleep(10 * time.Second)
				s.checkOtherRequest("during a slow body")
				response, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(response.Body)
				want := `{"errors":[{"message":"the body did not come in time","extensions":{"code":"TIMEOUT"}}]}`
				if response.StatusCode != http.StatusRequestTimeout || strings.TrimSpace(string(body)) != want || err != nil {
					t.Errorf("got %s: %s %v", response.Status, body, err)
				}
				if took := time.Since(began); took != requestTimeout {
					t.Errorf("it ended after %v, want %v", took, requestTimeout)
				}
			})
		})
	}
}

func TestOldestSlowBodiesAreCutOff(t *testing.T) {
	const fit, bodies, megabyte, room = 4, 10, 1_040_000, 1 << 20 // buffer of a megabyte
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			slowly(t, fit*room, func(t *testing.T, s *slowServer) {
				transport := &http.Transport{DialContext: s.network.Dial, Protocols: new(http.Protocols)}
				transport.Protocols.SetHTTP1(version == "HTTP/1.1")
				transport.Protocols.SetUnencryptedHTTP2(version == "HTTP/2.0")
				post := func(length int, body io.Reader) (status int, took time.Duration) {
					began := time.Now()
					request, err := http.NewRequest(http.MethodPost, "http://gateway/graphql", body)
					if err != nil {
						t.Error(err)
					}
					request.Header.Set("Content-Type", "application/json")
					request.ContentLength = int64(length)
					response, err := transport.RoundTrip(request)
					if err != nil {
						t.Error(err)
						return 0, 0
					}
					response.Body.Close()
					if response.Proto != version {
						t.Errorf("response by %s", response.Proto)
					}
					return response.StatusCode, time.Since(began)
				}
				for i := range bodies {
					s.clients.Go(func() {
						stops, part := io.Pipe()
						go io.WriteString(part, strings.Repeat(" ", megabyte))
						want := requestTimeout
						if i <= bodies-fit { // one by checkOtherRequest
							want = fit * time.Second
						}
						if status, took := post(megabyte+1, stops); status != http.StatusRequestTimeout || took != want {
							t.Errorf("request %d: status %d after %v, want after %v", i+1, status, took, want)
						}
						part.Close()
					})
					time.Sleep(time.Second)
					synctest.Wait()
					if bytes, cut := s.receiving.Load(); bytes != min(i+1, fit)*room || cut != max(0, i+1-fit) {
						t.Errorf("%d bodies: %d bytes in flight, %d cut off", i+1, bytes, cut)
					}
				}
				s.checkOtherRequest("during many slow bodies")
				time.Sleep(time.Second / 2)
				complete := `{"query":"{__typename}"}`
				if status, took := post(megabyte,
					strings.NewReader(complete+strings.Repeat(" ", megabyte-len(complete)))); status != http.StatusOK || took != 0 {
					t.Errorf("complete request: status %d after %v", status, took)
				}
				s.clients.Wait()
				if _, cut := s.receiving.Load(); cut != bodies-fit+1 {
					t.Errorf("%d of %d were cut off", cut, bodies)
				}
				transport.CloseIdleConnections()
			})
		})
	}
}

func TestSlowReaderTimesOut(t *testing.T) {
	for _, test := range []struct {
		name   string
		header string
		took   time.Duration
	}{
		{"response", "", writeTimeout},
		{"compressed response", "Accept-Encoding: gzip\r\n", writeTimeout},
		{"events", "Accept: text/event-stream\r\n", 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
				s.readSlowly(request(long(), test.header), func(bytes int, took time.Duration) {
					if least := int(test.took/time.Second)*10 - 2; bytes < least || bytes > least+3 ||
						took.Round(time.Second) != test.took {
						t.Errorf("it ended after %v and %d bytes", took, bytes)
					}
				})
				time.Sleep(time.Second)
				bytes, _ := s.sending.Load()
				if least := 1 << 20; bytes < least && test.name != "compressed response" || bytes == 0 {
					t.Errorf("%d bytes in flight", bytes)
				}
				s.checkOtherRequest("during a slow response")
			})
		})
	}
}

func TestOldestSlowReadersAreCutOff(t *testing.T) {
	for _, header := range []string{"", "Accept: text/event-stream\r\n"} {
		slowly(t, 4<<20, func(t *testing.T, s *slowServer) {
			const readers = 10
			var ended [readers]time.Duration
			began := time.Now()
			for i := range readers {
				s.readSlowly(request(long(), header), func(int, time.Duration) { ended[i] = time.Since(began) })
				time.Sleep(time.Second / 2)
				if bytes, _ := s.sending.Load(); bytes > 4<<20 {
					t.Errorf("%d bytes in flight", bytes)
				}
			}
			s.checkOtherRequest("during many slow responses")
			s.clients.Wait()
			_, cut := s.sending.Load()
			if cut == 0 || cut >= readers {
				t.Fatalf("%d of %d were cut off", cut, readers)
			}
			for i, at := range ended {
				if early := at < 10*time.Second; early != (i < cut) {
					t.Errorf("of %d readers the first %d must be cut off; number %d ended after %v", readers, cut, i+1, at)
				}
			}
		})
	}
}

func TestIdleConnectionIsClosed(t *testing.T) {
	for _, test := range []struct {
		name, sent string
		answered   bool
		took       time.Duration
	}{
		{"from the start", "", false, headerTimeout},
		{"within a header", "POST /graphql HTTP/1.1\r\nHost: gate", false, headerTimeout},
		{"after a response", request("{__typename}"), true, idleTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			slowly(t, maxInFlight, func(t *testing.T, s *slowServer) {
				c, began := s.dial(), time.Now()
				s.clients.Go(func() { io.WriteString(c, test.sent) })
				text, err := io.ReadAll(c)
				if answered := strings.Contains(string(text), "HTTP/1.1 200 "); answered != test.answered || err != nil {
					t.Errorf("%v; got %s", err, text)
				}
				if took := time.Since(began); took != test.took {
					t.Errorf("closed after %v, want %v", took, test.took)
				}
			})
		})
	}
}
