package auth

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/rs/zerolog"

	"twibase/graph/apierr"
)

type remote struct {
	mu       sync.Mutex
	response func(ctx context.Context) (status int, body io.Reader)
	fetches  []time.Time
}

func (r *remote) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.fetches = append(r.fetches, time.Now())
	response := r.response
	r.mu.Unlock()
	status, body := response(request.Context())
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Body: io.NopCloser(body), Request: request}, nil
}

func (r *remote) respond(response func(ctx context.Context) (status int, body io.Reader)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.response = response
}

func publishing(set string) func(context.Context) (int, io.Reader) {
	return func(context.Context) (int, io.Reader) { return http.StatusOK, strings.NewReader(set) }
}

type endless struct {
	ctx  context.Context
	each time.Duration
}

func (e endless) Read(b []byte) (int, error) {
	select {
	case <-time.After(e.each):
		return copy(b, bytes.Repeat([]byte{' '}, len(b))), nil
	case <-e.ctx.Done():
		return 0, e.ctx.Err()
	}
}

func (r *remote) issued(t *testing.T) *Tokens {
	t.Helper()
	keys, err := readKeySet(t.Context(), r, "https://issuer.example", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return &Tokens{Keys: keys, Now: time.Now}
}

func lasting(t *testing.T, key *ecdsa.PrivateKey, id string) string {
	return forge(t, jose.ES256, key, fields{"kid": id}, fields{"sub": "LiLei", "exp": time.Now().Add(time.Hour).Unix()})
}

func TestConcurrentRequestsShareAFetch(t *testing.T) {
	young := newES256(t)
	synctest.Test(t, func(t *testing.T) {
		is := &remote{response: publishing(keySet(t, public("old", newES256(t))))}
		here, token := is.issued(t), lasting(t, young, "young")
		time.Sleep(2 * minFetchPause)
		cancelled, cancel := context.WithCancel(t.Context())
		is.respond(func(context.Context) (int, io.Reader) {
			cancel()
			time.Sleep(time.Second)
			return publishing(keySet(t, public("young", young)))(cancelled)
		})
		var all sync.WaitGroup
		verify := func(ctx context.Context) {
			if _, _, err := here.Verify(ctx, token); err != nil {
				t.Error(err)
			}
		}
		all.Go(func() { verify(cancelled) })
		synctest.Wait()
		for range 50 {
			all.Go(func() { verify(t.Context()) })
		}
		synctest.Wait()
		began := time.Now()
		if _, _, err := here.Verify(cancelled, token); err == nil || time.Since(began) > 0 {
			t.Errorf("a cancelled request waits %v, and gets %v", time.Since(began), err)
		}
		all.Wait()
		if n := len(is.fetches); n != 2 {
			t.Errorf("%d fetches, want 1", n)
		}
	})
}

// Keys are fetched at most every 30 s. A known key is accepted immediately, a new key 30 s later.
func TestFailingIssuerIsNotFetchedMoreOften(t *testing.T) {
	old, young := newES256(t), newES256(t)
	for _, test := range []struct {
		name     string
		response func(ctx context.Context) (int, io.Reader)
		slowest  time.Duration
	}{
		{"no such key", publishing(keySet(t, public("old", old))), 0},
		{"no response", func(ctx context.Context) (int, io.Reader) { <-ctx.Done(); return 0, nil }, fetchTimeout},
		{"a byte per second", func(ctx context.Context) (int, io.Reader) { return 200, endless{ctx, time.Second} },
			fetchTimeout},
		{"endless response", func(ctx context.Context) (int, io.Reader) { return 200, endless{ctx, 0} }, 0},
		{"it fails", func(context.Context) (int, io.Reader) { return 500, strings.NewReader("") }, 0},
		{"redirect", func(context.Context) (int, io.Reader) { return 302, strings.NewReader("") }, 0},
		{"HTML", publishing("<html>"), 0},
		{"no keys", publishing(`{"keys":[]}`), 0},
		{"incomplete response", publishing(keySet(t, public("old", old))[:50]), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := &remote{response: publishing(keySet(t, public("old", old)))}
				here := is.issued(t)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go here.Follow(ctx, zerolog.Nop())
				known, unknown, next := lasting(t, old, "old"), lasting(t, young, "unknown"), lasting(t, young, "young")
				is.respond(test.response)
				began := time.Now()
				var all sync.WaitGroup
				for time.Since(began) < 5*time.Minute {
					for range 10 {
						all.Go(func() {
							asked := time.Now()
							_, _, err := here.Verify(ctx, unknown)
							if took := time.Since(asked); err == nil || err.Code != apierr.CodeUnauthenticated || took > test.slowest {
								t.Errorf("unknown key: %v after %v", err, took)
							}
						})
					}
					synctest.Wait()
					if _, _, err := here.Verify(ctx, known); err != nil {
						t.Fatal("known key: ", err)
					}
					time.Sleep(time.Second)
				}
				all.Wait()
				if n := len(is.fetches); n < 8 || n > 11 {
					t.Errorf("%d fetches", n)
				}
				for i, at := range is.fetches[1:] {
					if pause := at.Sub(is.fetches[i]); pause < minFetchPause {
						t.Errorf("fetched again after %v", pause)
					}
				}
				is.respond(publishing(keySet(t, public("young", young))))
				time.Sleep(minFetchPause + fetchTimeout)
				if _, _, err := here.Verify(ctx, next); err != nil {
					t.Error("new key: ", err)
				}
				if _, _, err := here.Verify(ctx, known); err == nil {
					t.Error("the withdrawn key is accepted")
				}
			})
		})
	}
}
