package sse

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

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

func TestStreamHasHeartbeatsAndEndsWithComplete(t *testing.T) {
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

type broken struct{ *httptest.ResponseRecorder }

func (broken) Write([]byte) (int, error) { return 0, errors.New("a test has it so") }

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

func TestSharedStreamCarriesSeveralOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Draining: t.Context()}
		freed := 0
		free := func() { freed++ }
		stream := shared.Find(shared.Reserve(free))
		ctx, leave := context.WithCancel(t.Context())
		w := httptest.NewRecorder()
		served := make(chan struct{})
		first, second, third := make(chan struct{}), make(chan struct{}), make(chan struct{})
		if err := stream.Run(t.Context(), "1", ticks(1, nil, first)); err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(served)
			if !stream.Serve(ctx, w) {
				t.Error("Serve returned false for an unopened stream")
			}
		}()
		synctest.Wait()
		if stream.Serve(t.Context(), httptest.NewRecorder()) {
			t.Error("the stream opened twice")
		}
		if err := stream.Run(t.Context(), "1", ticks(1, nil, nil)); !errors.Is(err, transport.ErrDuplicateID) {
			t.Error(err)
		}
		if err := stream.Run(t.Context(), "2", ticks(100, nil, second)); err != nil {
			t.Error(err)
		}
		<-first
		synctest.Wait()
		stream.Stop("2")
		<-second
		if err := stream.Run(t.Context(), "2", ticks(100, nil, third)); err != nil {
			t.Error("the id of an ended operation is not free: ", err)
		}
		leave()
		<-served
		<-third
		one := `event: next` + "\n" + `data: {"id":"1","payload":{"data":"tick"}}` + "\n\n"
		two := strings.ReplaceAll(one, `"1"`, `"2"`)
		done := "event: complete\ndata: {\"id\":\"1\"}\n\n"
		got := strings.ReplaceAll(w.Body.String(), ":\n\n", "")
		if got != one+two+done && got != one+done+two && got != two+one+done {
			t.Errorf("%q", got)
		}
		if shared.Find(stream.token) != nil || freed != 1 {
			t.Errorf("freed %d times, want 1", freed)
		}
	})
}

func TestStoppedOperationFreesItsID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Draining: t.Context()}
		stream := shared.Find(shared.Reserve(func() {}))
		go stream.Serve(t.Context(), httptest.NewRecorder())
		slow := func(ctx context.Context) iter.Seq[*graphql.Response] {
			return func(func(*graphql.Response) bool) {
				<-ctx.Done()
				time.Sleep(time.Second)
			}
		}
		if err := stream.Run(t.Context(), "1", slow); err != nil {
			t.Fatal(err)
		}
		stream.Stop("1")
		ended := make(chan struct{})
		if err := stream.Run(t.Context(), "1", ticks(100, nil, ended)); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
			t.Error("the end of the stopped operation ended its successor")
		case <-time.After(time.Minute):
		}
		stream.end()
		<-ended
	})
}

func TestUnopenedSharedStreamsAreCutOffAboveTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Sending: inflight.New(100), Draining: t.Context()}
		var streams []*Stream
		for range 3 {
			stream := shared.Find(shared.Reserve(func() {}))
			streams = append(streams, stream)
			if err := stream.Run(t.Context(), "1", ticks(1, nil, make(chan struct{}))); err != nil { // a tick has 61 bytes
				t.Fatal(err)
			}
			stream.timeout.Stop()
			time.Sleep(21 * time.Second)
			synctest.Wait()
		}
		for i, stream := range streams {
			if over := shared.Find(stream.token) == nil; over != (i < 2) {
				t.Errorf("stream %d has ended: %t", i+1, over)
			}
			stream.end()
		}
		synctest.Wait()
		if bytes, cut := shared.Sending.Load(); bytes != 0 || cut != 2 {
			t.Errorf("%d bytes in flight, %d streams cut off", bytes, cut)
		}
	})
}

func TestSharedStreamEndsWhenATokenExpires(t *testing.T) {
	for _, test := range []struct {
		name  string
		other int // responses of another operation, one every 20 seconds
		want  time.Duration
	}{
		{"when its operations ended", 0, 20 * time.Second},
		{"after the grace period", 100, 20*time.Second + resume.Grace},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shared := Shared{Draining: t.Context()}
				stream, w := shared.Find(shared.Reserve(func() {})), httptest.NewRecorder()
				begun := time.Now()
				expired, other := make(chan struct{}), make(chan struct{})
				if err := stream.Run(t.Context(), "1", ticks(1, transport.Expired, expired)); err != nil {
					t.Fatal(err)
				}
				if err := stream.Run(t.Context(), "2", ticks(test.other, nil, other)); err != nil {
					t.Fatal(err)
				}
				go func() {
					<-expired
					synctest.Wait()
					if err := stream.Run(t.Context(), "3", ticks(1, nil, nil)); test.other > 0 &&
						!errors.Is(err, transport.ErrClosing) {
						t.Errorf("another operation started: %v", err)
					}
				}()
				stream.Serve(t.Context(), w)
				if took := time.Since(begun); took != test.want {
					t.Errorf("it took %s, want %s", took, test.want)
				}
				<-other
				if body := w.Body.String(); strings.Contains(body, `complete`+"\n"+`data: {"id":"1"}`) ||
					!strings.Contains(body, `"id":"1"`) {
					t.Errorf("%q", body)
				}
			})
		})
	}
}

func TestUnopenedSharedStreamIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Draining: t.Context()}
		freed := 0
		token := shared.Reserve(func() { freed++ })
		ended := make(chan struct{})
		if err := shared.Find(token).Run(t.Context(), "1", ticks(100, nil, ended)); err != nil {
			t.Fatal(err)
		}
		<-ended
		synctest.Wait()
		if shared.Find(token) != nil || freed != 1 {
			t.Errorf("freed %d times, want 1", freed)
		}
	})
}

func TestOperationsOfASharedStreamAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Draining: t.Context()}
		stream := shared.Find(shared.Reserve(func() {}))
		for i := range transport.MaxOperations + 1 {
			err := stream.Run(t.Context(), string(rune('a'+i)), ticks(100, nil, make(chan struct{})))
			if i < transport.MaxOperations && err != nil || i == transport.MaxOperations &&
				!errors.Is(err, transport.ErrTooMany) {
				t.Errorf("operation %d: %v", i, err)
			}
		}
		stream.end()
	})
}

func TestShutdownEndsSharedStreamsAfterTheirOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		draining, drain := context.WithCancel(t.Context())
		shared := Shared{Draining: draining}
		serve := func() (*Stream, *httptest.ResponseRecorder) {
			stream, w := shared.Find(shared.Reserve(func() {})), httptest.NewRecorder()
			go stream.Serve(t.Context(), w)
			return stream, w
		}
		idle, _ := serve()
		busy, w := serve()
		ended := make(chan struct{})
		if err := busy.Run(t.Context(), "1", ticks(1, transport.Reconnect, ended)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		drain()
		synctest.Wait()
		if idle.ctx.Err() == nil || busy.ctx.Err() != nil {
			t.Error("not just the idle stream has ended")
		}
		<-ended
		synctest.Wait()
		if busy.ctx.Err() == nil || strings.Contains(w.Body.String(), "complete") || w.Code != http.StatusOK {
			t.Error(w.Body)
		}
	})
}
