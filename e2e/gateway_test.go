// Package e2e tests the gateway as a whole.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/transfer"
	"twibase/writers"
	"twibase/writers/password"
)

type gateway struct {
	name    string
	store   hbase.Store
	handler http.Handler
	tokens  *auth.Tokens
	root    *resolvers.Resolver
}

func newGateway(name string, store hbase.Store) *gateway { return gatewayOver(name, store, store) }

func gatewayOver(name string, written, store hbase.Store) *gateway {
	tokens := &auth.Tokens{Secrets: auth.NewSecrets([]byte("a secret of more than 32 bytes, for tests")), Dev: true,
		Now: time.Now}
	w := writers.New(written, writers.Options{Observe: loaders.Writing})
	withLoaders := loadersOver(store)
	root := &resolvers.Resolver{Writers: w, Accounts: writers.NewAccounts(w, password.New()), Tokens: tokens,
		Attempts: auth.NewAttempts(time.Now), WithLoaders: withLoaders}
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: root}, tasksOf)
	return &gateway{name, store, tokens.Handler(endpoint.New(schema, endpoint.Config{Timeout: time.Minute,
		Around: withLoaders, RecordCalls: resolvers.RecordCalls})), tokens, root}
}

func (g *gateway) ask(
	t testing.TB, query string, variables map[string]any, viewer oracle.Viewer, report ...string,
) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, value := range report {
		r.Header.Set(costs.Header, value)
	}
	if viewer != (oracle.Viewer{}) {
		token, _, err := g.tokens.Sign(auth.Viewer(viewer))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, r.WithContext(t.Context()))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s\nquery: %s", g.name, w.Code, w.Body, query)
	}
	return bytes.TrimSpace(w.Body.Bytes())
}

func decodeAnswer(body []byte) (oracle.Response, error) {
	value, err := oracle.Decode(body)
	if err != nil {
		return oracle.Response{}, err
	}
	a := oracle.Response{Data: oracle.Get(value, "data")}
	errors, _ := oracle.Get(value, "errors").(oracle.List)
	for _, e := range errors {
		line := ""
		path, _ := oracle.Get(e, "path").(oracle.List)
		for i, step := range path {
			if i > 0 {
				line += "."
			}
			line += fmt.Sprint(step)
		}
		a.Errors = append(a.Errors, fmt.Sprintf("%s %v", line, oracle.Get(e, "extensions", "code")))
	}
	return a, nil
}

func importInto(t testing.TB, store hbase.Store, folder string, options transfer.Options) {
	t.Helper()
	start := time.Now()
	var group errgroup.Group
	for _, table := range tables.Definitions(3) {
		group.Go(func() error { return store.CreateTable(t.Context(), table) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	made := time.Now()
	summary, err := transfer.Import(t.Context(), store, []string{folder}, options)
	if err != nil {
		t.Fatal("import: ", err)
	}
	t.Logf("created the tables in %s, imported %d rows in %s",
		made.Sub(start).Round(time.Millisecond), summary.Rows, time.Since(made).Round(time.Millisecond))
}

func inMemory(t testing.TB) hbase.Store {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func onHBase(t testing.TB) hbase.Store {
	t.Helper()
	store, err := cluster.Open(t.Context(), minihbase.ForTest(t), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return newNamespace(t, store)
}

func loadersOver(store hbase.Store) func(context.Context) context.Context {
	return func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }
}

var watchdog loaders.Watchdog

func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(4 << 30) // more frequent garbage collection: the whole data set is large
	status := minihbase.Main(m)
	if n := watchdog.Stalls.Load(); n != 0 {
		fmt.Fprintf(os.Stderr, "the loaders' watchdog failed %d responses\n", n)
		status = 1
	}
	os.Exit(status)
}
