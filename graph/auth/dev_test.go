package auth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestDevTokensAreIssuedOnlyToThisMachine(t *testing.T) {
	const json, body = "application/json", `{"username":"LiLei"}`
	for _, test := range []struct {
		name                                string
		tokens                              *Tokens
		address, host, forwarded, typ, body string
		status                              int
	}{
		{"the IDE on this machine", dev, "127.0.0.1:4711", "localhost:8080", "", json, body, 200},
		{"over IPv6", dev, "[::1]:4711", "[::1]:8080", "", json, body, 200},
		{"a host without a port", dev, "127.0.0.1:4711", "127.0.0.1", "", json + "; charset=utf-8", body, 200},
		{"without --dev-tokens", tokens, "127.0.0.1:4711", "localhost:8080", "", json, body, 404},
		{"without tokens", nil, "127.0.0.1:4711", "localhost:8080", "", json, body, 404},
		{"without a secret", &Tokens{Dev: true}, "127.0.0.1:4711", "localhost:8080", "", json, body, 404},
		{"another machine", dev, "192.0.2.1:4711", "localhost:8080", "", json, body, 404},
		{"a proxy on this machine", dev, "127.0.0.1:4711", "localhost:8080", "192.0.2.1", json, body, 404},
		{"a foreign name for this machine", dev, "127.0.0.1:4711", "rebound.example:8080", "", json, body, 404},
		{"a request that needs no preflight", dev, "127.0.0.1:4711", "localhost:8080", "", "text/plain", body, 415},
		{"no JSON", dev, "127.0.0.1:4711", "localhost:8080", "", json, "LiLei", 400},
		{"a long body", dev, "127.0.0.1:4711", "localhost:8080", "", json,
			`{"username":"` + strings.Repeat("x", maxDevRequest) + `"}`, 400},
		{"an invalid username", dev, "127.0.0.1:4711", "localhost:8080", "", json, `{"username":"no name"}`, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/dev/token", strings.NewReader(test.body))
			r.RemoteAddr, r.Host = test.address, test.host
			r.Header.Set("Content-Type", test.typ)
			if test.forwarded != "" {
				r.Header.Set("X-Forwarded-For", test.forwarded)
			}
			w := httptest.NewRecorder()
			test.tokens.DevHandler().ServeHTTP(w, r)
			if w.Code != test.status {
				t.Fatalf("got status %d, want %d: %s", w.Code, test.status, w.Body)
			}
			if test.status == http.StatusOK {
				checkDevToken(t, test.tokens, w)
			}
		})
	}
}

func checkDevToken(t *testing.T, tokens *Tokens, w *httptest.ResponseRecorder) {
	t.Helper()
	var got struct{ Token string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	viewer, _, err := tokens.Verify(t.Context(), got.Token)
	if err != nil || viewer != (Viewer{Username: "LiLei"}) {
		t.Errorf("the token is of %+v: %v", viewer, err)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
}
