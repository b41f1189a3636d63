package auth

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
)

var (
	secret = []byte(strings.Repeat("s", minSecret))
	now    = time.Date(2014, 12, 25, 8, 30, 0, 0, time.UTC)
	tokens = &Tokens{Secret: secret, Now: func() time.Time { return now }}
	dev    = &Tokens{Secret: secret, Dev: true, Now: tokens.Now}
)

// forge signs any claims by any method.
func forge(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestVerify(t *testing.T) {
	soon, past := now.Add(time.Minute).Unix(), now.Add(-time.Second).Unix()
	hs256 := func(claims jwt.MapClaims) string { return forge(t, jwt.SigningMethodHS256, secret, claims) }
	good := hs256(jwt.MapClaims{"sub": "小红", "exp": soon})
	admin := hs256(jwt.MapClaims{"sub": "LiLei", "exp": soon, "admin": true})
	header, rest, _ := strings.Cut(good, ".")
	const foreign = "the token is not one of this server's"
	for _, test := range []struct {
		name   string
		tokens *Tokens
		token  string
		want   Viewer
		err    string
	}{
		{"a token names the viewer", tokens, good, Viewer{Username: "小红"}, ""},
		{"admin is not honoured", tokens, admin, Viewer{Username: "LiLei"}, ""},
		{"but where tokens are for development", dev, admin, Viewer{Username: "LiLei", Admin: true}, ""},
		{"an expired token is refused", tokens, hs256(jwt.MapClaims{"sub": "LiLei", "exp": past}), Viewer{}, "the token has expired: get a new one"},
		{"so is one that never expires", tokens, hs256(jwt.MapClaims{"sub": "LiLei"}), Viewer{}, foreign},
		{"so is one of the future", tokens, hs256(jwt.MapClaims{"sub": "LiLei", "exp": soon, "nbf": soon}), Viewer{}, "the token is not valid yet"},
		{"so is one without a subject", tokens, hs256(jwt.MapClaims{"exp": soon}), Viewer{}, foreign},
		{"so is a subject that can't be a username", tokens, hs256(jwt.MapClaims{"sub": "a\x00b", "exp": soon}), Viewer{}, foreign},
		{"so is another secret's", tokens, forge(t, jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), jwt.MapClaims{"sub": "LiLei", "exp": soon}),
			Viewer{}, foreign},
		{"another method of the same secret is refused", tokens, forge(t, jwt.SigningMethodHS512, secret, jwt.MapClaims{"sub": "LiLei", "exp": soon}),
			Viewer{}, foreign},
		{"no method at all is refused", tokens,
			forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"a header that names no method is refused", tokens,
			base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + rest, Viewer{}, foreign},
		{"a truncated token is refused", tokens, good[:len(good)-1], Viewer{}, foreign},
		{"a header alone is refused", tokens, header, Viewer{}, foreign},
		{"nothing is refused", tokens, "", Viewer{}, foreign},
		{"a server without a secret says that it takes no tokens", nil, good, Viewer{},
			"this server takes no tokens: it was started without --jwt-secret-file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			viewer, err := test.tokens.Verify(test.token)
			message := ""
			if err != nil {
				message = err.Message
			}
			if viewer != test.want || message != test.err {
				t.Errorf("got %+v, %q; want %+v, %q", viewer, message, test.want, test.err)
			}
		})
	}
}

func TestSign(t *testing.T) {
	t.Run("a signed token is verified for an hour", func(t *testing.T) {
		want := Viewer{Username: "小红", Admin: true}
		token, err := tokens.Sign(want)
		if err != nil {
			t.Fatal(err)
		}
		at := func(now time.Time) *Tokens {
			return &Tokens{Secret: secret, Dev: true, Now: func() time.Time { return now }}
		}
		if got, err := at(now.Add(time.Hour - time.Second)).Verify(token); err != nil || got != want {
			t.Errorf("before the hour is over: %+v, %v", got, err)
		}
		if got, err := at(now.Add(time.Hour)).Verify(token); err == nil {
			t.Errorf("when the hour is over: %+v", got)
		}
	})
	t.Run("a name that can't be one gets no token", func(t *testing.T) {
		if token, err := tokens.Sign(Viewer{Username: "a b"}); err == nil {
			t.Errorf("got %s", token)
		}
	})
}

func TestHandler(t *testing.T) {
	token, err := tokens.Sign(Viewer{Username: "LiLei"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		headers []string
		status  int
		body    string
	}{
		{"without a token a stranger asks", nil, 200, "stranger"},
		{"with one its viewer asks", []string{"Bearer " + token}, 200, "LiLei"},
		{"the scheme may be written otherwise", []string{"bearer " + token}, 200, "LiLei"},
		{"a bad token is no stranger's", []string{"Bearer x"}, 401,
			`{"errors":[{"message":"the token is not one of this server's","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"nor is another scheme", []string{"Basic " + token}, 401,
			`{"errors":[{"message":"the Authorization header is not of the form: Bearer TOKEN","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"nor are two tokens", []string{"Bearer " + token, "Bearer " + token}, 401,
			`{"errors":[{"message":"the Authorization header is not of the form: Bearer TOKEN","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"nor is an empty header", []string{""}, 401,
			`{"errors":[{"message":"the Authorization header is not of the form: Bearer TOKEN","extensions":{"code":"UNAUTHENTICATED"}}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
			r.Header["Authorization"] = test.headers
			r.AddCookie(&http.Cookie{Name: "token", Value: token})
			w := httptest.NewRecorder()
			tokens.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				viewer, ok := ViewerOf(r.Context())
				if !ok {
					viewer.Username = "stranger"
				}
				w.Write([]byte(viewer.Username))
			})).ServeHTTP(w, r)
			if diff := cmp.Diff(test.body, strings.TrimSpace(w.Body.String())); diff != "" || w.Code != test.status {
				t.Errorf("status %d, want %d (-want +got):\n%s", w.Code, test.status, diff)
			}
			if asked := w.Header().Get("WWW-Authenticate") != ""; asked != (test.status == 401) {
				t.Errorf("WWW-Authenticate is %q", w.Header().Get("WWW-Authenticate"))
			}
		})
	}
}

func TestReadSecret(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name, file, want string
		err              string // a part of it
	}{
		{"a secret is the file's bytes", file("plain", string(secret)), string(secret), ""},
		{"but the line break that ends it", file("line", string(secret)+"\r\n"), string(secret), ""},
		{"blanks belong to it", file("blank", string(secret)+" \n"), string(secret) + " ", ""},
		{"a short one is refused, with the way to a better one", file("short", "secret\n"), "", "short has 6 bytes, and a secret needs 32; make one with: head -c 32 /dev/urandom | base64"},
		{"a missing file too", filepath.Join(dir, "none"), "", "none does not exist; make a secret with: head -c 32 /dev/urandom | base64 > " + dir},
		{"a folder is no secret", dir, "", "is a directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ReadSecret(test.file)
			if string(got) != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("the error is %v, want %q in it", err, test.err)
			}
		})
	}
}
