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

func TestBatchIsRejectedWithAnErrorForEachRequest(t *testing.T) {
	const one, media = `{"query":"{viewer{name}}"}`, "application/json"
	const rejected = `{"errors":[{"message":"requests can't be batched: send one request at a time","extensions":{"code":"BAD_USER_INPUT"}}]}`
	const tooMany = `{"errors":[{"message":"requests can't be batched: send one request at a time; the array has more than 50 requests, so this one error is for all of them",` +
		`"extensions":{"code":"BAD_USER_INPUT"}}]}`
	malformed := func(why string) string {
		return `{"errors":[{"message":"the body is not the JSON object of a GraphQL request: ` + why + `","extensions":{"code":"BAD_USER_INPUT"}}]}`
	}
	batch := func(n int) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	errors := func(n int) string { return "[" + strings.Repeat(rejected+",", n-1) + rejected + "]" }
	endpoint := serve(time.Minute)
	for _, test := range []struct {
		name, body, accept string
		status             int
		want               string
	}{
		{"one request", batch(1), media, 200, errors(1)},
		{"two requests", batch(2), media, 200, errors(2)},
		{"any media type", batch(2), "*/*", 200, errors(2)},
		{"newer media type", batch(3), graphQLResponse, 400, errors(3)},
		{"Apollo's Accept header", batch(2), "application/graphql-response+json,application/json;q=0.9", 400, errors(2)},
		{"blanks around the array", "\r\n\t " + batch(2) + "\n", media, 200, errors(2)},
		{"elements of any type", `[1,null,"x",[{}],{"query":5}]`, media, 200, errors(5)},
		{"maximum number of requests", batch(maxBatch), media, 200, errors(maxBatch)},
		{"more than the maximum", batch(maxBatch + 1), media, 400, tooMany},
		{"100,000 requests", "[" + strings.Repeat("{},", 99_999) + "{}]", media, 400, tooMany},
		{"unterminated megabyte", "[" + strings.Repeat("0,", maxBody/2-1), media, 400, tooMany},
		{"no request", `[]`, media, 400, malformed("it is an empty array")},
		{"half a batch", "[" + one, media, 400, malformed("it ends too early")},
		{"text after the array", batch(1) + one, media, 400, malformed("something follows it")},
		{"invalid JSON", `[secret]`, media, 400, malformed("invalid JSON after byte 1")},
		{"too deep nesting", strings.Repeat("[", 20_000), media, 400, malformed("invalid JSON after byte 1")},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, with(post(test.body), "Accept", test.accept))
			if got := strings.TrimSpace(w.Body.String()); w.Code != test.status || got != test.want {
				t.Errorf("status %d, want %d: %s\nwant %s", w.Code, test.status, got, test.want)
			}
			if w.Body.Len() > 8<<10 {
				t.Errorf("the response has %d bytes", w.Body.Len())
			}
		})
	}
}

func TestRejectingALongBatchCostsNoMemory(t *testing.T) {
	endpoint, body := serve(time.Minute), "["+strings.Repeat(`{"query":""},`, 80_000)+"{}]"
	few, many := testing.AllocsPerRun(10, func() {
		endpoint.ServeHTTP(httptest.NewRecorder(), post(`[`+strings.Repeat(`{"query":""},`, maxBatch)+`{}]`))
	}), testing.AllocsPerRun(10, func() { endpoint.ServeHTTP(httptest.NewRecorder(), post(body)) })
	if many > few+100 {
		t.Errorf("%v allocations, and %v for a batch just above the bound", many, few)
	}
}
