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

// remote is an issuer that answers as a test likes, on the clock of the test and without a network.
type remote struct {
	mu      sync.Mutex
	answer  func(ctx context.Context) (status int, body io.Reader)
	fetches []time.Time
}

// RoundTrip implements [http.RoundTripper].
func (r *remote) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.fetches = append(r.fetches, time.Now())
	answer := r.answer
	r.mu.Unlock()
	status, body := answer(request.Context())
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Body: io.NopCloser(body), Request: request}, nil
}

func (r *remote) becomes(answer func(ctx context.Context) (status int, body io.Reader)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func publishing(set string) func(context.Context) (int, io.Reader) {
	return func(context.Context) (int, io.Reader) { return http.StatusOK, strings.NewReader(set) }
}

// endless is a body whose next byte comes after a time, for as long as anybody asks.
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

// issued returns what takes the tokens of an issuer, on the clock of the test, until that ends.
func (r *remote) issued(t *testing.T) *Tokens {
	t.Helper()
	keys, err := readKeySet(t.Context(), r, "https://issuer.example", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return &Tokens{Keys: keys, Now: time.Now}
}

// lasting is a token of a key, good for an hour.
func lasting(t *testing.T, key *ecdsa.PrivateKey, id string) string {
	return forge(t, jose.ES256, key, fields{"kid": id}, fields{"sub": "LiLei", "exp": time.Now().Add(time.Hour).Unix()})
}

func TestOneFetchServesAllWhoWaitForIt(t *testing.T) {
	young := newES256(t)
	synctest.Test(t, func(t *testing.T) {
		is := &remote{answer: publishing(keySet(t, public("old", newES256(t))))}
		here, token := is.issued(t), lasting(t, young, "young")
		time.Sleep(2 * fetchPause)
		gone, leave := context.WithCancel(t.Context())
		is.becomes(func(context.Context) (int, io.Reader) {
			leave() // and takes nothing along
			time.Sleep(time.Second)
			return publishing(keySet(t, public("young", young)))(gone)
		})
		var all sync.WaitGroup
		verify := func(ctx context.Context) {
			if _, _, err := here.Verify(ctx, token); err != nil {
				t.Error(err)
			}
		}
		all.Go(func() { verify(gone) })
		synctest.Wait()
		for range 50 {
			all.Go(func() { verify(t.Context()) })
		}
		synctest.Wait()
		began := time.Now()
		if _, _, err := here.Verify(gone, token); err == nil || time.Since(began) > 0 {
			t.Errorf("who has gone waits for %v, and gets %v", time.Since(began), err)
		}
		all.Wait()
		if n := len(is.fetches); n != 2 {
			t.Errorf("there were %d fetches", n)
		}
	})
}

// For five minutes somebody sends tokens of keys that nobody has, while the issuer is as it is. Those of the key that is known are accepted at once, and the
// issuer is asked no more than every half minute; then it has a new key, which is known half a minute later.
func TestAnIssuerThatIsIllIsNotAskedMoreOften(t *testing.T) {
	old, young := newES256(t), newES256(t)
	for _, test := range []struct {
		name    string
		answer  func(ctx context.Context) (int, io.Reader)
		slowest time.Duration // the refusal of a token of an unknown key
	}{
		{"it is well, and has no such key", publishing(keySet(t, public("old", old))), 0},
		{"it never answers", func(ctx context.Context) (int, io.Reader) { <-ctx.Done(); return 0, nil }, fetchTimeout},
		{"it answers a byte a second", func(ctx context.Context) (int, io.Reader) { return 200, endless{ctx, time.Second} }, fetchTimeout},
		{"it answers without end", func(ctx context.Context) (int, io.Reader) { return 200, endless{ctx, 0} }, 0},
		{"it fails", func(context.Context) (int, io.Reader) { return 500, strings.NewReader("") }, 0},
		{"it sends somebody elsewhere", func(context.Context) (int, io.Reader) { return 302, strings.NewReader("") }, 0},
		{"it answers with a page", publishing("<html>"), 0},
		{"it answers with no keys", publishing(`{"keys":[]}`), 0},
		{"it answers with half of its keys", publishing(keySet(t, public("old", old))[:50]), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := &remote{answer: publishing(keySet(t, public("old", old)))}
				here := is.issued(t)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go here.Follow(ctx, zerolog.Nop())
				known, unknown, next := lasting(t, old, "old"), lasting(t, young, "unknown"), lasting(t, young, "young")
				is.becomes(test.answer)
				began := time.Now()
				var all sync.WaitGroup
				for time.Since(began) < 5*time.Minute {
					for range 10 {
						all.Go(func() {
							asked := time.Now()
							_, _, err := here.Verify(ctx, unknown)
							if took := time.Since(asked); err == nil || err.Code != apierr.CodeUnauthenticated || took > test.slowest {
								t.Errorf("an unknown key gets %v after %v", err, took)
							}
						})
					}
					synctest.Wait()
					if _, _, err := here.Verify(ctx, known); err != nil {
						t.Fatal("a known key gets ", err)
					}
					time.Sleep(time.Second)
				}
				all.Wait()
				if n := len(is.fetches); n < 8 || n > 11 {
					t.Errorf("it is asked %d times", n)
				}
				for i, at := range is.fetches[1:] {
					if pause := at.Sub(is.fetches[i]); pause < fetchPause {
						t.Errorf("it is asked again after %v", pause)
					}
				}
				is.becomes(publishing(keySet(t, public("young", young))))
				time.Sleep(fetchPause + fetchTimeout)
				if _, _, err := here.Verify(ctx, next); err != nil {
					t.Error("the new key gets ", err)
				}
				if _, _, err := here.Verify(ctx, known); err == nil {
					t.Error("the key that was withdrawn is good")
				}
			})
		})
	}
}
