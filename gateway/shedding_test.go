package gateway

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/limits"
	"twibase/hbase/hbasetest"
)

func TestLoadSheddingRespondsLikeTheEndpoint(t *testing.T) {
	executed := make(chan struct{})
	store := hbasetest.NewFaults(sampleStore(t), hbasetest.When(func(op hbasetest.Op) bool {
		<-executed
		return false
	}, hbasetest.Fault{}))
	var log bytes.Buffer
	gateway := New(store, Config{Limits: limits.Default(), Concurrency: 1, Origins: []string{"https://example.org"},
		Log: zerolog.New(zerolog.SyncWriter(&log))})
	ask := func(method, path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(`{"query":"{user(username:\"LiLei\"){name}}"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", "https://example.org")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		gateway.Public.ServeHTTP(w, r.WithContext(t.Context()))
		return w
	}
	var others sync.WaitGroup
	for range 5 { // one runs, four wait
		others.Go(func() { ask(http.MethodPost, "/graphql") })
	}
	load := gateway.endpoint.Load
	for running, waiting, _ := load(); running+waiting < 5; running, waiting, _ = load() {
		time.Sleep(time.Millisecond)
	}

	const askers, media = 100, "application/graphql-response+json"
	const want = `{"errors":[{"message":"the server is busy; try again later","extensions":{"code":"UNAVAILABLE"}}]}` + "\n"
	early := 0
	for range askers {
		w := ask(http.MethodPost, "/graphql", "Accept", media, "Accept-Encoding", "gzip")
		header := w.Header()
		if w.Code != http.StatusServiceUnavailable || w.Body.String() != want || header.Get("Retry-After") != "1" ||
			header.Get("Content-Type") != media+"; charset=utf-8" {
			t.Fatalf("status %d, %v: %s", w.Code, header, w.Body)
		}
		if header.Get("Access-Control-Allow-Origin") != "https://example.org" ||
			!strings.Contains(header.Get("Access-Control-Expose-Headers"), "Retry-After") {
			t.Fatalf("no CORS headers: %v", header)
		}
		if header.Get("Cache-Control") != "no-store" || len(header.Values("X-Content-Type-Options")) != 1 {
			t.Fatalf("no security headers: %v", header)
		}
		if header.Get("X-Request-Id") == "" { // if logged
			early++
		}
	}
	if logged := bytes.Count(log.Bytes(), []byte(`"status":503`)); logged < 10 || logged != askers-early {
		t.Errorf("of %d rejections %d came early, and %d were logged", askers, early, logged)
	}
	if _, _, rejected := gateway.endpoint.Load(); rejected != askers {
		t.Errorf("%d rejections are counted, want %d", rejected, askers)
	}
	if w := ask(http.MethodPost, "/graphql", "Authorization", "Bearer nonsense"); w.Code != http.StatusUnauthorized {
		t.Errorf("an invalid token: status %d: %s", w.Code, w.Body)
	}
	if running, waiting, rejected := load(); running+waiting > 5 || rejected != askers {
		t.Errorf("an invalid token waits for a slot: %d run, %d wait, %d are rejected", running, waiting, rejected)
	}
	w := ask(http.MethodOptions, "/graphql", "Access-Control-Request-Method", "POST")
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("preflight: status %d, %v", w.Code, w.Header())
	}
	for _, path := range []string{"/healthz", "/metrics", "/schema.graphql", "/"} {
		if w := ask(http.MethodGet, path); w.Code != http.StatusOK {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	others.Go(func() { // this request waits in place of another one
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"{user(username:\"LiLei\"){name}}"}`))
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr = "198.51.100.1:1"
		w := httptest.NewRecorder()
		if gateway.Public.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Errorf("another address: status %d: %s", w.Code, w.Body)
		}
	})
	for _, _, rejected := load(); rejected == askers; _, _, rejected = load() {
		time.Sleep(time.Millisecond)
	}
	close(executed)
	others.Wait()
	if w := ask(http.MethodPost, "/graphql"); w.Code != http.StatusOK {
		t.Errorf("after the overload: status %d: %s", w.Code, w.Body)
	}
}
