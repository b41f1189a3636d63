package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/propagation"

	"twibase/graph/apierr"
)

func keySet(t testing.TB, keys ...jose.JSONWebKey) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func public(id string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{KeyID: id, Key: key.Public()}
}

func tokensOf(t testing.TB, set string) *Tokens {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := ReadKeySet(t.Context(), path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return &Tokens{Keys: keys, Secrets: tokens.Secrets, Dev: true, Now: tokens.Now}
}

func TestVerifyWithAKeySet(t *testing.T) {
	rs, es, ed := newRSA(t, 2048), newES256(t), newEdDSA(t)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	short := newRSA(t, 1024)
	pinned, encrypting := public("pinned", rs), public("encrypting", es)
	pinned.Algorithm, encrypting.Use = "PS256", "enc"
	set := keySet(t, public("rs", rs), public("es", es), public("ed", ed), pinned, encrypting,
		public("p384", p384), public("short", short),
		jose.JSONWebKey{KeyID: "private", Key: newES256(t)}, jose.JSONWebKey{KeyID: "symmetric", Key: secret})
	set = strings.Replace(set, `{"keys":[`, `{"keys":[{"kty":"future","kid":"future"},`, 1)
	here := tokensOf(t, set)
	claims := fields{"sub": "小红", "exp": now.Unix() + 60, "admin": true}
	token := func(algorithm jose.SignatureAlgorithm, key any, kid any) string {
		header := fields{}
		if kid != nil {
			header["kid"] = kid
		}
		return forge(t, algorithm, key, header, claims)
	}
	小红 := Viewer{Username: "小红"}
	for _, v := range []verdict{
		{"RS256", here, token(jose.RS256, rs, "rs"), 小红, ""},
		{"ES256", here, token(jose.ES256, es, "es"), 小红, ""},
		{"EdDSA", here, token(jose.EdDSA, ed, "ed"), 小红, ""},
		{"no key id, one key of the algorithm", here, token(jose.EdDSA, ed, nil), 小红, ""},
		{"own token", here, token(jose.HS256, secret, nil), Viewer{Username: "小红", Admin: true}, ""},

		{"unknown key", here, token(jose.ES256, newES256(t), "es"), Viewer{}, foreign},
		{"no key id, unknown key", here, token(jose.EdDSA, newEdDSA(t), nil), Viewer{}, foreign},
		{"algorithm of another key", here, token(jose.PS256, rs, "rs"), Viewer{}, foreign},
		{"algorithm of the same family", here, token(jose.RS512, rs, "rs"), Viewer{}, foreign},
		{"key declared for another algorithm", here, token(jose.RS256, rs, "pinned"), Viewer{}, foreign},
		{"key for encryption", here, token(jose.ES256, es, "encrypting"), Viewer{}, foreign},
		{"unsupported curve", here, token(jose.ES384, p384, "p384"), Viewer{}, foreign},
		{"short key", here, token(jose.RS256, short, "short"), Viewer{}, foreign},
		{"symmetric key", here, token(jose.HS256, []byte(strings.Repeat("x", 32)), "symmetric"), Viewer{}, foreign},
		{"public key as a secret, PEM", here, token(jose.HS256, published(t, rs), "rs"), Viewer{}, foreign},
		{"public key as a secret, PEM without the line break", here,
			token(jose.HS256, []byte(strings.TrimSpace(string(published(t, rs)))), "rs"), Viewer{}, foreign},
		{"public key as a secret, modulus", here, token(jose.HS256, rs.N.Bytes(), "rs"), Viewer{}, foreign},
		{"public key as a secret, bytes", here, token(jose.HS256, []byte(ed.Public().(ed25519.PublicKey)), "ed"), Viewer{},
			foreign},
		{"key id that is a path", here, token(jose.ES256, es, "../../es"), Viewer{}, foreign},
		{"key id in another case", here, token(jose.ES256, es, "ES"), Viewer{}, foreign},
		{"key id with a suffix", here, token(jose.ES256, es, "es\x00"), Viewer{}, foreign},
		{"key id that is not text", here, token(jose.ES256, es, []string{"es"}), Viewer{}, foreign},
		{"key id that is a number", here, token(jose.ES256, es, 1), Viewer{}, foreign},
		{"jku header", here,
			forge(t, jose.ES256, newES256(t), fields{"kid": "mine", "jku": "http://127.0.0.1:1/"}, claims), Viewer{}, foreign},
		{"signature in another form", here,
			raw(`{"alg":"ES256","kid":"es"}`, `{"sub":"小红","exp":9e9}`, strings.Repeat("\x00", 64)), Viewer{}, foreign},
		{"no algorithm", here, raw(`{"alg":"none","kid":"es"}`, `{"sub":"小红","exp":9e9}`, ""), Viewer{}, foreign},
		{"no key set", tokens, token(jose.ES256, es, "es"), Viewer{}, foreign},
		{"own token without a secret", &Tokens{Keys: here.Keys, Now: tokens.Now}, token(jose.HS256, secret, nil), Viewer{},
			foreign},
	} {
		v.check(t)
	}
	t.Run("a token without a key id is rejected if two keys fit", func(t *testing.T) {
		two := tokensOf(t, keySet(t, public("a", es), public("b", newES256(t))))
		verdict{"", two, token(jose.ES256, es, nil), Viewer{}, foreign}.check(t)
	})
}

func TestKeySetWithoutPublicKeysIsRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	for _, test := range []struct{ name, text, err string }{
		{"no JSON", "<html>", "it is no JSON Web Key Set"},
		{"no keys", `{"keys":[]}`, "none of the keys is a public one"},
		{"no set", `{}`, "none of the keys is a public one"},
		{"only private keys", keySet(t, jose.JSONWebKey{Key: newES256(t)}), "none of the keys is a public one"},
		{"only secrets", keySet(t, jose.JSONWebKey{Key: secret}), "none of the keys is a public one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadKeySet(t.Context(), path, zerolog.Nop()); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got error %v, want %q", err, test.err)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		if _, err := ReadKeySet(t.Context(), path+".none", zerolog.Nop()); !os.IsNotExist(err) {
			t.Errorf("got error %v", err)
		}
	})
}

func TestLocationOfAKeySetIsChecked(t *testing.T) {
	for location, want := range map[string]error{
		"": nil, "keys.json": nil, "/etc/keys@host.json": nil, "C:\\keys.json": nil,
		"http://127.0.0.1:8080": nil, "HTTPS://id.example/@team/keys": nil, "https://[::1]/keys?a=b@c": nil,
		"https://": errBadURL, "https:///keys": errBadURL, "ftp://id.example/keys": errBadURL,
		"https://u:p@[bad/x": errBadURL, "https://u:p": errBadURL, "https://id.example/%zz": errBadURL,
		"https://u:p@id.example": errUserInURL, "http://u@id.example": errUserInURL, "http://@id.example": errUserInURL,
	} {
		if err := CheckKeySetLocation(location); err != want {
			t.Errorf("%q: got error %v, want %v", location, err, want)
		}
	}
}

type issuer struct {
	*httptest.Server
	set     atomic.Pointer[string]
	fetches atomic.Int64
}

func newIssuer(t testing.TB) *issuer {
	i := &issuer{}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.fetches.Add(1)
		if set := i.set.Load(); set != nil {
			_, _ = w.Write([]byte(*set))
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) publish(set string) { i.set.Store(&set) }

func TestUnknownKeyFetchesTheKeySet(t *testing.T) {
	old, young := newES256(t), newES256(t)
	claims := fields{"sub": "LiLei", "exp": now.Unix() + 60}
	first := forge(t, jose.ES256, old, fields{"kid": "old"}, claims)
	second := forge(t, jose.ES256, young, fields{"kid": "young"}, claims)
	is := newIssuer(t)
	keys, err := ReadKeySet(t.Context(), is.URL, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	here := &Tokens{Keys: keys, Now: tokens.Now}
	verify := func(token string, code apierr.Code, fetches int64) {
		t.Helper()
		got := apierr.Code("")
		if _, _, err := here.Verify(t.Context(), token); err != nil {
			got = err.Code
		}
		if n := is.fetches.Load(); got != code || n != fetches {
			t.Errorf("%q after %d fetches, want %q after %d", got, n, code, fetches)
		}
	}
	verify(first, apierr.CodeUnavailable, 1) // not fetched again within the pause
	keys.pause = 0
	verify(first, apierr.CodeUnavailable, 2)
	is.publish(keySet(t, public("old", old)))
	verify(first, "", 3)
	verify(first, "", 3)
	verify(second, apierr.CodeUnauthenticated, 4)
	is.publish(keySet(t, public("old", old), public("young", young)))
	verify(second, "", 5)
	verify(first, "", 5)
	keys.pause = time.Hour
	for range 100 {
		verify(forge(t, jose.ES256, young, fields{"kid": rand.Text()}, claims), apierr.CodeUnauthenticated, 5)
	}
	// A withdrawn key is accepted until the next fetch. An invalid set changes nothing.
	is.publish("<html>")
	if _, err := keys.keys.load(t.Context(), 0); err == nil {
		t.Error("HTML was accepted as a key set")
	}
	verify(first, "", 6)
	is.publish(keySet(t, public("young", young)))
	if changed, err := keys.keys.load(t.Context(), 0); !changed || err != nil {
		t.Error(changed, err)
	}
	verify(first, apierr.CodeUnauthenticated, 7)
	verify(second, "", 7)
}

func TestFetchIsBounded(t *testing.T) {
	set := keySet(t, public("", newES256(t)))
	huge := newIssuer(t)
	huge.publish(set + strings.Repeat(" ", maxKeySet))
	elsewhere := httptest.NewServer(http.RedirectHandler(newIssuer(t).URL, http.StatusFound))
	defer elsewhere.Close()
	loop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		http.Redirect(w, r, "/", http.StatusFound)
	}))
	defer loop.Close()
	for name, url := range map[string]string{"more than a megabyte": huge.URL, "a redirect to an error": elsewhere.URL,
		"a redirect without end": loop.URL} {
		if text, err := fetch(t.Context(), newClient(http.DefaultTransport), url); err == nil {
			t.Errorf("%s: %d bytes", name, len(text))
		}
	}
}

func TestUnknownKeySetIsUnavailable(t *testing.T) {
	keys, err := ReadKeySet(t.Context(), newIssuer(t).URL, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	here := &Tokens{Keys: keys, Now: tokens.Now}
	r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	r.Header.Set("Authorization",
		"Bearer "+forge(t, jose.ES256, newES256(t), nil, fields{"sub": "LiLei", "exp": now.Unix() + 60}))
	w := httptest.NewRecorder()
	here.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	want := `{"errors":[{"message":"the keys of tokens are not known yet; try again later","extensions":{"code":"UNAVAILABLE"}}]}`
	if got := strings.TrimSpace(w.Body.String()); w.Code != 503 || got != want || w.Header().Get("Retry-After") != "30" {
		t.Errorf("status %d, %s", w.Code, got)
	}
}

func TestKeySetIsReadAgainPeriodically(t *testing.T) {
	key := newES256(t)
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, []byte(keySet(t, public("a", key))), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := ReadKeySet(t.Context(), path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { keys.keys.refresh(ctx, zerolog.Nop(), "the key set", time.Millisecond); close(ended) }()
	if err := os.WriteFile(path, []byte(keySet(t, public("b", key))), 0o600); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); keys.known("b", "ES256") == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the file was not reloaded")
		}
	}
	if keys.known("a", "ES256") != nil {
		t.Error("a removed key is still accepted")
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); !keys.Failing(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a broken file is not failing")
		}
	}
	if keys.known("b", "ES256") == nil {
		t.Error("a broken file removes the keys")
	}
	stop()
	<-ended
}

func TestFetchHasTheTrace(t *testing.T) {
	got := make(chan string, 1)
	issuer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got <- r.Header.Get("traceparent")
	}))
	defer issuer.Close()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	traced := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": parent})
	for ctx, want := range map[context.Context]string{t.Context(): "", traced: parent} {
		if _, err := fetch(ctx, newClient(http.DefaultTransport), issuer.URL); err != nil {
			t.Fatal(err)
		}
		if header := <-got; header != want {
			t.Errorf("traceparent is %q, want %q", header, want)
		}
	}
}
