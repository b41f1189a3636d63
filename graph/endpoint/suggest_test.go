package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
	"twibase/graph/limits"
)

func misspelt(schema *ast.Schema) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	short := func(name string) string { return name[:len(name)-1] }
	for name, def := range schema.Types {
		add("{...A} fragment A on %s{a}", short(name))
		add("{...on %s{a}}", short(name))
		add("query($v:%s){__typename}", short(name))
		for _, value := range def.EnumValues {
			add("query($v:%s=%s){__typename}", name, short(value.Name))
			add("query($v:%s=%q){__typename}", name, short(value.Name))
		}
		for _, field := range def.Fields {
			switch {
			case def.Kind == ast.InputObject:
				add("query($v:%s={%s:1}){__typename}", name, short(field.Name))
			case name == "Query" && strings.HasPrefix(field.Name, "__"):
				add("{%s}", short(field.Name))
			default:
				add("{...A} fragment A on %s{%s}", name, short(field.Name))
			}
			for _, argument := range field.Arguments {
				add("{...A} fragment A on %s{%s(%s:1)}", name, field.Name, short(argument.Name))
			}
		}
	}
	for name, directive := range schema.Directives {
		add("{__typename@%s}", short(name))
		for _, argument := range directive.Arguments {
			add("{__typename@%s(%s:1)}", name, short(argument.Name))
		}
	}
	return append(all, `{user}`, `{user(username:"u")}`, `{node(id:"x"){username}}`, `{user(username:PUBLI){name}}`)
}

func TestUnknownNamesGetSuggestionsExceptInProduction(t *testing.T) {
	schema := exec.NewExecutableSchema(exec.Config{Resolvers: root{}})
	type request struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	var requests []request
	for _, query := range misspelt(schema.Schema()) {
		requests = append(requests, request{Query: query})
	}
	for _, variable := range []any{map[string]any{"conten": "a"}, map[string]any{"content": "a", "visibility": "PUBLI"},
		map[string]any{}} {
		requests = append(requests,
			request{"mutation($v:PostTwitInput!){postTwit(input:$v){twit{id}}}", map[string]any{"v": variable}})
	}
	if len(requests) < 500 {
		t.Fatalf("the schema has only %d names", len(requests))
	}
	for _, production := range []bool{false, true} {
		e := New(schema, Config{Production: production, Limits: limits.Default(), Timeout: time.Minute,
			Around: func(ctx context.Context) context.Context { return ctx }})
		suggested := 0
		for _, request := range requests {
			body, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			e.ServeHTTP(w, post(string(body)))
			response := w.Body.String()
			if !strings.Contains(response, "BAD_USER_INPUT") {
				t.Errorf("%s\nresponse: %s", body, response)
			}
			if strings.Contains(response, "Did you mean") {
				suggested++
			}
		}
		if t.Logf("production %t: %d of %d responses suggest a name", production, suggested, len(requests)); production &&
			suggested > 0 || !production && suggested < len(requests)*2/3 {
			t.Errorf("production %t: %d of %d responses suggest a name", production, suggested, len(requests))
		}
	}
}

func TestSuggestionsForLongNamesTakeLinearTime(t *testing.T) {
	handler := serve(time.Minute)
	best := func(query string) time.Duration {
		least := time.Hour
		for range 20 {
			start := time.Now()
			handler.ServeHTTP(httptest.NewRecorder(), ask(query))
			least = min(least, time.Since(start))
		}
		return least
	}
	var many, known strings.Builder
	for i := range 99 {
		name := strings.Repeat("X", 600)
		fmt.Fprintf(&many, " fragment F%d on %s%d{a}", i, name, i)
		fmt.Fprintf(&known, " fragment %s%d on User{a}", name, i)
	}
	long := strings.Repeat("P", 60_000)
	for name, test := range map[string]struct{ query, known string }{
		"99 types of 600":       {"{__typename}" + many.String(), "{__typename}" + known.String()},
		"an argument of 60,000": {"{user(" + long + ":1){name}}", "{" + long + ":user(a:1){name}}"},
		"an input's field of 60,000": {`mutation{postTwit(input:{` + long + `:1}){twit{id}}}`,
			`mutation{` + long + `:postTwit(input:{a:1}){twit{id}}}`},
		"a value of an enum of 60,000": {`mutation{postTwit(input:{content:"a",visibility:` + long + `}){twit{id}}}`,
			`mutation{` + long + `:postTwit(input:{content:"a",visibility:P}){twit{id}}}`},
	} {
		unknown, known := best(test.query), best(test.known)
		t.Logf("%s: %v, as a known name %v", name, unknown, known)
		if unknown > 10*known {
			t.Errorf("%s: got %v, want at most 10 times %v, as a known name", name, unknown, known)
		}
	}
}
