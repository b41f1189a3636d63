package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"twibase/e2e/loadtest"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/loaders"
	"twibase/resolvers"
)

func BenchmarkEmbedded(b *testing.B) {
	w, dir := newDataset(seed), "embedded:"+b.TempDir()
	if err := w.store(b.Context(), dir); err != nil {
		b.Fatal(err)
	}
	store, err := open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}},
		func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
	tokens := &auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}
	handler := tokens.Handler(endpoint.New(schema, endpoint.Config{Timeout: time.Minute,
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }}))
	queries := w.queries()
	ballast := make([]byte, 22<<20) // as in serve
	defer runtime.KeepAlive(&ballast)
	requests := make([]loadtest.Request, len(queries))
	for i, q := range queries {
		requests[i] = q.request()
		queries[i] = &query{name: q.name}
	}
	for i, q := range queries {
		b.Run(q.name, func(b *testing.B) { benchmarkRequest(b, handler, requests[i]) })
	}
	ballast = nil
	b.Run(queries[0].name+" without ballast", func(b *testing.B) { benchmarkRequest(b, handler, requests[0]) })
}

func benchmarkRequest(b *testing.B, handler http.Handler, request loadtest.Request) {
	b.ReportAllocs()
	response, begin := httptest.NewRecorder(), cpuTime()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(request.Body))
		r.Header.Set("Content-Type", "application/json")
		if request.Token != "" {
			r.Header.Set("Authorization", "Bearer "+request.Token)
		}
		response.Body.Reset()
		handler.ServeHTTP(response, r)
	}
	b.ReportMetric(float64(cpuTime()-begin)/float64(b.N), "cpu-ns/op")
	if !bytes.Equal(response.Body.Bytes(), request.Want) {
		b.Errorf("got %.300s, want %.300s", response.Body, request.Want)
	}
}
