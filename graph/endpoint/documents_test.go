package endpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sum(document string) string {
	digest := sha256.Sum256([]byte(document))
	return hex.EncodeToString(digest[:])
}

func hashed(document string) string {
	return `{"persistedQuery":{"version":1,"sha256Hash":"` + sum(document) + `"}}`
}

func getHashed(document, variables string) *http.Request {
	return httptest.NewRequest(http.MethodGet,
		"/graphql?"+url.Values{"extensions": {hashed(document)}, "variables": {variables}}.Encode(), nil)
}

func TestRegisteredDocumentIsFoundByItsHash(t *testing.T) {
	endpoint := serve(time.Minute)
	const document, invalid = `query Q($u:String!){user(username:$u){username}}`, `{secret}`
	const found = `{"data":{"user":{"username":"LiLei"}}}`
	const notFound = `{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}`
	const mismatch = `{"errors":[{"message":"the hash is not that of the query","extensions":{"code":"BAD_USER_INPUT"}}]}`
	const noSuchField = `{"errors":[{"message":"Cannot query field \"secret\" on type \"Query\".","locations":[{"line":1,"column":2}],"extensions":{"code":"BAD_USER_INPUT"}}]}`
	variables := `{"u":"LiLei"}`
	for _, step := range []struct {
		name    string
		request *http.Request
		status  int
		body    string
	}{
		{"unknown hash", getHashed(document, variables), 200, notFound},
		{"unknown hash, other media type", with(getHashed(document, variables), "Accept", graphQLResponse), 200, notFound},
		{"document with another hash", post(`{"query":"{viewer{name}}","extensions":` + hashed(document) + `}`), 200,
			mismatch},
		{"the hash is still unknown", getHashed(document, variables), 200, notFound},
		{"document with its hash",
			post(`{"query":"` + document + `","variables":` + variables + `,"extensions":` + hashed(document) + `}`), 200,
			found},
		{"known hash by GET", getHashed(document, variables), 200, found},
		{"and by POST", post(`{"variables":` + variables + `,"extensions":` + hashed(document) + `}`), 200, found},
		{"known hash as documentId", post(`{"variables":` + variables + `,"documentId":"sha256:` + sum(document) + `"}`), 200,
			found},
		{"invalid document", post(`{"query":"` + invalid + `","extensions":` + hashed(invalid) + `}`), 200, noSuchField},
		{"the invalid document is not registered", getHashed(invalid, ``), 200, notFound},
		{"invalid version", post(`{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"x"}}}`), 200,
			`{"errors":[{"message":"extensions.persistedQuery is of the form {\"version\":1,\"sha256Hash\":\"…\"}","extensions":{"code":"BAD_USER_INPUT"}}]}`},
	} {
		t.Run(step.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, step.request)
			if diff := cmp.Diff(step.body, strings.TrimSpace(w.Body.String())); diff != "" || w.Code != step.status {
				t.Errorf("the status is %d, want %d; the body (-want +got):\n%s", w.Code, step.status, diff)
			}
		})
	}
}

func TestDifferentDocumentHashesAreRejected(t *testing.T) {
	endpoint := serve(time.Minute)
	const document, another = `{a:user(username:"LiLei"){username}}`, `{b:user(username:"LiLei"){username}}`
	const found = `{"data":{"a":{"username":"LiLei"}}}`
	const rejected = `{"errors":[{"message":"documentId, doc_id and extensions.persistedQuery name different documents: send one of them",` +
		`"extensions":{"code":"BAD_USER_INPUT"}}]}`
	const malformed = `{"errors":[{"message":"extensions.persistedQuery is of the form {\"version\":1,\"sha256Hash\":\"…\"}",` +
		`"extensions":{"code":"BAD_USER_INPUT"}}]}`
	for _, text := range []string{document, another} {
		query := strings.ReplaceAll(text, `"`, `\"`)
		endpoint.ServeHTTP(httptest.NewRecorder(), post(`{"query":"`+query+`","extensions":`+hashed(text)+`}`))
	}
	one, two := sum(document), sum(another)
	for _, test := range []struct {
		name    string
		request *http.Request
		want    string
	}{
		{"documentId and persistedQuery", post(`{"documentId":"` + one + `","extensions":` + hashed(another) + `}`), rejected},
		{"doc_id and persistedQuery", post(`{"doc_id":"` + one + `","extensions":` + hashed(another) + `}`), rejected},
		{"documentId and doc_id", post(`{"documentId":"` + one + `","doc_id":"` + two + `"}`), rejected},
		{"the last of three", post(`{"documentId":"` + one + `","doc_id":"` + two + `","extensions":` + hashed(document) +
			`}`), rejected},
		{"the second of three", post(`{"documentId":"` + two + `","doc_id":"` + one + `","extensions":` + hashed(document) +
			`}`), rejected},
		{"a query too", post(`{"query":"{a}","documentId":"` + one + `","extensions":` + hashed(another) + `}`), rejected},
		{"in a URL", httptest.NewRequest(http.MethodGet, "/graphql?"+
			url.Values{"documentId": {one}, "extensions": {hashed(another)}}.Encode(), nil), rejected},
		{"malformed persistedQuery", post(`{"documentId":"` + one + `","extensions":{"persistedQuery":{"version":2}}}`),
			malformed},
		{"two spellings of one hash",
			post(`{"documentId":"sha256:` + strings.ToUpper(one) + `","doc_id":"` + one + `","extensions":` +
				hashed(document) + `}`), found},
		{"null and empty names", post(`{"documentId":"` + one + `","doc_id":"","extensions":{"persistedQuery":null}}`),
			found},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, test.request)
			if diff := cmp.Diff(test.want, strings.TrimSpace(w.Body.String())); diff != "" || w.Code != http.StatusOK {
				t.Errorf("the status is %d; the body (-want +got):\n%s", w.Code, diff)
			}
		})
	}
}

func TestProductionHidesTheSchema(t *testing.T) {
	endpoint := newEndpoint(Config{Production: true, Around: serve(time.Minute).(*Endpoint).config.Around})
	for _, test := range []struct {
		name, query string
		rejected    bool
	}{
		{"the schema", `{__schema{queryType{name}}}`, true},
		{"a type", `{user(username:"LiLei"){name} __type(name:"User"){name}}`, true},
		{"introspection in a fragment", `{...F} fragment F on Query{a:__schema{types{name}}}`, true},
		{"__typename", `{__typename user(username:"LiLei"){__typename}}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, ask(test.query))
			body := w.Body.String()
			if test.rejected != strings.Contains(body, "this server does not publish its schema") ||
				test.rejected == strings.Contains(body, `"data"`) {
				t.Error(body)
			}
		})
	}
}
