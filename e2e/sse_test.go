package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/live"
)

func (s *liveGateway) events(t *testing.T, base, token, query string, accept string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"?query="+url.QueryEscape(query), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

const eventStream = "text/event-stream"

func TestSubscriptionStreamsEvents(t *testing.T) {
	s := liveGateways(t, 1, 0, "a")[0]
	first := s.postTwit(t, "a", "first")
	s.postTwit(t, "a", "second")
	response := s.events(t, s.url, "", `subscription{twitPosted(username:"a",after:"`+first+`"){content}}`, eventStream)
	lines := bufio.NewScanner(response.Body)
	want := func(data string) {
		t.Helper()
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
				if text != data {
					t.Fatalf("got %s, want %s", text, data)
				}
				return
			}
		}
		t.Fatal("the stream ended: ", lines.Err())
	}
	want(`{"data":{"twitPosted":{"content":"second"}}}`)
	s.postTwit(t, "a", "third")
	want(`{"data":{"twitPosted":{"content":"third"}}}`)
	go s.endpoint.Shutdown(context.Background())
	for lines.Scan() {
		if strings.Contains(lines.Text(), "complete") {
			t.Error("Shutdown completes the stream, so that the client does not reconnect")
		}
	}
}

func TestExpiredTokenEndsSubscription(t *testing.T) {
	s := liveGateways(t, 1, 0, "a")[0]
	past := &auth.Tokens{Secrets: s.tokens.Secrets,
		Now: func() time.Time { return time.Now().Add(2*time.Second - time.Hour) }}
	token, expires, err := past.Sign(auth.Viewer{Username: "a"})
	if err != nil || time.Until(expires) > 3*time.Second {
		t.Fatal(err, expires)
	}
	response := s.events(t, s.url, token, "subscription{timelineTwitAdded{content}}", eventStream)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != ":\n\n" { // without complete, so that the client reconnects
		t.Errorf("%q", body)
	}
}

func TestInvalidSubscriptionsOverSSEAreRejected(t *testing.T) {
	s := liveGateways(t, 1, 0, "a")[0]
	t.Run("without accepting events", func(t *testing.T) {
		response := s.events(t, s.url, "", `subscription{twitPosted(username:"a"){content}}`, "application/json")
		if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusNotAcceptable ||
			!strings.Contains(string(body), "text/event-stream") {
			t.Errorf("%s: %s", response.Status, body)
		}
	})
	t.Run("more than the limit of an address", func(t *testing.T) {
		schema := exec.NewPlannedSchema(exec.Config{Resolvers: s.resolver}, tasksOf)
		small := serveOn(t, endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Streams: 1,
			Around: loadersOver(s.store)}))
		query := `subscription{twitPosted(username:"a"){content}}`
		if first := s.events(t, small, "", query, eventStream); first.StatusCode != http.StatusOK {
			t.Error(first.Status)
		}
		second := s.events(t, small, "", query, eventStream)
		if body, _ := io.ReadAll(second.Body); second.StatusCode != http.StatusTooManyRequests ||
			second.Header.Get("Retry-After") == "" || !strings.Contains(string(body), `"LIMIT_EXCEEDED"`) {
			t.Errorf("%s: %s", second.Status, body)
		}
	})
}

type stalledWriter struct {
	*httptest.ResponseRecorder
	stalls  chan struct{}
	resume  chan struct{}
	stalled bool
}

func (s *stalledWriter) Write(p []byte) (int, error) {
	if !s.stalled && bytes.HasPrefix(p, []byte("event: next")) {
		s.stalled = true
		close(s.stalls)
		<-s.resume
	}
	return s.ResponseRecorder.Write(p)
}

func TestSlowSubscriberIsDisconnected(t *testing.T) {
	s := liveGateways(t, 1, 0, "a")[0]
	w := &stalledWriter{ResponseRecorder: httptest.NewRecorder(), stalls: make(chan struct{}), resume: make(chan struct{})}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet,
		"/graphql?query="+url.QueryEscape(`subscription{t:twitPosted(username:"a"){content}}`), nil)
	r.Header.Set("Accept", "text/event-stream")
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.handler.ServeHTTP(w, r)
	}()
	wait := func(what string, is func() bool) {
		t.Helper()
		for begin := time.Now(); !is(); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 20*time.Second {
				t.Fatal("timeout: ", what)
			}
		}
	}
	wait("subscribing", func() bool { return s.live.Counters.Subscribers.Load() == 1 })
	s.postTwit(t, "a", "the first")
	<-w.stalls
	const more = live.QueueSize + 10 // some are in transit
	for i := range more {
		s.postTwit(t, "a", fmt.Sprint(i))
	}
	wait("disconnecting", func() bool { return s.live.Counters.CutOff.Load() == 1 })
	close(w.resume)
	<-done

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
			t.Errorf("event after the error: %s", data)
		}
		if oracle.Get(value, "errors") == nil {
			twits++
			continue
		}
		end = oracle.Get(value, "errors").(oracle.List)[0]
	}
	if code, limit := oracle.Get(end, "extensions", "code"),
		sprint(oracle.Get(end, "extensions", "limit")); code != "LIMIT_EXCEEDED" || limit != fmt.Sprint(live.QueueSize) {
		t.Errorf("after %d twits: got the error %v, want LIMIT_EXCEEDED", twits, end)
	}
	if twits < live.QueueSize || twits > more {
		t.Errorf("received %d of %d twits", twits, 1+more)
	}
	if !strings.HasSuffix(w.Body.String(), "event: complete\ndata:\n\n") {
		t.Error("the stream has no complete event")
	}
}
