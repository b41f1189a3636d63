package middleware

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/hbase"
	"twibase/loaders"
	"twibase/resolvers"
)

func TestTenRejectionsPerSecondAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		executed := make(chan struct{})
		tasks := func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }
		graphQL := endpoint.New(exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, tasks), endpoint.Config{
			Timeout: time.Minute, Concurrency: 1,
			Around: func(ctx context.Context) context.Context { <-executed; return loaders.With(ctx, nil) }})
		var log bytes.Buffer
		requests := NewRequestLog(zerolog.New(zerolog.SyncWriter(&log)),
			func(*endpoint.Trace, *hbase.Stats, time.Duration) {}, Slow{}, Spans{})
		server := requests.Handler(graphQL)
		ask := func() (status int) {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/graphql?query={__typename}", nil)
			server.ServeHTTP(w, r)
			return w.Code
		}
		go ask()
		for second := 1; second <= 2; second++ {
			synctest.Wait()
			for range 4 {
				go ask() // waits for a slot
			}
			synctest.Wait()
			for range 100 {
				if status := ask(); status != http.StatusServiceUnavailable {
					t.Fatalf("status %d", status)
				}
			}
			if n := bytes.Count(log.Bytes(), []byte(`"status":503`)); n != 10*second {
				t.Errorf("%d lines after %d s", n, second)
			}
			time.Sleep(time.Second)
		}
		close(executed)
	})
}
