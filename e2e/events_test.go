package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/loaders"
)

// events asks for a subscription as server-sent events, and returns the answer.
func (s *station) events(t *testing.T, base, token, query string, accept string) *http.Response {
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

func TestEventsAreSentAsTheyCome(t *testing.T) {
	s := stations(t, 1, 0, "a")[0]
	first := s.posts(t, "a", "first")
	s.posts(t, "a", "second")
	response := s.events(t, s.url, "", `subscription{twitPosted(username:"a",after:"`+first+`"){content}}`, eventStream)
	lines := bufio.NewScanner(response.Body)
	want := func(data string) {
		t.Helper()
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
				if text != data {
					t.Fatalf("%s came, not %s", text, data)
				}
				return
			}
		}
		t.Fatal("it ended: ", lines.Err())
	}
	want(`{"data":{"twitPosted":{"content":"second"}}}`)
	s.posts(t, "a", "third")
	want(`{"data":{"twitPosted":{"content":"third"}}}`)
	go s.endpoint.Shutdown(context.Background())
	for lines.Scan() {
		if strings.Contains(lines.Text(), "complete") {
			t.Error("of a gateway that ends the stream does not complete")
		}
	}
}

func TestATokenThatExpiresEndsItsSubscription(t *testing.T) {
	s := stations(t, 1, 0, "a")[0]
	past := &auth.Tokens{Secrets: s.tokens.Secrets, Now: func() time.Time { return time.Now().Add(2*time.Second - time.Hour) }}
	token, expires, err := past.Sign(auth.Viewer{Username: "a"})
	if err != nil || time.Until(expires) > 3*time.Second {
		t.Fatal(err, expires)
	}
	response := s.events(t, s.url, token, "subscription{timelineTwitAdded{content}}", eventStream)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != ":\n\n" { // without complete: the client is to connect again
		t.Errorf("%q", body)
	}
}

func TestSubscriptionsThatAreNotServed(t *testing.T) {
	s := stations(t, 1, 0, "a")[0]
	t.Run("for who takes no events", func(t *testing.T) {
		response := s.events(t, s.url, "", `subscription{twitPosted(username:"a"){content}}`, "application/json")
		if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusNotAcceptable || !strings.Contains(string(body), "text/event-stream") {
			t.Errorf("%s: %s", response.Status, body)
		}
	})
	t.Run("for an address that has too many", func(t *testing.T) {
		schema := exec.NewPlannedSchema(exec.Config{Resolvers: s.listening}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
		small := serveOn(t, endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Streams: 1,
			Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, s.store) }}))
		query := `subscription{twitPosted(username:"a"){content}}`
		if first := s.events(t, small, "", query, eventStream); first.StatusCode != http.StatusOK {
			t.Error(first.Status)
		}
		second := s.events(t, small, "", query, eventStream)
		if body, _ := io.ReadAll(second.Body); second.StatusCode != http.StatusTooManyRequests || second.Header.Get("Retry-After") == "" || !strings.Contains(string(body), `"LIMIT_EXCEEDED"`) {
			t.Errorf("%s: %s", second.Status, body)
		}
	})
}
