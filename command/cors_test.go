package command

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listedOrigin = "https://example.org"

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

func TestPreflightAllowsClientHeaders(t *testing.T) {
	url, _ := started(t, "--cors", listedOrigin, "--cors-headers", "X-Tenant,X-Shard", "--cors-headers", "x-third")
	names := []string{"authorization", "content-type", "x-twibase-report", "traceparent", "tracestate", "baggage",
		"sentry-trace",
		"apollographql-client-name", "apollographql-client-version", "apollo-require-preflight", "x-apollo-operation-name",
		"x-request-id", "graphql-client-name", "graphql-client-version", "x-tenant", "x-shard", "x-third"}
	slices.Sort(names)
	for _, test := range [][]string{
		names, {"baggage", "traceparent"}, {"content-type", " x-tenant"}, nil,
	} {
		t.Run(strings.Join(test, ","), func(t *testing.T) {
			status, header := preflight(t, url, listedOrigin, "POST", test...)
			if status != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != listedOrigin ||
				header.Get("Access-Control-Allow-Methods") != "POST" {
				t.Errorf("status %d, %v", status, header)
			}
			allowed := strings.Split(header.Get("Access-Control-Allow-Headers"), ",")
			for _, name := range test {
				if name = strings.ToLower(strings.TrimSpace(name)); !contains(allowed, name) {
					t.Errorf("%s is missing in %q", name, allowed)
				}
			}
		})
	}
	for _, name := range names {
		if _, header := preflight(t, url, listedOrigin, "POST", name); header.Get("Access-Control-Allow-Headers") != name {
			t.Errorf("%s alone is rejected: %v", name, header)
		}
		if _, header := preflight(t, url, "https://example.com", "POST",
			name); header.Get("Access-Control-Allow-Origin") != "" || header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("%s of an unlisted origin is allowed: %v", name, header)
		}
	}
	for _, name := range []string{"x-other", "cookie", "*", "x-tenant2", "x tenant"} {
		if _, header := preflight(t, url, listedOrigin, "POST", "content-type",
			name); header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("%s is allowed: %v", name, header)
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

func TestListedOriginsCanReadEveryResponse(t *testing.T) {
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
		{"invalid document", "POST", "/graphql", `{"query":"{"}`, []string{"Accept", "application/graphql-response+json"},
			400},
		{"invalid request", "POST", "/graphql", `{`, nil, 400},
		{"a batch", "POST", "/graphql", "[" + query + "]", nil, 400},
		{"invalid token", "POST", "/graphql", query, []string{"Authorization", "Bearer x"}, 401},
		{"other method", "PATCH", "/graphql", query, nil, 405},
		{"a mutation by GET", "GET", "/graphql?query=mutation{deleteUser(input:{username:%22x%22}){clientMutationId}}", "",
			nil, 405},
		{"a subscription without events", "POST", "/graphql", `{"query":"subscription{twitPosted(username:\"LiLei\"){id}}"}`,
			[]string{"Accept", "application/json"}, 406},
		{"a long body", "POST", "/graphql", `{"query":"` + strings.Repeat(" ", 1<<20) + `"}`, nil, 413},
		{"form", "POST", "/graphql", query, []string{"Content-Type", "text/plain"}, 415},
		{"preflight for another method", "OPTIONS", "/graphql", "", []string{"Access-Control-Request-Method", "PATCH"}, 204},
		{"preflight for another header", "OPTIONS", "/graphql", "",
			[]string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-other"}, 204},
		{"OPTIONS that is not a preflight", "OPTIONS", "/graphql", "", nil, 204},
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
					t.Errorf("Access-Control-Expose-Headers: %q", exposed)
				}
				if strings.Contains(test.name, "preflight of") &&
					(header.Get("Access-Control-Allow-Headers") != "" || header.Get("Access-Control-Allow-Methods") != "") {
					t.Errorf("the origin is allowed: %v", header)
				}
				if !strings.Contains(strings.Join(header.Values("Vary"), ","), "Origin") {
					t.Errorf("Vary: %q", header.Values("Vary"))
				}
			})
		}
	}
}
