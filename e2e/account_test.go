package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/hbase/tables"
	"twibase/writers"
)

func (g *gateway) queryWithToken(t *testing.T, query, token string) oracle.Response {
	t.Helper()
	body := fmt.Sprintf(`{"query":%q}`, query)
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, r)
	a, err := decodeAnswer(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newEmptyGateway(t *testing.T) *gateway {
	t.Helper()
	store := inMemory(t)
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	return newGateway("embedded", store)
}

const signUpLiLei = `mutation{signUp(input:{username:"LiLei",name:"Li Lei",email:"li@example.org",age:17,password:"correct horse",clientMutationId:"x"}){
	user{username name age createdAt followerCount version} token expiresAt userErrors{code} clientMutationId}}`

func TestSignUpReturnsTokenOfNewUser(t *testing.T) {
	g := newEmptyGateway(t)
	a := g.queryWithToken(t, signUpLiLei, "")
	payload := oracle.Get(a.Data, "signUp")
	user := oracle.Get(payload, "user")
	if len(a.Errors) > 0 || sprint(oracle.Get(user, "username"), " ", oracle.Get(user, "name"), " ",
		oracle.Get(user, "age"), " ", oracle.Get(user, "followerCount")) != "LiLei Li Lei 17 0" ||
		oracle.Get(user, "createdAt") == nil || oracle.Get(payload, "expiresAt") == nil ||
		oracle.Get(payload, "clientMutationId") != "x" {
		t.Fatal(a)
	}
	seen := g.queryWithToken(t, `{viewer{username email timeline{nodes{id}}}}`, oracle.Get(payload, "token").(string))
	if got := sprint(oracle.Get(seen.Data, "viewer", "username"), " ",
		oracle.Get(seen.Data, "viewer", "email")); got != "LiLei li@example.org" {
		t.Error(got)
	}
}

func TestLogInReturnsATokenForTheRightPassword(t *testing.T) {
	g := newEmptyGateway(t)
	g.queryWithToken(t, signUpLiLei, "")
	logIn := func(username, password string) string {
		a := g.queryWithToken(t, fmt.Sprintf(`mutation{logIn(input:{username:%q,password:%q}){user{username} token expiresAt userErrors{code field message}}}`, username, password), "")
		token, _ := oracle.Get(a.Data, "logIn", "token").(string)
		if token == "" {
			if oracle.Get(a.Data, "logIn", "user") != nil || oracle.Get(a.Data, "logIn", "expiresAt") != nil {
				t.Error(a)
			}
			e := oracle.Get(a.Data, "logIn", "userErrors").(oracle.List)[0]
			return sprint(oracle.Get(e, "code"), " ", oracle.Get(e, "message"))
		}
		seen := g.queryWithToken(t, `{viewer{username}}`, token)
		return sprint(oracle.Get(seen.Data, "viewer", "username"))
	}
	const wrong = "WRONG_CREDENTIALS the username or the password is wrong"
	for range 20 { // log-ins with the right password are not limited
		if got := logIn("LiLei", "correct horse"); got != "LiLei" {
			t.Fatal(got)
		}
	}
	for range 10 {
		for _, username := range []string{"LiLei", "nobody"} {
			if got := logIn(username, "wrong horse"); got != wrong {
				t.Fatal(got)
			}
		}
	}
	for _, username := range []string{"LiLei", "nobody"} {
		if got := logIn(username, "correct horse"); !strings.HasPrefix(got,
			"LIMIT_EXCEEDED too many attempts; try again in ") {
			t.Error(got)
		}
	}
	if got := logIn("Lucy", "wrong horse"); got != wrong {
		t.Error(got)
	}
}

func TestSignUpIsIdempotent(t *testing.T) {
	g := newEmptyGateway(t)
	signUp := func(key, name, password string) string {
		a := g.queryWithToken(t, fmt.Sprintf(`mutation{signUp(input:{username:"LiLei",name:%q,password:%q,idempotencyKey:%q}){user{username name} token expiresAt userErrors{code field message}}}`, name, password, key), "")
		payload := oracle.Get(a.Data, "signUp")
		token, _ := oracle.Get(payload, "token").(string)
		if token == "" {
			if oracle.Get(payload, "user") != nil || oracle.Get(payload, "expiresAt") != nil || len(a.Errors) > 0 {
				t.Error(a)
			}
			e := oracle.Get(payload, "userErrors").(oracle.List)[0]
			return sprint(oracle.Get(e, "code"), " ", oracle.Get(e, "field"), " ", oracle.Get(e, "message"))
		}
		seen := g.queryWithToken(t, `{viewer{username name}}`, token)
		if got, want := sprint(oracle.Get(payload, "user")), sprint(oracle.Get(seen.Data, "viewer")); got != want {
			t.Errorf("the payload has %s, but the viewer is %s", got, want)
		}
		return sprint(oracle.Get(seen.Data, "viewer", "name"))
	}
	for _, name := range []string{"Li Lei", "Li Lei", "Another"} {
		if got := signUp("k", name, "correct horse"); got != "Li Lei" {
			t.Fatal(got)
		}
	}
	for range 20 { // log-ins with the right password are not limited
		if got := signUp("k", "Li Lei", "correct horse"); got != "Li Lei" {
			t.Fatal(got)
		}
	}
	const taken = `ALREADY_EXISTS username "LiLei" is taken`
	for range 5 {
		for _, key := range []string{"k", "l"} {
			if got := signUp(key, "Li Lei", "wrong horse"); got != taken {
				t.Fatal(got)
			}
		}
	}
	for _, key := range []string{"k", "l"} {
		if got := signUp(key, "Li Lei", "correct horse"); !strings.Contains(got, "LIMIT_EXCEEDED") {
			t.Error(got)
		}
	}
	if a := g.queryWithToken(t, `mutation{logIn(input:{username:"LiLei",password:"correct horse"}){token userErrors{code}}}`, ""); oracle.Get(a.Data, "logIn", "token") != nil {
		t.Error("these attempts do not count for logIn: ", a)
	}
}

func TestFiftySignUpsFromOneAddressSucceed(t *testing.T) {
	g := newEmptyGateway(t)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			a := g.queryWithToken(t, fmt.Sprintf(`mutation{signUp(input:{username:"u%d",name:"x",password:"correct horse",idempotencyKey:"k"}){token userErrors{code message}}}`, i), "")
			if oracle.Get(a.Data, "signUp", "token") == nil {
				t.Error(i, a)
			}
		})
	}
	all.Wait()
}

func TestAdminRoleGrantsAccess(t *testing.T) {
	w := smallFixture(t)
	const query = `{user(username:"Lucy"){email}}`
	token, _, err := w.tokens.Sign(auth.Viewer{Username: "boss"})
	if err != nil {
		t.Fatal(err)
	}
	if got := oracle.Get(w.queryWithToken(t, query, token).Data, "user", "email"); got != "lucy@example.org" {
		t.Error(got)
	}
	w.write(t, tables.Assignments.Put("boss", "admin", false, tables.UnknownTime, 1_500_000_000_000))
	if got := oracle.Get(w.queryWithToken(t, query, token).Data, "user", "email"); got != nil {
		t.Error("a viewer whose role was revoked still sees ", got)
	}
}

func TestSignUpWithoutSecretIsUnavailable(t *testing.T) {
	g := newEmptyGateway(t)
	g.root.Tokens = nil
	if a := g.queryWithToken(t, signUpLiLei, ""); len(a.Errors) != 1 || a.Errors[0] != "signUp UNAVAILABLE" {
		t.Error(a)
	}
	if a := g.queryWithToken(t, `{user(username:"LiLei"){username}}`, ""); oracle.Get(a.Data, "user") != nil {
		t.Error("a user without a token was created: ", a)
	}
}

func TestLongTextsAreLimited(t *testing.T) {
	photo := "https://example.org/" + strings.Repeat("x", writers.MaxURL-len("https://example.org/"))
	for _, test := range []struct {
		name, input string
		bytes       int
	}{
		{"content", fmt.Sprintf("content:%q", strings.Repeat("x", 10_000)), 10_000},
		{"photo URLs",
			fmt.Sprintf("content:\"\",photoUrls:[%s]", strings.Repeat(fmt.Sprintf("%q,", photo), writers.MaxPhotos)),
			writers.MaxPhotos * len(photo)},
		{"title and content", fmt.Sprintf("title:%q,content:%q",
			strings.Repeat("\U0001F600", writers.MaxTitle), strings.Repeat("x", 4<<10)), 4*writers.MaxTitle + 4<<10},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newEmptyGateway(t)
			token := oracle.Get(g.queryWithToken(t, signUpLiLei, "").Data, "signUp", "token").(string)
			post := func(input string) string {
				a := g.queryWithToken(t, "mutation{postTwit(input:{"+input+"}){userErrors{code message}}}", token)
				if errs, _ := oracle.Get(a.Data, "postTwit", "userErrors").(oracle.List); len(errs) > 0 {
					return sprint(oracle.Get(errs[0], "code"), " ", oracle.Get(errs[0], "message"))
				}
				return sprint(a.Errors)
			}
			const burst = 1 << 20
			least := burst / test.bytes
			posted, got := 0, "[]"
			for ; posted < 2*least; posted++ {
				if got = post(test.input); got != "[]" {
					break
				}
			}
			if posted < least || !strings.HasPrefix(got, "LIMIT_EXCEEDED too many long texts; try again in ") {
				t.Errorf("after %d twits of %d bytes: %s; want at least %d, and fewer than %d", posted, test.bytes, got, least, 2*least)
			}
			if got := post(`content:"short"`); got != "[]" {
				t.Errorf("a short text: %s", got)
			}
		})
	}
}
