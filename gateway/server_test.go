package gateway

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestShutdownWaitsForInFlightRequests(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	listener := listen(t)
	draining := make(chan struct{})
	ended := make(chan error, 1)
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-finish
		if err := r.Context().Err(); err != nil {
			t.Error("the request was cut off: ", err)
		}
		io.WriteString(w, "whole")
	}), 0, zerolog.Nop())
	go server.Serve(listener)
	answer := make(chan string, 1)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answer <- string(body)
	}()
	<-begun
	go func() {
		ended <- shutdown(t.Context(), server, func(context.Context) { close(draining) }, zerolog.Nop())
	}()
	<-draining
	select {
	case err := <-ended:
		t.Fatal("the server ended before its request: ", err)
	default:
	}
	close(finish)
	if got := <-answer; got != "whole" {
		t.Errorf("the request is answered by %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func openSample(t *testing.T, config Config) Open {
	return func(context.Context, func(string)) (*Gateway, error) { return New(sampleStore(t), config), nil }
}

func serving(t *testing.T, ctx context.Context, config Config, open Open) (url string, ended <-chan error) {
	t.Helper()
	listener := listen(t)
	end := make(chan error, 1)
	go func() { end <- Serve(ctx, Listeners{Public: listener}, config, open) }()
	return "http://" + listener.Addr().String(), end
}

func fetch(url string) (status int, body string) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

func TestServeListensBeforeTheStoreIsOpen(t *testing.T) {
	const query = "/graphql?query={__typename}"
	ctx, stop := context.WithCancel(t.Context())
	opened := make(chan struct{})
	url, ended := serving(t, ctx, Config{}, func(ctx context.Context, waiting func(string)) (*Gateway, error) {
		waiting("the store is being opened")
		<-opened
		return openSample(t, Config{})(ctx, waiting)
	})
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/healthz": {http.StatusOK, "ok\n"},
		"/readyz":  {http.StatusServiceUnavailable, "the store is being opened\n"},
		query: {http.StatusServiceUnavailable,
			`{"errors":[{"message":"the gateway is starting; try again","extensions":{"code":"UNAVAILABLE"}}]}` + "\n"},
	} {
		for status, body := fetch(url + path); status != want.status || body != want.body; status, body = fetch(url + path) {
			if body != "the gateway is starting\n" { // not waiting yet
				t.Errorf("%s: status %d, %s", path, status, body)
				break
			}
		}
	}
	close(opened)
	deadline := time.Now().Add(10 * time.Second)
	for status, _ := fetch(url + "/readyz"); status != http.StatusOK; status, _ = fetch(url + "/readyz") {
		if time.Now().After(deadline) {
			t.Fatal("not ready after the store is open")
		}
	}
	if status, body := fetch(url + query); status != http.StatusOK || body != `{"data":{"__typename":"Query"}}` {
		t.Errorf("status %d: %s", status, body)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServeReturnsTheErrorOfOpen(t *testing.T) {
	want := errors.New("there are no tables")
	url, ended := serving(t, t.Context(), Config{}, func(context.Context, func(string)) (*Gateway, error) { return nil, want })
	if err := <-ended; err != want {
		t.Errorf("got %v", err)
	}
	if status, body := fetch(url + "/healthz"); status != 0 {
		t.Errorf("the port is open: status %d, %s", status, body)
	}
}

// The balancer sends requests until a poll of /readyz fails.
func TestDrainDelayRefusesNoConnectionBehindABalancer(t *testing.T) {
	const poll = 50 * time.Millisecond
	config := Config{DrainDelay: 6 * poll}
	ctx, terminate := context.WithCancelCause(t.Context())
	url, ended := serving(t, ctx, config, openSample(t, config))
	for status, _ := fetch(url + "/readyz"); status != http.StatusOK; status, _ = fetch(url + "/readyz") {
		time.Sleep(time.Millisecond)
	}
	begun := time.Now()
	time.AfterFunc(2*poll, func() { terminate(ErrTerminated) })
	sent := 0
	for polled := begun; ; {
		if time.Since(polled) >= poll {
			polled = time.Now()
			if status, body := fetch(url + "/readyz"); status != http.StatusOK {
				if status != http.StatusServiceUnavailable || body != "the gateway is shutting down\n" {
					t.Errorf("/readyz: status %d, %s", status, body)
				}
				break
			}
		}
		if status, body := fetch(url + "/graphql?query={__typename}"); status != http.StatusOK {
			t.Errorf("after %d requests: status %d, %s", sent, status, body)
		}
		sent++
	}
	if status, body := fetch(url + "/graphql?query={__typename}"); status != http.StatusOK {
		t.Errorf("a request after /readyz failed: status %d, %s", status, body)
	}
	if err := <-ended; err != nil || time.Since(begun) < config.DrainDelay || sent < 5 {
		t.Errorf("ended after %v and %d requests: %v", time.Since(begun), sent, err)
	}
}

func TestOnlyTerminationIsDelayed(t *testing.T) {
	config := Config{DrainDelay: time.Hour}
	ctx, stop := context.WithCancel(t.Context())
	url, ended := serving(t, ctx, config, openSample(t, config))
	for status, _ := fetch(url + "/readyz"); status != http.StatusOK; status, _ = fetch(url + "/readyz") {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServeReturnsTheErrorOfAListenerWhileTheStoreOpens(t *testing.T) {
	for _, name := range []string{"public", "monitoring"} {
		t.Run(name, func(t *testing.T) {
			failure := errors.New("the listener failed")
			l := Listeners{Public: listen(t), Monitoring: brokenListener{listen(t), failure}}
			if name == "public" {
				l = Listeners{Public: l.Monitoring, Monitoring: l.Public}
			}
			waiting := func(ctx context.Context, _ func(string)) (*Gateway, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			err := Serve(t.Context(), l, Config{Log: zerolog.Nop()}, waiting)
			if !errors.Is(err, failure) {
				t.Errorf("Serve returned %v, want %v", err, failure)
			}
		})
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

type brokenListener struct {
	net.Listener
	err error
}

func (l brokenListener) Accept() (net.Conn, error) { return nil, l.err }
