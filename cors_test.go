package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

const listedOrigin = "https://example.org"

// preflight asks whether a page of an origin may send a POST with these headers.
func preflight(t *testing.T, url, origin, method string, names ...string) (int, http.Header) {
	t.Helper()
	r, err := http.NewRequest(http.MethodOptions, url+"/graphql", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", method)
	if len(names) > 0 {
		r.Header.Set("Access-Control-Request-Headers", strings.Join(names, ","))
	}
	status, _, header := fetch(t, r, nil)
	return status, header
}

func TestPreflightAllowsWhatClientsSend(t *testing.T) {
	url, _ := started(t, "--cors", listedOrigin, "--cors-headers", "X-Tenant,X-Shard", "--cors-headers", "x-third")
	names := []string{"authorization", "content-type", "x-twibase-report", "traceparent", "tracestate", "baggage", "sentry-trace",
		"apollographql-client-name", "apollographql-client-version", "apollo-require-preflight", "x-apollo-operation-name",
		"x-request-id", "graphql-client-name", "graphql-client-version", "x-tenant", "x-shard", "x-third"}
	for _, test := range [][]string{
		names, {"traceparent", "baggage"}, {"Content-Type", " X-TENANT "}, {"x-tenant", "x-tenant"}, nil,
	} {
		t.Run(strings.Join(test, ","), func(t *testing.T) {
			status, header := preflight(t, url, listedOrigin, "POST", test...)
			if status != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != listedOrigin || header.Get("Access-Control-Allow-Methods") != "POST" {
				t.Errorf("status %d, %v", status, header)
			}
			allowed := strings.Split(header.Get("Access-Control-Allow-Headers"), ",")
			for _, name := range test {
				if name = strings.ToLower(strings.TrimSpace(name)); !contains(allowed, name) {
					t.Errorf("%s is not among %q", name, allowed)
				}
			}
		})
	}
	for _, name := range names {
		if _, header := preflight(t, url, listedOrigin, "POST", name); header.Get("Access-Control-Allow-Headers") != name {
			t.Errorf("%s alone is refused: %v", name, header)
		}
		if _, header := preflight(t, url, "https://example.com", "POST", name); header.Get("Access-Control-Allow-Origin") != "" || header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("%s of an origin that is not listed is allowed: %v", name, header)
		}
	}
	for _, name := range []string{"x-other", "cookie", "*", "x-tenant2", "x tenant"} {
		if _, header := preflight(t, url, listedOrigin, "POST", "content-type", name); header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("%s is allowed: %v", name, header)
		}
	}
}

func TestAllowedHeadersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range corsHeaders {
		if !strings.Contains(string(text), "`"+strings.ToLower(name)+"`") {
			t.Errorf("docs/SECURITY.md lacks %s", name)
		}
	}
}

func contains(list []string, name string) bool {
	for _, s := range list {
		if strings.TrimSpace(s) == name {
			return true
		}
	}
	return false
}

func TestPagesOfListedOriginsReadEveryResponse(t *testing.T) {
	url, _ := started(t, "--cors", listedOrigin, "--jwt-secret-file", secretFile(t))
	const query = `{"query":"{__typename}"}`
	for _, test := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
	}{
		{"data", "POST", "/graphql", query, nil, 200},
		{"a query by GET", "GET", "/graphql?query={__typename}", "", nil, 200},
		{"a head", "HEAD", "/graphql?query={__typename}", "", nil, 200},
		{"what is no document", "POST", "/graphql", `{"query":"{"}`, []string{"Accept", "application/graphql-response+json"}, 400},
		{"what is no request", "POST", "/graphql", `{`, nil, 400},
		{"a batch", "POST", "/graphql", "[" + query + "]", nil, 200},
		{"a token that is none", "POST", "/graphql", query, []string{"Authorization", "Bearer x"}, 401},
		{"another method", "PATCH", "/graphql", query, nil, 405},
		{"a mutation by GET", "GET", "/graphql?query=mutation{deleteUser(input:{username:%22x%22}){clientMutationId}}", "", nil, 405},
		{"a subscription without events", "POST", "/graphql", `{"query":"subscription{twitPosted(username:\"LiLei\"){id}}"}`, []string{"Accept", "application/json"}, 406},
		{"a long body", "POST", "/graphql", `{"query":"` + strings.Repeat(" ", 1<<20) + `"}`, nil, 413},
		{"a body that a form can send", "POST", "/graphql", query, []string{"Content-Type", "text/plain"}, 415},
		{"a preflight of another method", "OPTIONS", "/graphql", "", []string{"Access-Control-Request-Method", "PATCH"}, 204},
		{"a preflight of another header", "OPTIONS", "/graphql", "",
			[]string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-other"}, 204},
		{"what is no preflight", "OPTIONS", "/graphql", "", nil, 204},
	} {
		for _, origin := range []string{listedOrigin, "https://example.com"} {
			t.Run(test.name+" to "+origin, func(t *testing.T) {
				r, err := http.NewRequest(test.method, url+test.path, strings.NewReader(test.body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				for i := 0; i < len(test.headers); i += 2 {
					r.Header.Set(test.headers[i], test.headers[i+1])
				}
				r.Header.Set("Origin", origin)
				status, body, header := fetch(t, r, nil)
				if status != test.status {
					t.Errorf("status %d, want %d: %s", status, test.status, body)
				}
				want := []string{origin}
				if origin != listedOrigin {
					want = nil
				}
				if diff := cmp.Diff(want, header.Values("Access-Control-Allow-Origin")); diff != "" {
					t.Errorf("Access-Control-Allow-Origin (-want +got):\n%s", diff)
				}
				if exposed := header.Get("Access-Control-Expose-Headers"); (exposed != "") != (want != nil) {
					t.Errorf("exposed are %q", exposed)
				}
				if strings.Contains(test.name, "preflight of") && (header.Get("Access-Control-Allow-Headers") != "" || header.Get("Access-Control-Allow-Methods") != "") {
					t.Errorf("it is allowed: %v", header)
				}
				if !strings.Contains(strings.Join(header.Values("Vary"), ","), "Origin") {
					t.Errorf("Vary is %q", header.Values("Vary"))
				}
			})
		}
	}
}

// preflights answers preflights and keeps the lines of the log about those that are refused.
type preflights struct {
	handler http.Handler
	log     bytes.Buffer
}

func newPreflights(origins []string) *preflights {
	return &preflights{handler: shared(origins, []string{"X-Tenant"}, http.NotFoundHandler())}
}

func (p *preflights) ask(t *testing.T, origin, method string, names ...string) {
	r := httptest.NewRequest(http.MethodOptions, "/graphql", nil)
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", method)
	for _, name := range names {
		r.Header.Add("Access-Control-Request-Headers", name)
	}
	p.handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(zerolog.New(&p.log).WithContext(t.Context())))
}

func (p *preflights) lines(t *testing.T) (lines []map[string]string) {
	t.Helper()
	for text := range strings.Lines(p.log.String()) {
		var line map[string]string
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestRefusedPreflightIsLoggedOnce(t *testing.T) {
	line := func(origin, header, reason string) map[string]string {
		return map[string]string{"level": "warn", "message": "preflight refused", "origin": origin, "header": header, "reason": reason}
	}
	const addHeader, addOrigin = "the header is not allowed: add it to --cors-headers", "the origin is not listed: add it to --cors"
	p := newPreflights([]string{listedOrigin})
	for range 3 {
		p.ask(t, listedOrigin, "POST", "content-type, x-tenant,x-other")
		p.ask(t, listedOrigin, "POST", "X-Other", "x-third")
		p.ask(t, "https://example.com", "POST", "content-type,x-other")
		p.ask(t, "https://example.com", "POST", "x-third")
		p.ask(t, listedOrigin, "PATCH")
		p.ask(t, listedOrigin, "POST", "content-type,x-tenant")
		p.ask(t, listedOrigin, "POST")
	}
	want := []map[string]string{
		line(listedOrigin, "x-other", addHeader), line(listedOrigin, "x-third", addHeader),
		line("https://example.com", "content-type,x-other", addOrigin), line(listedOrigin, "", "the method is not allowed: PATCH"),
	}
	if diff := cmp.Diff(want, p.lines(t)); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

func TestWithoutCORSNoPreflightIsLogged(t *testing.T) {
	p := newPreflights(nil)
	p.ask(t, listedOrigin, "POST", "content-type")
	p.ask(t, listedOrigin, "POST", strings.Repeat("x,", 30_000))
	if p.log.Len() > 0 {
		t.Errorf("the log is %s", p.log.String())
	}
}

func TestUnlistedOriginsDoNotHideRefusedHeaders(t *testing.T) {
	p := newPreflights([]string{listedOrigin})
	for i := range 10 * maxRefusedPreflights {
		p.ask(t, fmt.Sprintf("https://%d.example", i), "POST", "content-type")
	}
	p.ask(t, listedOrigin, "POST", "x-other")
	if lines := p.lines(t); lines[len(lines)-1]["header"] != "x-other" {
		t.Errorf("the last line is %v", lines[len(lines)-1])
	}
}

// preflightOf returns a preflight for a POST from a page of a listed origin. Each value is a header field.
func preflightOf(values ...string) *http.Request {
	r := httptest.NewRequest(http.MethodOptions, "/graphql", nil)
	r.Header = http.Header{"Origin": {listedOrigin}, "Access-Control-Request-Method": {"POST"},
		"Access-Control-Request-Headers": values}
	return r
}

func TestPreflightCostsBoundedWork(t *testing.T) {
	p := newPreflights([]string{listedOrigin})
	allocations := func(r *http.Request) (n float64, allowed bool) {
		n = testing.AllocsPerRun(10, func() {
			w := httptest.NewRecorder()
			p.handler.ServeHTTP(w, r)
			allowed = w.Header().Get("Access-Control-Allow-Methods") != ""
			if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != listedOrigin ||
				!strings.Contains(w.Header().Get("Vary"), "Origin") {
				t.Fatalf("status %d, %v", w.Code, w.Header())
			}
		})
		return n, allowed
	}
	all := strings.ToUpper(strings.Join(append(slices.Clone(corsHeaders), "X-Tenant"), ", "))
	most, allowed := allocations(preflightOf(all))
	if !allowed {
		t.Fatal("all allowed headers together are refused")
	}
	bound := newPreflightBound([]string{"X-Tenant"})
	for _, test := range []struct {
		name    string
		values  []string
		allowed bool
	}{
		{"as many names as are allowed", []string{strings.Repeat("x-tenant,", bound.names-1)}, true},
		{"one name more", []string{strings.Repeat("x-tenant,", bound.names)}, false},
		{"as many bytes as are allowed", []string{"x-tenant" + strings.Repeat(" ", bound.bytes-len("x-tenant"))}, true},
		{"one byte more", []string{"x-tenant" + strings.Repeat(" ", bound.bytes-len("x-tenant")+1)}, false},
		{"30,000 names", []string{strings.Repeat("X,", 30_000)}, false},
		{"30,000 commas", []string{strings.Repeat(",", 30_000)}, false},
		{"1,000 header fields", slices.Repeat([]string{"X-Tenant"}, 1000), false},
		{"1,000 empty header fields", make([]string, 1000), false},
		{"one name of 60 KB", []string{strings.Repeat("X", 60<<10)}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, allowed := allocations(preflightOf(test.values...))
			if allowed != test.allowed {
				t.Errorf("allowed is %t", allowed)
			}
			if n > most {
				t.Errorf("%v allocations, and a preflight of all allowed headers has %v", n, most)
			}
		})
	}
}

func TestLongPreflightIsLoggedOnce(t *testing.T) {
	p := newPreflights([]string{listedOrigin})
	for range 3 {
		p.ask(t, listedOrigin, "POST", strings.Repeat("x,", 30_000))
		p.ask(t, "https://example.com", "POST", strings.Repeat("x,", 30_000))
	}
	var reasons []string
	for _, line := range p.lines(t) {
		reasons = append(reasons, line["origin"]+": "+line["reason"])
	}
	want := []string{listedOrigin + ": too many or too long header names: send fewer",
		"https://example.com: the origin is not listed: add it to --cors"}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

func TestEveryCORSHeaderMayBeRequestedAtOnce(t *testing.T) {
	var headers []string
	for i := range 200 {
		headers = append(headers, fmt.Sprintf("X-Header-%d-%s", i, strings.Repeat("x", 50)))
	}
	w := httptest.NewRecorder()
	shared([]string{listedOrigin}, headers, http.NotFoundHandler()).
		ServeHTTP(w, preflightOf(strings.Join(append(headers, corsHeaders...), ", ")))
	if w.Header().Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("they are refused: %v", w.Header())
	}
}

func TestRefusedPreflightsFillNeitherLogNorMemory(t *testing.T) {
	p := newPreflights([]string{listedOrigin})
	long := strings.Repeat("x", 60<<10)
	for i := range 20_000 {
		p.ask(t, fmt.Sprintf("https://%d.example", i), "POST", "content-type")
		p.ask(t, listedOrigin, "POST", fmt.Sprintf("x-%d", i))
	}
	p.ask(t, "https://"+long, "POST", long)
	p.ask(t, listedOrigin, "POST", strings.Repeat("y,", 30_000)+long)
	p.ask(t, listedOrigin, long)
	// Listed origins and others have a limit each, and a minute may end during the test.
	if n := len(p.lines(t)); n < 2*maxPreflightLines || n > 6*maxPreflightLines {
		t.Errorf("%d lines are logged", n)
	}
	if p.log.Len() > 6*maxPreflightLines*(4*maxPreflightText) {
		t.Errorf("%d bytes are logged", p.log.Len())
	}
}

func TestRememberedPreflightsAreBounded(t *testing.T) {
	p := newPreflightLog()
	p.few = zerolog.RandomSampler(1) // all
	for i := range 3 * maxRefusedPreflights {
		p.once(t.Context(), refusedPreflight{strings.Repeat("o", 10_000), fmt.Sprint(i, strings.Repeat("h", 10_000))}, "", "")
	}
	if n := p.logged.Len(); n != maxRefusedPreflights {
		t.Errorf("%d are remembered", n)
	}
	for _, about := range p.logged.Keys() {
		if len(about.origin) > maxPreflightText || len(about.header) > maxPreflightText {
			t.Fatalf("%d and %d bytes are remembered", len(about.origin), len(about.header))
		}
	}
}
