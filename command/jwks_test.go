package command

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"twibase/hbase/hbasetest/minihbase"
)

type signer struct {
	key *rsa.PrivateKey
	id  string
}

func newSigner(t *testing.T, id string) signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return signer{key, id}
}

func (s signer) set() []byte {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: s.id, Key: s.key.Public(),
		Algorithm: "RS256", Use: "sig"}}})
	if err != nil {
		panic(err)
	}
	return text
}

// The parameter claims overrides some of the valid claims.
func (s signer) token(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims map[string]any) string {
	t.Helper()
	made, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key},
		(&jose.SignerOptions{}).WithHeader("kid", s.id))
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]any{"sub": "LiLei", "iss": "https://id.example", "aud": "twibase",
		"exp": time.Now().Add(time.Hour).Unix()}
	token, err := jwt.Signed(made).Claims(good).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func authenticate(t *testing.T, url, token string) (status int, body string, closed websocket.StatusCode) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url+"/graphql", strings.NewReader(`{"query":"{viewer{username}}"}`))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
	}
	status, body, _ = fetch(t, r, err)
	socket, _, err := websocket.Dial(t.Context(), url+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	init, err := json.Marshal(map[string]any{"type": "connection_init",
		"payload": map[string]string{"authorization": "Bearer " + token}})
	if err == nil {
		err = socket.Write(t.Context(), websocket.MessageText, init)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = socket.Read(t.Context())
	return status, body, websocket.CloseStatus(err)
}

func TestOnlyTokensOfTheIssuerAreAccepted(t *testing.T) {
	known, unknown := newSigner(t, "known"), newSigner(t, "unknown")
	var fetches atomic.Int64
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		_, _ = w.Write(known.set())
	}))
	defer issuer.Close()
	url, _ := started(t, "--jwks", issuer.URL, "--jwt-issuer", "https://id.example", "--jwt-audience", "twibase",
		"--jwt-secret-file", secretFile(t))
	der, err := x509.MarshalPKIXPublicKey(known.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	published := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	good := known.token(t, jose.RS256, known.key, nil)
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for _, test := range []struct {
		name, token string
		accepted    bool
	}{
		{"token of the issuer", good, true},
		{"token of another issuer", known.token(t, jose.RS256, unknown.key, nil), false},
		{"unknown key", unknown.token(t, jose.RS256, unknown.key, nil), false},
		{"public key as a secret, PEM", known.token(t, jose.HS256, published, nil), false},
		{"public key as a secret, bytes", known.token(t, jose.HS256, der, nil), false},
		{"no signature", base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"known"}`)) + "." +
			strings.Split(good, ".")[1] + ".", false},
		{"for others", known.token(t, jose.RS256, known.key, map[string]any{"aud": "else"}), false},
		{"issued by a clock that is ahead", known.token(t, jose.RS256, known.key, map[string]any{"nbf": in(4 * time.Second)}),
			true},
		{"good later", known.token(t, jose.RS256, known.key, map[string]any{"nbf": in(time.Minute)}), false},
		{"just expired", known.token(t, jose.RS256, known.key, map[string]any{"exp": in(-time.Second)}), false},
		{"of 10,000 bytes", known.token(t, jose.RS256, known.key, map[string]any{"x": strings.Repeat("x", 10_000)}), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body, closed := authenticate(t, url, test.token)
			if accepted := status == http.StatusOK &&
				body == `{"data":{"viewer":{"username":"LiLei"}}}`; accepted != test.accepted || !accepted &&
				status != http.StatusUnauthorized {
				t.Errorf("status %d: %s", status, body)
			}
			if accepted := closed == -1; accepted != test.accepted || !accepted && closed != 4403 {
				t.Errorf("the WebSocket was closed with %d", closed)
			}
		})
	}
	t.Run("a token of 100,000 bytes is rejected", func(t *testing.T) {
		if status, body, _ := fetch(t,
			get(t, url+"/graphql?query={__typename}", "Authorization", "Bearer "+strings.Repeat("x", 100_000)),
			nil); status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("unknown ids of keys cause no fetch", func(t *testing.T) {
		for range 1000 {
			header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"` + rand.Text() + `"}`))
			r := get(t, url+"/graphql?query={__typename}", "Authorization", "Bearer "+header+strings.TrimLeft(good, base64URL))
			if status, body, _ := fetch(t, r, nil); status != http.StatusUnauthorized {
				t.Fatalf("status %d: %s", status, body)
			}
		}
	})
	if n := fetches.Load(); n != 1 {
		t.Errorf("%d fetches of the keys", n)
	}
}

func TestUnreachableIssuerIsUnavailable(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	url, _ := started(t, "--jwks", down.URL, "--jwt-issuer", "https://id.example", "--jwt-audience", "twibase")
	if status, body, _ := fetch(t, get(t, url+"/graphql?query={viewer{username}}"), nil); status != http.StatusOK ||
		body != `{"data":{"viewer":null}}` {
		t.Errorf("without a token: status %d: %s", status, body)
	}
	who := newSigner(t, "who")
	status, body, header := fetch(t,
		get(t, url+"/graphql?query={viewer{username}}", "Authorization", "Bearer "+who.token(t, jose.RS256, who.key, nil)),
		nil)
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") != "30" ||
		!strings.Contains(body, `"code":"UNAVAILABLE"`) {
		t.Errorf("with a token: status %d: %s", status, body)
	}
}

func TestKeyFileIsReloaded(t *testing.T) {
	minihbase.Slow(t)
	old, young := newSigner(t, "old"), newSigner(t, "young")
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, old.set(), 0o600); err != nil {
		t.Fatal(err)
	}
	url, log := started(t, "--jwks", file, "--jwt-issuer", "https://id.example", "--jwt-audience", "twibase")
	verify := func(s signer, want int) {
		t.Helper()
		if status, body, _ := authenticate(t, url, s.token(t, jose.RS256, s.key, nil)); status != want {
			t.Errorf("token of %s: status %d: %s", s.id, status, body)
		}
	}
	verify(old, http.StatusOK)
	if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	log.await(t, "reloading failed; the last valid content, if any, stays in use")
	verify(old, http.StatusOK)
	if err := os.WriteFile(file, young.set(), 0o600); err != nil {
		t.Fatal(err)
	}
	log.await(t, "reloaded")
	verify(young, http.StatusOK)
	verify(old, http.StatusUnauthorized)
}
