package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"twibase/graph/auth"
	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/sample"
	"twibase/transfer"
)

func sampleStore(t *testing.T) hbase.Store {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	if err := sample.Load(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestCancelledRequestFreesItsWork(t *testing.T) {
	var begun atomic.Int64
	store := hbasetest.NewFaults(sampleStore(t), hbasetest.When(func(op hbasetest.Op) bool {
		if op.Kind == "Get" {
			begun.Add(1)
		}
		return op.Kind == "Get"
	}, hbasetest.Fault{Delay: time.Hour}))
	const requests = 20
	gateway := New(store, Config{Limits: limits.Default(), Concurrency: requests})
	server := httptest.NewServer(gateway.Public)
	defer server.Close()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var gone sync.WaitGroup
	for range requests {
		gone.Go(func() {
			const query = `{"query":"{user(username:\"LiLei\"){name followers(first:5){nodes{name twits(first:3){nodes{content}}}}}}"}`
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/graphql", strings.NewReader(query))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/json")
			if response, err := client.Do(r); err == nil {
				response.Body.Close()
				t.Error("a cancelled request got a response")
			}
		})
	}
	for begun.Load() < requests {
		time.Sleep(time.Millisecond)
	}
	cancel()
	gone.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		running, waiting, _ := gateway.endpoint.Load()
		if n := runtime.NumGoroutine(); running+waiting == 0 && n <= before {
			break
		} else if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d operations run, %d wait; goroutines: %d before, %d now:\n%s", running, waiting, before, n,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
	reads := begun.Load()
	time.Sleep(50 * time.Millisecond)
	if more := begun.Load() - reads; more > 0 {
		t.Errorf("%d reads started after the cancellation", more)
	}
}

func TestRequestTimeoutBoundsStoreCalls(t *testing.T) {
	var kind atomic.Value
	kind.Store("")
	store := hbasetest.NewFaults(sampleStore(t),
		hbasetest.When(func(op hbasetest.Op) bool { return op.Kind == kind.Load() }, hbasetest.Fault{Delay: 2 * time.Second}))
	tokens := &auth.Tokens{Secrets: auth.NewSecrets([]byte(strings.Repeat("s", 32))), Dev: true, Now: time.Now}
	handler := New(store, Config{Tokens: tokens, Limits: limits.Default()}).Public
	token, _, err := tokens.Sign(auth.Viewer{Username: "LiLei", Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	const one, list, write = `{user(username:\"LiLei\"){name}}`,
		`{users(first:3){nodes{name}}}`, `mutation{postTwit(input:{content:\"hello\"}){userErrors{code} twit{id}}}`
	for _, test := range []struct{ kind, query string }{
		{"", list}, {"Scan", list}, {"Get", one}, {"", write}, {"Get", write}, {"CheckAndPut", write}, {"Put", write},
	} {
		kind.Store(test.kind)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(`{"query":"`+test.query+`"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		w, begun := httptest.NewRecorder(), time.Now()
		handler.ServeHTTP(w, r)
		cancel()
		if took := time.Since(begun); took > 1500*time.Millisecond ||
			strings.Contains(w.Body.String(), `"TIMEOUT"`) != (test.kind != "") {
			t.Errorf("%s with slow %q: response after %v: %s", test.query, test.kind, took, w.Body)
		}
	}
}
