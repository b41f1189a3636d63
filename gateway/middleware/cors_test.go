package middleware

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

// preflights answers preflights and keeps the lines of the log about those that are refused.
type preflights struct {
	handler http.Handler
	log     bytes.Buffer
}

func newPreflights(origins []string) *preflights {
	return &preflights{handler: Chain(http.NotFoundHandler(), CORS(origins, []string{"X-Tenant"}))}
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
	all := strings.ToUpper(strings.Join(append(corsHeaders(), "X-Tenant"), ", "))
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
	Chain(http.NotFoundHandler(), CORS([]string{listedOrigin}, headers)).
		ServeHTTP(w, preflightOf(strings.Join(append(headers, corsHeaders()...), ", ")))
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
