package auth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase/tables"
)

var (
	secret = []byte(strings.Repeat("s", minSecret))
	now    = time.Date(2014, 12, 25, 8, 30, 0, 0, time.UTC)
	tokens = &Tokens{Secrets: NewSecrets(secret), Now: func() time.Time { return now }}
	dev    = &Tokens{Secrets: NewSecrets(secret), Dev: true, Now: tokens.Now}
)

func TestSignedTokenIsValidForAnHour(t *testing.T) {
	t.Run("a signed token is verified for an hour", func(t *testing.T) {
		want := Viewer{Username: "小红", Admin: true}
		token, expires, err := tokens.Sign(want)
		if err != nil || !expires.Equal(now.Add(time.Hour)) {
			t.Fatal(expires, err)
		}
		at := func(now time.Time) *Tokens {
			return &Tokens{Secrets: NewSecrets(secret), Dev: true, Now: func() time.Time { return now }}
		}
		if got, until, err := at(now.Add(time.Hour-time.Second)).Verify(t.Context(), token); err != nil || got != want ||
			!until.Equal(expires) {
			t.Errorf("before the expiry: %+v, %v", got, err)
		}
		if got, _, err := at(now.Add(time.Hour)).Verify(t.Context(), token); err == nil {
			t.Errorf("at the expiry: %+v", got)
		}
	})
	t.Run("an invalid username gets no token", func(t *testing.T) {
		if token, _, err := tokens.Sign(Viewer{Username: "a b"}); !errors.Is(err, tables.ErrName) {
			t.Errorf("got %s, error %v", token, err)
		}
	})
	t.Run("without a secret no token is signed", func(t *testing.T) {
		for _, tokens := range []*Tokens{nil, {Now: time.Now}} {
			if tokens.Signs() {
				t.Error("Signs is true without secrets")
			}
		}
	})
	t.Run("a token has the server's issuer and audience", func(t *testing.T) {
		here := &Tokens{Secrets: tokens.Secrets, Issuer: "https://id.example", Audience: "twibase", Now: tokens.Now}
		token, _, err := here.Sign(Viewer{Username: "LiLei"})
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := here.Verify(t.Context(), token); err != nil || got.Username != "LiLei" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestHandlerSetsTheViewerOrRejectsTheToken(t *testing.T) {
	token, expires, err := tokens.Sign(Viewer{Username: "LiLei"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		headers []string
		status  int
		body    string
	}{
		{"no token", nil, 200, "unauthenticated"},
		{"token", []string{"Bearer " + token}, 200, "LiLei"},
		{"scheme in another case", []string{"bearer " + token}, 200, "LiLei"},
		{"invalid token", []string{"Bearer x"}, 401,
			`{"errors":[{"message":"the token is not one of this server's","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"other scheme", []string{"Basic " + token}, 401,
			`{"errors":[{"message":"the Authorization header is not of the form: Bearer TOKEN","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"two tokens", []string{"Bearer " + token, "Bearer " + token}, 401,
			`{"errors":[{"message":"the Authorization header is not of the form: Bearer TOKEN","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"empty header", []string{""}, 401,
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
					viewer.Username = "unauthenticated"
				}
				if until, knows := ExpiryOf(r.Context()); knows != ok || ok && !until.Equal(expires) {
					t.Errorf("expiry %s, want %s", until, expires)
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

func TestTokenInURLIsRejected(t *testing.T) {
	token, _, err := tokens.Sign(Viewer{Username: "LiLei"})
	if err != nil {
		t.Fatal(err)
	}
	for parameter, status := range map[string]int{"access_token": 401, "Authorization": 401, "token": 401, "jwt": 401,
		"id_token": 401, "variables": 200,
		"accessToken": 401, "Access-Token": 401, "bearer": 401, "auth": 401, "authToken": 401} {
		t.Run(parameter, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/graphql?query={viewer{name}}&"+parameter+"="+token, nil)
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			tokens.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
			if w.Code != status || strings.Contains(w.Body.String(), token) {
				t.Errorf("status %d, want %d: %s", w.Code, status, w.Body)
			}
		})
	}
}
