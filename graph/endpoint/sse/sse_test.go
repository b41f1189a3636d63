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

// ticks are responses, one a minute, until ctx ends; then ended is closed.
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

func TestAStream(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int
		last *graphql.Response
		want string
	}{
		{"begins at once, beats where nothing comes, and completes", 2, nil, ":\n\n:\n\n" + next + ":\n\n" + next + "event: complete\ndata:\n\n"},
		{"of a gateway that ends does not complete", 1, transport.Reconnect, ":\n\n:\n\n" + next},
		{"of a token that expires does not complete", 1, transport.Expired, ":\n\n:\n\n" + next},
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

// broken is a connection on which nothing more arrives.
type broken struct{ *httptest.ResponseRecorder }

func (broken) Write([]byte) (int, error) { return 0, errors.New("a test has it so") }

func TestAClientThatGoesEndsItsOperation(t *testing.T) {
	for name, serve := range map[string]func(ctx context.Context, responses func(ctx context.Context) iter.Seq[*graphql.Response]){
		"as its request does": func(ctx context.Context, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			Serve(ctx, httptest.NewRecorder(), nil, responses)
		},
		"as a write fails": func(ctx context.Context, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
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

func TestASharedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Draining: t.Context()}
		freed := 0
		free := func() { freed++ }
		stream := shared.Find(shared.Reserve(free))
		ctx, leave := context.WithCancel(t.Context())
		w := httptest.NewRecorder()
		served := make(chan struct{})
		first, second, third := make(chan struct{}), make(chan struct{}), make(chan struct{})
		if err := stream.Run(t.Context(), "1", ticks(1, nil, first)); err != nil { // before it is opened
			t.Fatal(err)
		}
		go func() {
			defer close(served)
			if !stream.Serve(ctx, w) {
				t.Error("it was open")
			}
		}()
		synctest.Wait()
		if stream.Serve(t.Context(), httptest.NewRecorder()) {
			t.Error("it opens twice")
		}
		if err := stream.Run(t.Context(), "1", ticks(1, nil, nil)); !errors.Is(err, transport.ErrTaken) {
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
			t.Error("a name is free when its operation has ended: ", err)
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
			t.Errorf("it was freed %d times", freed)
		}
	})
}

func TestANameIsUsedAgainBeforeTheStoppedOperationHasEnded(t *testing.T) {
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
			t.Error("the one before took it along")
		case <-time.After(time.Minute):
		}
		stream.end()
		<-ended
	})
}

func TestOfTooManySharedStreamsThatNobodyOpensTheFirstEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Sending: inflight.New(100), Draining: t.Context()}
		var streams []*Stream
		for range 3 {
			stream := shared.Find(shared.Reserve(func() {}))
			streams = append(streams, stream)
			if err := stream.Run(t.Context(), "1", ticks(1, nil, make(chan struct{}))); err != nil { // a tick takes 61 bytes
				t.Fatal(err)
			}
			stream.late.Stop()
			time.Sleep(21 * time.Second)
			synctest.Wait()
		}
		for i, stream := range streams {
			if over := shared.Find(stream.token) == nil; over != (i < 2) {
				t.Errorf("stream %d is over: %t", i+1, over)
			}
			stream.end()
		}
		synctest.Wait()
		if bytes, cut := shared.Sending.Load(); bytes != 0 || cut != 2 {
			t.Errorf("%d bytes wait, %d were cut off", bytes, cut)
		}
	})
}

func TestASharedStreamEndsWhenATokenExpires(t *testing.T) {
	for _, test := range []struct {
		name  string
		other int // how many responses another operation has, one each 20 seconds
		want  time.Duration
	}{
		{"when its operations have ended", 0, 20 * time.Second},
		{"after a while, if one goes on", 100, 20*time.Second + resume.Grace},
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
					if err := stream.Run(t.Context(), "3", ticks(1, nil, nil)); test.other > 0 && !errors.Is(err, transport.ErrClosing) {
						t.Errorf("another operation begins: %v", err)
					}
				}()
				stream.Serve(t.Context(), w)
				if took := time.Since(begun); took != test.want {
					t.Errorf("it took %s, not %s", took, test.want)
				}
				<-other
				if body := w.Body.String(); strings.Contains(body, `complete`+"\n"+`data: {"id":"1"}`) || !strings.Contains(body, `"id":"1"`) {
					t.Errorf("%q", body)
				}
			})
		})
	}
}

func TestASharedStreamThatNobodyOpensIsForgotten(t *testing.T) {
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
			t.Errorf("it was freed %d times", freed)
		}
	})
}

func TestASharedStreamHasRoomForSoMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := Shared{Draining: t.Context()}
		stream := shared.Find(shared.Reserve(func() {}))
		for i := range transport.MaxOperations + 1 {
			err := stream.Run(t.Context(), string(rune('a'+i)), ticks(100, nil, make(chan struct{})))
			if i < transport.MaxOperations && err != nil || i == transport.MaxOperations && !errors.Is(err, transport.ErrMany) {
				t.Errorf("operation %d: %v", i, err)
			}
		}
		stream.end()
	})
}

func TestSharedStreamsOfAGatewayThatEnds(t *testing.T) {
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
			t.Error("the idle one ends, and not the other")
		}
		<-ended
		synctest.Wait()
		if busy.ctx.Err() == nil || strings.Contains(w.Body.String(), "complete") || w.Code != http.StatusOK {
			t.Error(w.Body)
		}
	})
}
