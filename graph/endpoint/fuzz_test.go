package endpoint

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/limits"
)

// No request causes a panic or a long error.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{`{"query":"query Q($u:String!){user(username:$u){...F}} fragment F on User{name twits(first:2){nodes{content}}}","variables":{"u":"LiLei"}}`,
		`{"query":"{a:__schema{types{name}}}","operationName":"Q","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}`, `{"documentId":"sha256:x"}`,
		`{"query":"mutation($i:PostTwitInput!){postTwit(input:$i){twit{id}}}","variables":{"i":{"content":"a","photoUrls":["https://example.org"]}}}`,
		`{"query":"subscription{twitPosted(username:\"a\"){content @skip(if:true)}}"}`, `[{}]`, `{"query":1e999}`, `{"query":"{a(b:99999999999999999999)}"}`} {
		f.Add(body, "")
	}
	for _, query := range []string{`query Q($u:String!){user(username:$u){...F ...on User@include(if:true){followers(first:101){edges{cursor}}}}} fragment F on User{a:name}`,
		`mutation($i:PostTwitInput!){postTwit(input:$i){twit{id}}}`, `{__type(name:"User"){fields(includeDeprecated:true){name}}}`, `{a:nodes(ids:["",1,null]){id}}`,
		`query($a:Boolean=null){viewer{name@skip(if:$a)}}`, `{game(code:"x"){plays(from:"2014-01-01",to:"""x"""){day}}}`} {
		f.Add(query, `{"u":"LiLei","i":{"content":null,"photoUrls":[1]},"a":null}`)
	}
	e := newEndpoint(Config{Limits: limits.Default()})
	f.Fuzz(func(t *testing.T, body, variables string) {
		if json.Valid([]byte(variables)) {
			query, _ := json.Marshal(body)
			body = `{"query":` + string(query) + `,"variables":` + variables + `}`
		}
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		params, writeError := e.read(httptest.NewRecorder(), r)
		if writeError != nil {
			w := httptest.NewRecorder()
			writeError(w)
			if w.Code < 400 || w.Code >= 500 || w.Body.Len() > 300 {
				t.Errorf("status %d: %.1000s", w.Code, w.Body)
			}
			return
		}
		ctx := graphql.StartOperationTrace(t.Context())
		operation, _, errs := e.rules.Load().preparer.prepare(ctx, params)
		if errs == nil {
			return
		}
		response, err := json.Marshal(e.rules.Load().exec.DispatchError(graphql.WithOperationContext(ctx, operation), errs))
		if err != nil || len(response) >= 1024 || strings.Contains(string(response), "INTERNAL") {
			t.Errorf("%d bytes: %v, %.1000s", len(response), err, response)
		}
	})
}
