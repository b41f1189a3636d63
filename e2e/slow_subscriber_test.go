package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"twibase/e2e/oracle"
	"twibase/live"
)

// stalled reads nothing of a stream behind its first twit until it is told to go on.
type stalled struct {
	*httptest.ResponseRecorder
	stalls  chan struct{} // closed when it begins not to read
	goOn    chan struct{}
	stalled bool
}

func (s *stalled) Write(p []byte) (int, error) {
	if !s.stalled && bytes.HasPrefix(p, []byte("event: next")) {
		s.stalled = true
		close(s.stalls)
		<-s.goOn
	}
	return s.ResponseRecorder.Write(p)
}

func TestWhoReadsNoTwitsIsToldThatTooManyWereWaiting(t *testing.T) {
	s := stations(t, 1, 0, "a")[0]
	w := &stalled{ResponseRecorder: httptest.NewRecorder(), stalls: make(chan struct{}), goOn: make(chan struct{})}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/graphql?query="+url.QueryEscape(`subscription{t:twitPosted(username:"a"){content}}`), nil)
	r.Header.Set("Accept", "text/event-stream")
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.handler.ServeHTTP(w, r)
	}()
	wait := func(what string, is func() bool) {
		t.Helper()
		for begin := time.Now(); !is(); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 20*time.Second {
				t.Fatal("in vain: ", what)
			}
		}
	}
	wait("it subscribes", func() bool { return s.live.Counters.Subscribers.Load() == 1 })
	s.posts(t, "a", "the first")
	<-w.stalls
	const further = live.QueueSize + 10 // some wait on the way
	for i := range further {
		s.posts(t, "a", fmt.Sprint(i))
	}
	wait("it is cut off", func() bool { return s.live.Counters.CutOff.Load() == 1 })
	close(w.goOn)
	<-over

	var twits int
	var end any
	for event := range strings.SplitSeq(w.Body.String(), "\n\n") {
		data, is := strings.CutPrefix(event, "event: next\ndata: ")
		if !is {
			continue
		}
		value, err := oracle.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if end != nil {
			t.Errorf("after the end comes %s", data)
		}
		if oracle.Get(value, "errors") == nil {
			twits++
			continue
		}
		end = oracle.Get(value, "errors").(oracle.List)[0]
	}
	if code, limit := oracle.Get(end, "extensions", "code"), sprint(oracle.Get(end, "extensions", "limit")); code != "LIMIT_EXCEEDED" || limit != fmt.Sprint(live.QueueSize) {
		t.Errorf("after %d twits it ends with %v", twits, end)
	}
	if twits < live.QueueSize || twits > further {
		t.Errorf("it was told of %d twits of %d", twits, 1+further)
	}
	if !strings.HasSuffix(w.Body.String(), "event: complete\ndata:\n\n") {
		t.Error("the stream is not completed")
	}
}
