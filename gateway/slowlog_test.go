package gateway

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/report"
)

func slowLines(t *testing.T, slow time.Duration, body string) (lines []map[string]any, text string) {
	t.Helper()
	var log bytes.Buffer
	g := New(sampleStore(t), Config{
		Tokens: &auth.Tokens{}, Slow: slow, Shared: true, Log: zerolog.New(zerolog.SyncWriter(&log)),
	})
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("apollographql-client-name", "web")
	r.Header.Set(report.Header, "1")
	g.Public.ServeHTTP(httptest.NewRecorder(), r.WithContext(t.Context()))
	for line := range strings.Lines(log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		if fields["message"] == "slow operation" {
			lines = append(lines, fields)
		}
	}
	return lines, log.String()
}

func TestSlowOperationsAreLogged(t *testing.T) {
	const document = "query Secret($u: String!, $n: [ID!]!, $none: Int) " +
		"{ user(username: $u) { followers(first: $none) { nodes { name } } } nodes(ids: $n) { id } }"
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{
		"u": "LiLei", "n": []string{"bm90aGluZw", "bm90aGluZzI"}}})
	if err != nil {
		t.Fatal(err)
	}
	lines, text := slowLines(t, time.Nanosecond, string(body))
	if len(lines) != 1 {
		t.Fatalf("%d lines for slow operations, want 1:\n%s", len(lines), text)
	}
	line := lines[0]
	if ms, _ := line["ms"].(float64); ms <= 0 {
		t.Error("the duration is ", line["ms"])
	}
	if rounds, _ := line["rounds"].(float64); rounds < 2 {
		t.Error("the rounds are ", line["rounds"])
	}
	got := map[string]any{}
	for _, name := range []string{"level", "operation", "kind", "client", "hash", "variables", "servers"} {
		got[name] = line[name]
	}
	want := map[string]any{
		"level": "warn", "operation": "Secret", "kind": "query", "client": "web", "hash": documents.Hash(document),
		"variables": "$u: String!, $n: [ID!]! of 2, $none: Int null", "servers": []any{"embedded"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, value := range []string{"LiLei", "bm90aGluZw"} {
		if strings.Contains(text, value) {
			t.Errorf("the log has the value %s of a variable:\n%s", value, text)
		}
	}
}

func TestVariablesOfInputObjectsHaveNoValues(t *testing.T) {
	const body = `{"query":"mutation Post($i: PostTwitInput!) { postTwit(input: $i) { twit { id } } }",
		"variables":{"i":{"content":"private words","photoUrls":["https://example.org/1.png"],"title":null}}}`
	lines, text := slowLines(t, time.Nanosecond, body)
	if len(lines) != 1 || lines[0]["variables"] != "$i: PostTwitInput! {content: string, photoUrls: list of 1, title: null, visibility: string}" {
		t.Errorf("the lines are %v:\n%s", lines, text)
	}
	if strings.Contains(text, "private words") || strings.Contains(text, "example.org") {
		t.Errorf("the log has a value of a variable:\n%s", text)
	}
}

func TestOtherOperationsAreNotSlow(t *testing.T) {
	for name, test := range map[string]struct {
		slow time.Duration
		body string
	}{
		"off":         {0, `{"query":"{ __typename }"}`},
		"fast":        {time.Hour, `{"query":"{ __typename }"}`},
		"not a query": {time.Nanosecond, `{"query":"{ nope }"}`},
	} {
		if lines, text := slowLines(t, test.slow, test.body); len(lines) > 0 {
			t.Errorf("%s: a line for a slow operation:\n%s", name, text)
		}
	}
}
