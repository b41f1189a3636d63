package sse

import (
	"context"
	"errors"
	"iter"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/transport"
)

// ticks yields a response per minute until ctx ends, then closes ended.
func ticks(n int, last *graphql.Response, ended chan<- struct{}) func(ctx context.Context) iter.Seq[*graphql.Response] {
	return func(ctx context.Context) iter.Seq[*graphql.Response] {
		return func(yield func(*graphql.Response) bool) {
			defer close(ended)
			for range n {
				select {
				case <-time.After(20 * time.Second):
				case <-ctx.Done():
					return
				}
				if !yield(&graphql.Response{Data: []byte(`"tick"`)}) {
					return
				}
			}
			if last != nil {
				yield(last)
			}
		}
	}
}

const next = "event: next\ndata: {\"data\":\"tick\"}\n\n"

func TestServe(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int
		last *graphql.Response
		want string
	}{
		{"heartbeats and completion", 2, nil, ":\n\n:\n\n" + next + ":\n\n" + next + "event: complete\ndata:\n\n"},
		{"gateway shuts down", 1, transport.Reconnect, ":\n\n:\n\n" + next},
		{"token expires", 1, transport.Expired, ":\n\n:\n\n" + next},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := httptest.NewRecorder()
				Serve(t.Context(), w, nil, ticks(test.n, test.last, make(chan struct{})))
				if got := w.Body.String(); got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
				if got := w.Header().Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
					t.Error(got)
				}
			})
		})
	}
}

// broken is a connection that fails after the first comment.
type broken struct{ *httptest.ResponseRecorder }

func (b broken) Write(text []byte) (int, error) {
	if b.Body.Len() > 0 {
		return 0, errors.New("a test has it so")
	}
	return b.ResponseRecorder.Write(text)
}

func TestLostClientEndsItsOperation(t *testing.T) {
	for name, serve := range map[string]func(ctx context.Context,
		responses func(ctx context.Context) iter.Seq[*graphql.Response]){
		"request ends": func(ctx context.Context, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			Serve(ctx, httptest.NewRecorder(), nil, responses)
		},
		"write fails": func(ctx context.Context, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
			Serve(ctx, broken{httptest.NewRecorder()}, nil, responses)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan struct{})
				begin := time.Now()
				serve(t.Context(), ticks(1000, nil, ended))
				<-ended
				if took := time.Since(begin); took > time.Minute {
					t.Error("it took ", took)
				}
			})
		})
	}
}

// slow is a connection whose client reads comments only. A write ends at its deadline.
type slow struct {
	*httptest.ResponseRecorder
	deadline chan time.Time
}

func (s slow) SetWriteDeadline(at time.Time) error {
	select {
	case s.deadline <- at:
	default:
	}
	return nil
}

func (s slow) Write(text []byte) (int, error) {
	<-s.deadline // of this write
	if string(text) == string(comment) {
		return len(text), nil
	}
	select {
	case <-s.deadline:
	case <-time.After(writeTimeout):
	}
	return 0, errors.New("a test has it so")
}

func TestOldestSlowReaderIsCutOffAboveTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sending, ended := inflight.New(60), make([]time.Duration, 2)
		begin := time.Now()
		for i := range ended {
			go func() {
				time.Sleep(time.Duration(i) * time.Second)
				w := slow{httptest.NewRecorder(), make(chan time.Time, 1)}
				Serve(t.Context(), w, sending, ticks(1, nil, make(chan struct{}))) // an event of 36 bytes
				ended[i] = time.Since(begin)
			}()
		}
		time.Sleep(time.Minute)
		if want := [2]time.Duration{21 * time.Second, 21*time.Second + writeTimeout}; [2]time.Duration(ended) != want {
			t.Errorf("the streams ended after %v, want %v", ended, want)
		}
		if bytes, cut := sending.Load(); bytes != 0 || cut != 1 {
			t.Errorf("%d bytes in flight, %d streams cut off", bytes, cut)
		}
	})
}
