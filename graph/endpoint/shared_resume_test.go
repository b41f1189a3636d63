package endpoint

import (
	"context"
	"iter"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/auth"
	"twibase/graph/resume"
	"twibase/live"
)

type sharedStream struct {
	f    *feed
	run  func(ctx context.Context, id string, responses func(context.Context) iter.Seq[*graphql.Response]) error
	body *httptest.ResponseRecorder
	done chan struct{}
	stop context.CancelFunc
}

func (f *feed) opens() *sharedStream {
	ctx, stop := context.WithCancel(f.Context())
	stream := f.endpoint.shared.Find(f.endpoint.shared.Reserve(func() {}))
	s := &sharedStream{f, stream.Run, httptest.NewRecorder(), make(chan struct{}), stop}
	go func() {
		defer close(s.done)
		stream.Serve(ctx, s.body)
	}()
	return s
}

func (s *sharedStream) subscribe(id string, lifetime time.Duration) {
	s.f.Helper()
	ctx := resume.WithID(graphql.StartOperationTrace(s.f.Context()), id)
	if lifetime > 0 {
		ctx = auth.WithExpiry(auth.WithViewer(ctx, auth.Viewer{Username: "LiLei"}), time.Now().Add(lifetime))
	}
	err := s.run(ctx, id, func(ctx context.Context) iter.Seq[*graphql.Response] {
		return s.f.endpoint.execute(ctx, &graphql.RawParams{Query: document, Variables: ofA()})
	})
	if err != nil {
		s.f.Fatal(err)
	}
	time.Sleep(live.Interval)
	synctest.Wait()
}

var sharedEvent = regexp.MustCompile(`data: \{"id":"(\w+)","payload":\{"data":\{"twitPosted":\{"content":"(\w+)"`)

// expect takes events such as "A 1" in any order.
func (s *sharedStream) expect(events ...string) {
	s.f.Helper()
	s.stop()
	<-s.done
	synctest.Wait()
	got := []string{}
	for _, match := range sharedEvent.FindAllStringSubmatch(s.body.Body.String(), -1) {
		got = append(got, match[1]+" "+match[2])
	}
	if slices.Sort(got); !slices.Equal(got, events) {
		s.f.Errorf("received %q, want %q", got, events)
	}
}

func TestExpiredTokenResumesAllSubscriptionsOfASharedStream(t *testing.T) {
	inFeed(t, func(f *feed) {
		begun := time.Now()
		first := f.opens()
		first.subscribe("A", lifetime)
		first.subscribe("B", 3*lifetime) // a newer token
		first.subscribe("C", 0)
		f.post("1")
		<-first.done
		if took := time.Since(begun); took != lifetime {
			t.Errorf("the stream ended after %s, want %s", took, lifetime)
		}
		f.post("2")
		again := f.opens()
		again.subscribe("A", time.Hour)
		again.subscribe("B", time.Hour)
		f.post("3")
		first.expect("A 1", "B 1", "C 1")
		again.expect("A 2", "A 3", "B 2", "B 3")
	})
}
