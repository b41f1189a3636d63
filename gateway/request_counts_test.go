package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/gateway/metrics"
	"twibase/gateway/usage"
	"twibase/graph/auth"
	"twibase/graph/documents"
)

func send(g *Gateway, client, body string) {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if name, version, ok := strings.Cut(client, " "); ok {
		r.Header.Set("graphql-client-name", name)
		r.Header.Set("graphql-client-version", version)
	}
	g.Public.ServeHTTP(httptest.NewRecorder(), r)
}

func exposed(g *Gateway, prefix string) (lines []string) {
	w := httptest.NewRecorder()
	g.Monitoring.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			lines = append(lines, strings.TrimSpace(rest))
		}
	}
	return lines
}

func TestRequestsAreCountedByClientAndOperation(t *testing.T) {
	g := New(sampleStore(t), Config{Tokens: &auth.Tokens{}})
	send(g, "web 1.0", `{"query":"query Bio { user(username: \"LiLei\") { bio } }"}`)
	send(g, "web 1.0", `{"query":"query Bio { user(username: \"LiLei\") { bio } }"}`)
	send(g, "web 1.1", `{"query":"{ __typename }"}`)
	send(g, "", `{"query":"{ nope }"}`)
	send(g, "ünicode 1", `{"query":"mutation Gone { deleteGame(input: {code: \"go\"}) { deletedId } }"}`)
	send(g, "web 1.0", `not JSON`)
	g.Public.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodOptions, "/graphql", nil)) // no request
	for _, test := range []struct {
		metric string
		want   []string
	}{
		{"twibase_requests_total", []string{
			`{client="other",client_version="other",code="UNAUTHENTICATED",type="mutation"} 1`,
			`{client="unknown",client_version="unknown",code="BAD_USER_INPUT",type="none"} 1`,
			`{client="web",client_version="1.0",code="BAD_USER_INPUT",type="none"} 1`,
			`{client="web",client_version="1.0",code="OK",type="query"} 2`,
			`{client="web",client_version="1.1",code="OK",type="query"} 1`,
		}},
		{"twibase_request_duration_seconds_count", []string{
			`{operation="Bio",type="query"} 2`,
			`{operation="Gone",type="mutation"} 1`,
			`{operation="anonymous",type="query"} 1`,
			`{operation="none",type="none"} 2`,
		}},
		{"twibase_request_rows_total", []string{
			`{operation="Bio",type="query"} 2`,
			`{operation="Gone",type="mutation"} 0`,
			`{operation="anonymous",type="query"} 0`,
			`{operation="none",type="none"} 0`,
		}},
		{`twibase_store_call_duration_seconds_count{kind="Get",table="users"}`, []string{"2"}},
		{"twibase_document_cache_hits_total", []string{"1"}},
		{"twibase_document_cache_misses_total", []string{"4"}},
	} {
		if diff := cmp.Diff(test.want, exposed(g, test.metric)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.metric, diff)
		}
	}
	if len(exposed(g, "twibase_build_info{")) != 1 {
		t.Error("/metrics lacks twibase_build_info")
	}
}

func TestOperationNamesAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trusted.graphql")
	if err := os.WriteFile(file, []byte("query Trusted { __typename }"), 0o600); err != nil {
		t.Fatal(err)
	}
	trusted, err := documents.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	g := New(sampleStore(t), Config{Documents: trusted})
	const more = 5
	for i := range metrics.MaxOperations + more {
		send(g, fmt.Sprintf("c%d %d", i, i), fmt.Sprintf(`{"query":"query Q%d { __typename }"}`, i))
	}
	for d := range trusted.All() {
		send(g, "", fmt.Sprintf(`{"query":%q}`, d.Text))
	}
	durations := exposed(g, "twibase_request_duration_seconds_count{")
	if n := len(durations); n != metrics.MaxOperations+2 {
		t.Errorf("%d operations, want %d, the trusted one and other", n, metrics.MaxOperations)
	}
	for _, want := range []string{
		fmt.Sprintf(`operation="other",type="query"} %d`, more), `operation="Trusted",type="query"} 1`,
	} {
		if !strings.Contains(strings.Join(durations, "\n"), want) {
			t.Errorf("the durations lack %s", want)
		}
	}
	if n := len(exposed(g, "twibase_requests_total{")); n != metrics.MaxClients+2 {
		t.Errorf("%d clients, want %d, unknown and other", n, metrics.MaxClients)
	}
}

func TestUsageReportsTheClientsOfAField(t *testing.T) {
	g := New(sampleStore(t), Config{})
	for range 2 {
		send(g, "web 1.0", `{"query":"query Bio { user(username: \"LiLei\") { ...B } } fragment B on User { bio }"}`)
	}
	send(g, "ios 2", `{"query":"{ user(username: \"LiLei\") { bio name } }"}`)
	send(g, "ios 2", `{"query":"{ user(username: \"LiLei\") { name nope } }"}`)
	var got usage.Report
	getUsage(t, g, "", &got)
	web, ios := usage.Client{Name: "web", Version: "1.0"}, usage.Client{Name: "ios", Version: "2"}
	want := []usage.Operation{
		{Operation: "Bio", Type: "query", Client: web, Requests: 2, Rows: 2},
		{Operation: "anonymous", Type: "query", Client: ios, Requests: 1, Rows: 1},
		{Operation: "none", Type: "none", Client: ios, Requests: 1, Errors: 1},
	}
	if diff := cmp.Diff(want, got.Operations); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	var bio usage.Field
	getUsage(t, g, "?field=User.bio", &bio)
	clients := []usage.ClientRequests{{Client: web, Requests: 2}, {Client: ios, Requests: 1}}
	if diff := cmp.Diff(clients, bio.Clients); diff != "" {
		t.Errorf("clients of User.bio (-want +got):\n%s", diff)
	}
	if bio.Field != "User.bio" || bio.LastClient == nil || *bio.LastClient != ios {
		t.Errorf("the last client of %s is %v", bio.Field, bio.LastClient)
	}
	for query, status := range map[string]int{
		"?field=User.nope": http.StatusNotFound, "?hours=25": http.StatusBadRequest,
		"?hours=1&field=User.bio": http.StatusOK,
	} {
		w := httptest.NewRecorder()
		g.Monitoring.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/usage"+query, nil))
		if w.Code != status {
			t.Errorf("%s has status %d, want %d: %s", query, w.Code, status, w.Body)
		}
	}
}

func getUsage(t *testing.T, g *Gateway, query string, response any) {
	t.Helper()
	w := httptest.NewRecorder()
	g.Monitoring.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/usage"+query, nil))
	if err := json.Unmarshal(w.Body.Bytes(), response); err != nil {
		t.Fatal(err, w.Body)
	}
}
