package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"twibase/graph/limits"
)

// NAME stands for a long name, TEXT for a long string. The part between bars is repeated ten times,
// with its number in place of #.
var hostile = []string{
	`{|NAME# |}`, `{|NAME#:user |}`, `{user(|NAME#:1 |){name}}`, `{|...NAME# |}`, `{|...on NAME#{a} |}`, `{__typename |@NAME# |}`,
	`query NAME{x}`, `query(|$NAME#:Int |){__typename}`, `query(|$a#:NAME |){__typename}`, `{|a#:users(first:$NAME#){nodes{id}} |}`, `{|a:NAME# |}`,
	`{|a#:users(first:TEXT){nodes{id}} |}`, `{|a#:users(first:[TEXT]){nodes{id}} |}`, `{|a#:users(first:{NAME:TEXT}){nodes{id}} |}`, `{__typename @skip(if:TEXT) @include(if:TEXT)}`,
	`mutation{|a#:postTwit(input:{content:"a",visibility:TEXT}){twit{id}} |}`, `mutation{|a#:postTwit(input:{content:"a",visibility:NAME}){twit{id}} |}`,
	`mutation{|a#:postTwit(input:{content:"a",NAME:TEXT}){twit{id}} |}`, `query(|$a#:Int=TEXT |){__typename}`, `query(|$a#:Visibility=NAME |){__typename}`,
	`{...NAME fragment NAME on NAME{a}}`, `{...NAME} fragment NAME on NAME{a} fragment NAME on NAME{a}`, `NAME`, `TEXT`, `{user(username:TEXT`,
	`query($a:Visibility,$b:Int,$c:PostTwitInput){__typename}`, `{user(username:"a"){|NAME:name NAME:username |}}`, `{user(username:"a"){|name:NAME |}}`,
}

func requests(text string) (all []*http.Request) {
	quoted, _ := json.Marshal(text)
	expand := func(s string) string { return strings.NewReplacer("NAME", text, "TEXT", string(quoted)).Replace(s) }
	for _, document := range hostile {
		if parts := strings.Split(document, "|"); len(parts) == 3 {
			document = parts[0]
			for i := range 10 {
				document += strings.ReplaceAll(parts[1], "#", strconv.Itoa(i))
			}
			document += parts[2]
		}
		all = append(all, ask(expand(document)))
	}
	for _, body := range []string{`{"query":"{__typename}","operationName":TEXT}`,
		`{"query":"query A{__typename} query B{__typename}","operationName":TEXT}`,
		`{"query":"query($v:Visibility){x:__typename @skip(if:$v)}","variables":{"v":TEXT}}`,
		`{"query":"mutation($v:Visibility){postTwit(input:{content:\"a\",visibility:$v}){twit{id}}}","variables":{"v":TEXT}}`,
		`{"query":"mutation($v:PostTwitInput!){postTwit(input:$v){twit{id}}}","variables":{"v":{TEXT:1}}}`,
		`{"query":"mutation($v:PostTwitInput!){postTwit(input:$v){twit{id}}}","variables":{"v":TEXT}}`,
		`{"query":"query($v:Int){users(first:$v){nodes{id}}}","variables":{"v":TEXT}}`, `{"query":"query($v:[ID!]!){nodes(ids:$v){id}}","variables":{"v":[{TEXT:1}]}}`,
		`{"query":TEXT}`, `{"documentId":TEXT}`, `{"doc_id":TEXT}`, `{"query":{TEXT:TEXT}}`, `{"variables":TEXT}`, `{TEXT:1}`, `{TEXT`, `TEXT`, `NAME`, `{"query":"NAME`,
		`{"query":"{x}","extensions":{"persistedQuery":{"version":TEXT,"sha256Hash":TEXT}}}`, `{"query":"{x}","extensions":{"persistedQuery":TEXT}}`} {
		all = append(all, post(expand(body)))
	}
	for _, header := range []string{"Content-Type", "Accept", "Content-Encoding", "Graphql-Event-Stream-Token"} {
		all = append(all, with(ask("{x}"), header, text), with(ask("{x}"), header, `application/json;charset="`+text+`"`))
	}
	for _, parameter := range []string{"query", "variables", "extensions", "documentId", "operationName", text} {
		all = append(all, httptest.NewRequest(http.MethodGet,
			"/graphql?"+url.Values{"query": {"{x}"}, parameter: {text}}.Encode(), nil))
	}
	return all
}

func TestRejectionsAreShort(t *testing.T) {
	most := 0
	e := newEndpoint(Config{Limits: limits.Default()})
	for _, letter := range []string{"a", "<", "\x01", "\n", `"`, `\`, "‹", "\u2028", "😀", "\xff", "\x7f", "_<", "a‹"} {
		for _, length := range []int{1, 128, 300, 5000} {
			for _, request := range requests(strings.Repeat(letter, max(length/len(letter), 1))) {
				if request.Header.Get("Accept") == "" {
					request.Header.Set("Accept", mediaGraphQL)
				}
				w := httptest.NewRecorder()
				e.ServeHTTP(w, request)
				response := w.Body.Bytes()
				if most = max(most, len(response)); len(response) >= 1024 || !json.Valid(response) || !utf8.Valid(response) {
					t.Fatalf("%q × %d: status %d, %d bytes: %.1500s", letter, length, w.Code, len(response), response)
				}
				if !strings.Contains(string(response), `"errors":`) || strings.Contains(string(response), "INTERNAL") {
					t.Fatalf("%q × %d was not rejected: %.1500s", letter, length, response)
				}
			}
		}
	}
	t.Logf("the longest has %d bytes", most)
}

// The errors have different paths of the maximum length.
func TestErrorsOfAResponseAreBounded(t *testing.T) {
	e := newEndpoint(Config{Limits: limits.Default(),
		Around: func(ctx context.Context) context.Context { return context.WithValue(ctx, nameKey{}, new(string)) }})
	const roots, below = 8, 5
	name, query := strings.Repeat("x", 125), "{"
	for i := range roots {
		query += fmt.Sprintf("%s_%d:user(username:\"u\"){", name, i)
		for k := range below {
			query += fmt.Sprintf("%s_%d:followers(after:\"?\"){totalCount}", name, k)
		}
		query += "}"
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, ask(query+"}"))
	var response struct {
		Errors []struct {
			Message    string
			Path       []any
			Extensions struct{ Code string }
		}
		Data json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil || len(response.Errors) != 4 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	for i, want := range []string{"BAD_USER_INPUT", "BAD_USER_INPUT", "BAD_USER_INPUT", "TOO_MANY_ERRORS"} {
		if got := response.Errors[i].Extensions.Code; got != want {
			t.Errorf("error %d has the code %s, want %s", i, got, want)
		}
	}
	if last := response.Errors[3]; last.Message != fmt.Sprintf("the number of errors in an answer is limited to 4, and this is %d", roots*below) || last.Path != nil {
		t.Errorf("the last error is %v", last)
	}
	for _, err := range response.Errors[:3] {
		if len(err.Path) != 2 {
			t.Errorf("an error is at %v", err.Path)
		}
	}
	if n := w.Body.Len() - len(response.Data); n > 4<<10 {
		t.Errorf("the errors have %d bytes", n)
	} else {
		t.Logf("the errors have %d bytes", n)
	}
}

func TestBatchIsRejected(t *testing.T) {
	const one, media = `{"query":"{viewer{name}}"}`, "application/json"
	const want = `{"errors":[{"message":"requests can't be batched: send one request at a time","extensions":{"code":"BAD_USER_INPUT"}}]}`
	endpoint := serve(time.Minute)
	for _, test := range []struct{ name, body, accept string }{
		{"one request", "[" + one + "]", media},
		{"two requests", "[" + one + "," + one + "]", media},
		{"newer media type", "[" + one + "]", graphQLResponse},
		{"blanks around the array", "\r\n\t [" + one + "]\n", media},
		{"no request", `[]`, media},
		{"100,000 requests", "[" + strings.Repeat("{},", 99_999) + "{}]", media},
		{"unterminated megabyte", "[" + strings.Repeat("0,", maxBody/2-1), media},
		{"invalid JSON", `[secret]`, media},
		{"too deep nesting", strings.Repeat("[", 20_000), media},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, with(post(test.body), "Accept", test.accept))
			if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusBadRequest || got != want {
				t.Errorf("status %d, want 400: %s\nwant %s", w.Code, got, want)
			}
		})
	}
}
