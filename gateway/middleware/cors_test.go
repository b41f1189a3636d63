package middleware

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

const listedOrigin = "https://example.org"

func TestAllowedHeadersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range corsHeaders() {
		if !strings.Contains(string(text), "`"+strings.ToLower(name)+"`") {
			t.Errorf("docs/SECURITY.md lacks %s", name)
		}
	}
}

func preflightOf(values ...string) *http.Request {
	r := httptest.NewRequest(http.MethodOptions, "/graphql", nil)
	r.Header = http.Header{"Origin": {listedOrigin}, "Access-Control-Request-Method": {"POST"},
		"Access-Control-Request-Headers": values}
	return r
}

func TestPreflightCostsBoundedWork(t *testing.T) {
	handler := Chain(http.NotFoundHandler(), CORS([]string{listedOrigin}, []string{"X-Tenant"}))
	allocations := func(r *http.Request) (n float64, allowed bool) {
		n = testing.AllocsPerRun(10, func() {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			allowed = w.Header().Get("Access-Control-Allow-Methods") != ""
			if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != listedOrigin ||
				!strings.Contains(w.Header().Get("Vary"), "Origin") {
				t.Fatalf("status %d, %v", w.Code, w.Header())
			}
		})
		return n, allowed
	}
	most, allowed := allocations(preflightOf(requested(append(corsHeaders(), "X-Tenant"))))
	if !allowed {
		t.Fatal("all allowed headers together are rejected")
	}
	for _, test := range []struct {
		name   string
		values []string
	}{
		{"30,000 names", []string{strings.Repeat("x,", 30_000)}},
		{"30,000 commas", []string{strings.Repeat(",", 30_000)}},
		{"30,000 times the same name", []string{strings.Repeat("x-tenant,", 30_000)}},
		{"1,000 header fields", slices.Repeat([]string{"x-tenant"}, 1000)},
		{"1,000 empty header fields", make([]string, 1000)},
		{"one name of 60 KB", []string{strings.Repeat("x", 60<<10)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, allowed := allocations(preflightOf(test.values...))
			if allowed {
				t.Error("it is allowed")
			}
			if n > most+2 {
				t.Errorf("%v allocations, and a preflight of all allowed headers has %v", n, most)
			}
		})
	}
}

func requested(names []string) string {
	return strings.ToLower(strings.Join(slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}), ","))
}

func TestAllCORSHeadersMayBeRequestedTogether(t *testing.T) {
	var headers []string
	for i := range 200 {
		headers = append(headers, fmt.Sprintf("X-Header-%d-%s", i, strings.Repeat("x", 50)))
	}
	w := httptest.NewRecorder()
	Chain(http.NotFoundHandler(), CORS([]string{listedOrigin}, headers)).
		ServeHTTP(w, preflightOf(requested(append(headers, corsHeaders()...))))
	if w.Header().Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("they are rejected: %v", w.Header())
	}
}
