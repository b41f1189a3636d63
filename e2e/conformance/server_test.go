package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/rs/zerolog"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/e2e/dataset"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/transfer"
	"twibase/writers"
	"twibase/writers/password"
)

type server struct {
	schema  graphql.ExecutableSchema
	handler http.Handler
	limits  limits.Limits
}

func newServer(t testing.TB, bounds limits.Limits) *server {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	for _, table := range tables.Definitions(3) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	if err := dataset.Write(folder, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Import(t.Context(), store, []string{folder}, transfer.Options{}); err != nil {
		t.Fatal("import: ", err)
	}
	return serverOver(store, bounds)
}

func serverOver(store hbase.Store, bounds limits.Limits) *server {
	tokens := &auth.Tokens{
		Secrets: auth.NewSecrets([]byte("a secret of more than 32 bytes, for tests")),
		Now:     time.Now,
	}
	w := writers.New(store, writers.Options{Observe: loaders.Writing})
	fresh := func(ctx context.Context) context.Context { return loaders.With(ctx, store) }
	root := &resolvers.Resolver{
		Writers:     w,
		Accounts:    writers.NewAccounts(w, password.New()),
		Tokens:      tokens,
		Attempts:    auth.NewAttempts(time.Now),
		WithLoaders: fresh,
	}
	schema := exec.NewPlannedSchema(
		exec.Config{Resolvers: root},
		func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) },
	)
	config := endpoint.Config{
		Timeout: time.Minute,
		Around:  fresh,
		Limits:  bounds,
		Costs:   resolvers.Costs(tables.ListBound),
	}
	return &server{schema, tokens.Handler(endpoint.New(schema, config)), bounds}
}

func (s *server) outcome(r request) (out outcome) {
	planned := s.explain(r)
	if planned.Phase == failed || planned.Phase == execution && r.authenticates() {
		planned.unexecuted = true
		return planned
	}
	var log bytes.Buffer
	ctx := zerolog.New(&log).WithContext(context.Background())
	post := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", bytes.NewReader(r.body()))
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "application/graphql-response+json")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, post)
	var answer struct {
		Data   json.RawMessage
		Errors []struct {
			responseError
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		return failure("%v in the answer %s", err, w.Body)
	}
	for _, e := range answer.Errors {
		out.Errors = append(out.Errors, e.responseError)
		if e.Extensions.Code == "INTERNAL" {
			return failure("INTERNAL: %s", &log)
		}
	}
	switch {
	case w.Code >= http.StatusInternalServerError || log.Len() > 0:
		return failure("status %d: %s %s", w.Code, w.Body, &log)
	case w.Code == http.StatusNotAcceptable: // a valid subscription, which needs a stream
		out = outcome{Phase: execution, unexecuted: true}
	case w.Code == http.StatusOK && answer.Data != nil:
		out.Phase, out.Data = execution, string(answer.Data)
	case planned.Phase == execution:
		out.Phase = "rejected though it can be explained"
	default:
		out.Phase = planned.Phase
	}
	if out.Phase == execution && planned.Phase != execution {
		out.Phase = "executed though it can't be explained: " + planned.Phase
	}
	return out
}

func (s *server) explain(r request) (out outcome) {
	defer func() {
		if panicked := recover(); panicked != nil {
			out = failure("explain panics: %v", panicked)
		}
	}()
	params := &graphql.RawParams{Query: r.Query, OperationName: r.OperationName}
	if r.Variables != "" {
		decoder := json.NewDecoder(strings.NewReader(r.Variables))
		decoder.UseNumber()
		if err := decoder.Decode(&params.Variables); err != nil {
			return failure("the variables are no JSON: %v", err)
		}
	}
	checker := endpoint.NewChecker(s.schema, resolvers.Costs(tables.ListBound), s.limits)
	_, errs := checker.Explain(context.Background(), params)
	out.Phase = phaseOf(errs)
	for _, e := range errs {
		out.Errors = append(out.Errors, responseError{Message: e.Message})
	}
	return out
}

func phaseOf(errs gqlerror.List) phase {
	if len(errs) == 0 {
		return execution
	}
	first := errs[0]
	code, _ := first.Extensions["code"].(string)
	switch {
	case code == "GRAPHQL_PARSE_FAILED":
		return syntax
	case strings.HasPrefix(first.Message, "operationName must name"):
		return operating
	case code == "GRAPHQL_VALIDATION_FAILED" && strings.HasPrefix(first.Message, "$"):
		return variables
	case code == "GRAPHQL_VALIDATION_FAILED",
		first.Message == "a fragment spreads itself",
		first.Message == "two fragments have the same name":
		return validation
	}
	return execution // its costs are unknown, or a resolver rejects an argument
}
