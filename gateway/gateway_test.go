package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"twibase/graph/auth"
	"twibase/graph/limits"
	"twibase/hbase/embedded"
	"twibase/transfer"
)

func TestGatewaysOfOneProcessShareNothing(t *testing.T) {
	empty, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if _, err := transfer.EnsureTables(t.Context(), empty, 1); err != nil {
		t.Fatal(err)
	}
	logs := [2]bytes.Buffer{}
	config := func(log *bytes.Buffer) Config {
		return Config{Limits: limits.Default(), Log: zerolog.New(zerolog.SyncWriter(log))}
	}
	first, second := New(sampleStore(t), config(&logs[0])), New(empty, config(&logs[1]))
	for _, g := range []*Gateway{first, second} {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			g.Run(ctx)
			close(ended)
		}()
		defer func() { stop(); <-ended }()
	}
	get := func(g *Gateway, path string) (status int, body string) {
		w := httptest.NewRecorder()
		g.Public.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		text, _ := io.ReadAll(w.Body)
		return w.Code, string(text)
	}
	const query = `/graphql?query={user(username:"LiLei"){username}}`
	for range 3 {
		if _, body := get(first, query); body != `{"data":{"user":{"username":"LiLei"}}}` {
			t.Error("the gateway on the sample answers ", body)
		}
	}
	if _, body := get(second, query); body != `{"data":{"user":null}}` {
		t.Error("the gateway on the empty store answers ", body)
	}
	for i, want := range []int{3, 1} {
		if n := strings.Count(logs[i].String(), `"message":"request"`); n != want {
			t.Errorf("%d requests are logged, want %d", n, want)
		}
	}
	for g, want := range map[*Gateway]int{first: 3, second: 1} {
		if n := executions(t, g.Metrics); n != want {
			t.Errorf("%d executions are counted, want %d", n, want)
		}
		line := fmt.Sprintf("twibase_executions_total{executor=\"plan\",reason=\"\"} %d\n", want)
		if _, body := get(g, "/metrics"); !strings.Contains(body, line) || !strings.Contains(body, "go_goroutines ") {
			t.Errorf("/metrics lacks %s or the metrics of the process:\n%s", line, body)
		}
	}
	first.Shutdown(t.Context())
	if status, body := get(first, query); status != http.StatusServiceUnavailable {
		t.Errorf("after its shutdown the first answers %d: %s", status, body)
	}
	for _, path := range []string{query, "/readyz"} {
		if status, body := get(second, path); status != http.StatusOK {
			t.Errorf("after the shutdown of the first the second answers %d: %s", status, body)
		}
	}
}

func TestErrorsAreCountedByCode(t *testing.T) {
	g := New(sampleStore(t), Config{Tokens: &auth.Tokens{}})
	ask := func(query, token string) {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"`+query+`"}`))
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		g.Public.ServeHTTP(httptest.NewRecorder(), r)
	}
	ask("{nope neither}", "")
	ask("{a:user(username:1){name}}", "")
	ask("{__typename}", "no-token")
	ask("mutation{deleteGame(input:{code:\\\"go\\\"}){deletedId}}", "")
	ask("{__typename}", "")
	w := httptest.NewRecorder()
	g.Public.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var got []string
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "twibase_errors_total{") {
			got = append(got, strings.TrimSpace(strings.TrimPrefix(line, "twibase_errors_total")))
		}
	}
	want := []string{`{code="BAD_USER_INPUT"} 3`, `{code="UNAUTHENTICATED"} 2`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func executions(t *testing.T, registry prometheus.Gatherer) (n int) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "twibase_executions_total" {
			for _, metric := range family.GetMetric() {
				n += int(metric.GetCounter().GetValue())
			}
		}
	}
	return n
}
