package command

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestEveryPageHasSecurityHeaders(t *testing.T) {
	url, _ := started(t)
	for _, path := range []string{"/", "/graphql", "/graphql?query={viewer{name}}", "/schema.graphql", "/healthz",
		"/readyz", "/metrics", "/assets/none.js", "/nowhere"} {
		t.Run(path, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodGet, url+path, nil)
			_, _, header := fetch(t, r, err)
			for name, want := range map[string]string{"X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'", "Referrer-Policy": "no-referrer"} {
				if got := header.Values(name); len(got) != 1 || !strings.HasPrefix(got[0], want) {
					t.Errorf("%s: %q", name, got)
				}
			}
			if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
				t.Errorf("other pages may frame it: %s", policy)
			}
			if got := header.Get("Cache-Control"); strings.HasPrefix(path, "/graphql") && got != "no-store" {
				t.Errorf("Cache-Control: %q", got)
			}
			if header.Get("Set-Cookie") != "" {
				t.Error("a cookie is set")
			}
		})
	}
}

func TestOnlyListedOriginsMayRead(t *testing.T) {
	listed, _ := started(t, "--cors", "https://example.org,http://localhost:3000")
	none, _ := started(t)
	ask := func(t *testing.T, url, method, origin string, ask ...string) (int, http.Header) {
		t.Helper()
		r, err := http.NewRequest(method, url+"/graphql?query={__typename}", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		if len(ask) > 0 {
			r.Header.Set("Access-Control-Request-Method", ask[0])
			r.Header.Set("Access-Control-Request-Headers", ask[1])
		}
		status, _, header := fetch(t, r, nil)
		return status, header
	}
	const allowed = "Access-Control-Allow-Origin"
	for _, test := range []struct{ name, url, origin, want string }{
		{"listed origin", listed, "https://example.org", "https://example.org"},
		{"second listed origin", listed, "http://localhost:3000", "http://localhost:3000"},
		{"other port", listed, "http://localhost:3001", ""},
		{"other scheme", listed, "http://example.org", ""},
		{"nor the host", listed, "https://example.org.evil.example", ""},
		{"no origin", listed, "null", ""},
		{"no list", none, "https://example.org", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, header := ask(t, test.url, http.MethodGet, test.origin)
			if got := header.Get(allowed); status != http.StatusOK || got != test.want {
				t.Errorf("status %d, allowed is %q, want %q", status, got, test.want)
			}
			_, header = ask(t, test.url, http.MethodOptions, test.origin, "POST", "authorization,content-type,x-twibase-report")
			if got := header.Get(allowed); got != test.want {
				t.Errorf("before a POST: allowed is %q, want %q", got, test.want)
			}
			if test.want != "" && (header.Get("Access-Control-Allow-Methods") != "POST" ||
				header.Get("Access-Control-Allow-Headers") != "authorization,content-type,x-twibase-report") {
				t.Errorf("before a POST: %v", header)
			}
			if header.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials are allowed")
			}
		})
	}
	t.Run("responses are not cached across origins", func(t *testing.T) {
		if _, header := ask(t, listed, http.MethodGet, "https://example.org"); !slices.Contains(header.Values("Vary"),
			"Origin") {
			t.Errorf("Vary: %q", header.Values("Vary"))
		}
	})
	for _, rejected := range [][]string{{"PATCH", "content-type"}, {"POST", "x-other"}} {
		t.Run("no page may send "+strings.Join(rejected, " with "), func(t *testing.T) {
			if _, header := ask(t, listed, http.MethodOptions, "https://example.org",
				rejected...); header.Get("Access-Control-Allow-Methods") != "" {
				t.Error(header)
			}
		})
	}
}

func TestRejectedURLsAreReportedWithoutTheirPassword(t *testing.T) {
	const jwks = "serve --store embedded: --listen nowhere --jwt-issuer i --jwt-audience a --jwks "
	const (
		invalid = "--jwks: invalid URL: write one such as "
		hasUser = "--jwks: the URL must have no user or password: remove what is between // and @"
	)
	for _, test := range []struct{ name, args, stderr string }{
		{"--jwks with a password", jwks + "http://u:SECRETPW@127.0.0.1:1/missing", hasUser},
		{"--jwks with a user", jwks + "https://SECRETPW@127.0.0.1:1/missing", hasUser},
		{"--jwks that cannot be parsed", jwks + "https://u:SECRETPW@[bad/x", invalid},
		{"--jwks without a host", jwks + "https://u:SECRETPW", invalid},
		{"--jwks with another scheme", jwks + "ftp://u:SECRETPW@127.0.0.1/x", invalid},
		{"--store", "tables list --store hbase://u:SECRETPW@zk1", `store "…@zk1": it can have no user`},
		{"--cors", "serve --cors https://u:SECRETPW@example.org", `--cors: "…@example.org" is not an origin`},
		{"health that cannot be parsed", "health http://u:SECRETPW@[bad/x", "the URL must have a scheme and a host"},
		{"health without a scheme", "health u:SECRETPW@127.0.0.1", "the URL must have a scheme and a host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, _, stderr := command(t, strings.Fields(test.args)...)
			if status != statusUsage || !strings.Contains(stderr, test.stderr) || strings.Contains(stderr, "SECRETPW") {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
}

func TestTheLogHasNoSecrets(t *testing.T) {
	file := secretFile(t)
	url, log := started(t, "--log-level", "debug", "--jwt-secret-file", file)
	_, token, _ := command(t, "token", "LiLei", "--jwt-secret-file", file)
	token = strings.TrimSpace(token)
	const secret = "correct-horse-battery"
	var requests []*http.Request
	add := func(method, path, body string, headers ...string) {
		r, err := http.NewRequest(method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		requests = append(requests, r)
	}
	add("POST", "/graphql", `{"query":"query A($u:String!){user(username:$u){name}}","variables":{"u":"`+secret+`"}}`,
		"Authorization", "Bearer "+token)
	add("POST", "/graphql", `{"query":"mutation{logIn(input:{username:\"LiLei\",password:\"`+secret+`\"}){token userErrors{message}}}"}`)
	add("POST", "/graphql", `{"query":"mutation($p:String!){signUp(input:{username:\"young\",name:\"Young\",password:$p}){token}}","variables":{"p":"`+secret+`"}}`)
	add("POST", "/graphql", `{"query":"{user(username:\"`+secret+`"}`)
	add("POST", "/graphql", `{"query":"{user(username:1`+secret+`){name}}"}`)
	add("POST", "/graphql", `{"query":"`+secret, "Authorization", "Bearer "+secret)
	add("POST", "/graphql", secret, "Cookie", "token="+secret, "X-Other", secret)
	add("GET", "/graphql?query={__typename}&access_token="+secret, "")
	add("GET", "/graphql?query={__typename}&token="+token, "")
	add("GET", "/graphql?query=query($u:String!){user(username:$u){name}}&variables=%7B%22u%22:%22"+secret+"%22%7D", "")
	add("GET", "/graphql?query={__typename}&extensions=%7B%22persistedQuery%22:%22"+secret+"%22%7D", "")
	add("GET", "/"+secret, "", "Authorization", "Basic "+secret)
	add("POST", "/graphql", `{"query":"query Last{__typename}"}`)
	for _, r := range requests {
		fetch(t, r, nil)
	}
	for ended := false; !ended; {
		line := <-log.each
		ended = strings.Contains(line, `"operation":"Last"`)
		for _, leaked := range []string{secret, token, token[strings.LastIndex(token, ".")+1:]} {
			if strings.Contains(line, leaked) {
				t.Errorf("the log has a secret: %s", line)
			}
		}
	}
}
