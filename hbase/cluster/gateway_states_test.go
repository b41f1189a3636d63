package cluster_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/gateway"
	"twibase/graph/auth"
	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/tables"
	"twibase/hbase/tables/tablestest"
	"twibase/transfer"
)

func testGateway(t *testing.T, url string) {
	store, _ := openLogging(t, url, cluster.WithNamespace("states"))
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	const (
		signUp  = `{"query":"mutation{signUp(input:{username:\"young\",name:\"Young\",password:\"correct horse\"}){user{username} userErrors{code}}}"}`
		profile = `{"query":"{user(username:\"young\"){name}}"}`
	)
	t.Run("a table is read-only", func(t *testing.T) {
		makeReadOnly(t, store, tables.Users.Table)
		send, log := newGateway(t, store)
		if got := send(signUp); got.Extensions.Code != "UNAVAILABLE" || got.Extensions.RetryAfterMs != 1000 {
			t.Errorf("signUp: %+v", got)
		}
		checkStateLog(t, log.String(), "region is read only", "table states:"+tables.Users.Table+", server ")
		if got := send(profile); got.Message != "" {
			t.Errorf("a read: %+v", got)
		}
	})
	t.Run("a quota is used up", func(t *testing.T) {
		throttle(t, store, "states", tables.Users.Table, 3)
		send, log := newGateway(t, store)
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			got := send(profile)
			if got.Message == "" && time.Now().Before(deadline) {
				continue
			}
			if got.Extensions.Code != "UNAVAILABLE" || got.Extensions.RetryAfterMs < 1000 {
				t.Errorf("a read: %+v", got)
			}
			break
		}
		checkStateLog(t, log.String(), "RpcThrottlingException", "table states:"+tables.Users.Table+", server ")
	})
	t.Run("a table is missing", func(t *testing.T) {
		if err := store.DropTable(t.Context(), tables.Users.Table); err != nil {
			t.Fatal(err)
		}
		send, log := newGateway(t, store)
		for _, operation := range []string{profile, signUp} {
			if got := send(operation); got.Extensions.Code != "UNAVAILABLE" || got.Extensions.RetryAfterMs == 0 {
				t.Errorf("%s: %+v", operation, got)
			}
		}
		checkStateLog(t, log.String(), "table not found: states:"+tables.Users.Table)
	})
}

func makeReadOnly(t *testing.T, store *cluster.Store, name string) {
	t.Helper()
	if err := store.DropTable(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	families := map[string]map[string]string{}
	for _, f := range tablestest.Definition(name, 1).Families {
		families[f.Name] = map[string]string{}
	}
	createReadOnly(t, store, "states", name, families)
	awaitTable(t, store, name)
}

type graphQLError struct {
	Message    string
	Extensions struct {
		Code         string
		RetryAfterMs int
	}
}

func newGateway(t *testing.T, store hbase.Store) (send func(body string) graphQLError, log *logBuffer) {
	t.Helper()
	log = new(logBuffer)
	tokens := &auth.Tokens{Secrets: auth.NewSecrets([]byte(strings.Repeat("s", 32))), Now: time.Now}
	g := gateway.New(store, gateway.Config{Tokens: tokens, Log: zerolog.New(log), Shared: true, Limits: limits.Default()})
	return func(body string) graphQLError {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		g.Public.ServeHTTP(w, r)
		var response struct{ Errors []graphQLError }
		if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil {
			t.Fatalf("status %d, %s: %v", w.Code, w.Body, err)
		}
		if len(response.Errors) == 0 {
			return graphQLError{}
		}
		return response.Errors[0]
	}, log
}

func checkStateLog(t *testing.T, log string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(log, part) {
			t.Errorf("the log lacks %q:\n%s", part, log)
		}
	}
	if strings.Contains(log, `"stack"`) || strings.Contains(log, `\tat `) {
		t.Errorf("the log has a stack trace:\n%s", log)
	}
}
