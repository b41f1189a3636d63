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

	"twibase/graph/exec"
	"twibase/graph/limits"
)

// hostile are documents that are refused whatever stands in them: NAME as it is, TEXT in quotes. What is between the bars stands there ten times, # is its
// number.
var hostile = []string{
	`{|NAME# |}`, `{|NAME#:user |}`, `{user(|NAME#:1 |){name}}`, `{|...NAME# |}`, `{|...on NAME#{a} |}`, `{__typename |@NAME# |}`,
	`query NAME{x}`, `query(|$NAME#:Int |){__typename}`, `query(|$a#:NAME |){__typename}`, `{|a#:users(first:$NAME#){nodes{id}} |}`, `{|a:NAME# |}`,
	`{|a#:users(first:TEXT){nodes{id}} |}`, `{|a#:users(first:[TEXT]){nodes{id}} |}`, `{|a#:users(first:{NAME:TEXT}){nodes{id}} |}`, `{__typename @skip(if:TEXT) @include(if:TEXT)}`,
	`mutation{|a#:postTwit(input:{content:"a",visibility:TEXT}){twit{id}} |}`, `mutation{|a#:postTwit(input:{content:"a",visibility:NAME}){twit{id}} |}`,
	`mutation{|a#:postTwit(input:{content:"a",NAME:TEXT}){twit{id}} |}`, `query(|$a#:Int=TEXT |){__typename}`, `query(|$a#:Visibility=NAME |){__typename}`,
	`{...NAME fragment NAME on NAME{a}}`, `{...NAME} fragment NAME on NAME{a} fragment NAME on NAME{a}`, `NAME`, `TEXT`, `{user(username:TEXT`,
	`query($a:Visibility,$b:Int,$c:PostTwitInput){__typename}`, `{user(username:"a"){|NAME:name NAME:username |}}`, `{user(username:"a"){|name:NAME |}}`,
}

// requests have a text in each place that a request has for one.
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
	for _, body := range []string{`{"query":"{__typename}","operationName":TEXT}`, `{"query":"query A{__typename} query B{__typename}","operationName":TEXT}`,
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
		all = append(all, httptest.NewRequest(http.MethodGet, "/graphql?"+url.Values{"query": {"{x}"}, parameter: {text}}.Encode(), nil))
	}
	return all
}

func TestEveryRefusalIsShort(t *testing.T) {
	most := 0
	e := New(exec.NewExecutableSchema(exec.Config{Resolvers: root{}}), Config{Limits: limits.Default(), Timeout: time.Minute,
		Around: func(ctx context.Context) context.Context { return ctx }})
	for _, letter := range []string{"a", "<", "\x01", "\n", `"`, `\`, "‹", "\u2028", "😀", "\xff", "\x7f", "_<", "a‹"} {
		for _, length := range []int{1, 128, 300, 5000} {
			for _, request := range requests(strings.Repeat(letter, max(length/len(letter), 1))) {
				if request.Header.Get("Accept") == "" {
					request.Header.Set("Accept", mediaGraphQL)
				}
				w := httptest.NewRecorder()
				e.ServeHTTP(w, request)
				answer := w.Body.Bytes()
				if most = max(most, len(answer)); len(answer) >= 1024 || !json.Valid(answer) || !utf8.Valid(answer) {
					t.Fatalf("%q × %d: status %d, %d bytes: %.1500s", letter, length, w.Code, len(answer), answer)
				}
				if !strings.Contains(string(answer), `"errors":`) || strings.Contains(string(answer), "INTERNAL") {
					t.Fatalf("%q × %d is not refused: %.1500s", letter, length, answer)
				}
			}
		}
	}
	t.Logf("the longest has %d bytes", most)
}

// The paths are the longest that there may be, and each has its own.
func TestTheErrorsOfAnAnswerAreFewAndShort(t *testing.T) {
	e := New(exec.NewExecutableSchema(exec.Config{Resolvers: root{}}), Config{Limits: limits.Default(), Timeout: time.Minute,
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
	var answer struct {
		Errors []struct {
			Message string
			Path    []any
		}
		Data json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Errors) != 4 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if last := answer.Errors[3]; last.Message != fmt.Sprintf("the number of errors in an answer is limited to 4, and this is %d", roots*below) || last.Path != nil {
		t.Errorf("the last error is %v", last)
	}
	for _, err := range answer.Errors[:3] {
		if len(err.Path) != 2 {
			t.Errorf("an error is at %v", err.Path)
		}
	}
	if n := w.Body.Len() - len(answer.Data); n > 4<<10 {
		t.Errorf("the errors have %d bytes", n)
	} else {
		t.Logf("the errors have %d bytes", n)
	}
}
