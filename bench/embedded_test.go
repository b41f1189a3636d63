package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/loaders"
	"twibase/resolvers"
)

// BenchmarkEmbedded is the server on the embedded engine in this process and without a network: for profiles.
func BenchmarkEmbedded(b *testing.B) {
	w, dir := newWorld(seed), "embedded:"+b.TempDir()
	if err := w.store(b.Context(), dir); err != nil {
		b.Fatal(err)
	}
	store, err := open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
	tokens := &auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}
	handler := tokens.Handler(endpoint.New(schema, endpoint.Config{Timeout: time.Minute,
		Around: func(ctx context.Context) context.Context { return loaders.With(ctx, store) }}))
	for _, q := range w.queries() {
		request := q.request()
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			answer := httptest.NewRecorder()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(request.Body))
				r.Header.Set("Content-Type", "application/json")
				if request.Token != "" {
					r.Header.Set("Authorization", "Bearer "+request.Token)
				}
				answer.Body.Reset()
				handler.ServeHTTP(answer, r)
			}
			if !bytes.Equal(answer.Body.Bytes(), request.Want) {
				b.Errorf("the answer is %.300s", answer.Body)
			}
		})
	}
}
