package validation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/coercion"
	"twibase/graph/syntax"
)

var feedSchema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	enum Visibility { PUBLIC FOLLOWERS }
	type Query { user(name: String!, v: Visibility): User }
	type User { name: String, followers(first: Int): [User] }
	type Subscription { posted(name: String): User, deleted: User }`})

func validate(t *testing.T, v *Validator, text string) []string {
	t.Helper()
	doc, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var messages []string
	for _, err := range v.Validate(doc) {
		if err.Extensions["code"] != "GRAPHQL_VALIDATION_FAILED" {
			t.Errorf("%v has the extensions %v", err, err.Extensions)
		}
		for _, at := range err.Locations {
			err.Message = fmt.Sprintf("%d:%d %s", at.Line, at.Column, err.Message)
		}
		messages = append(messages, err.Message)
	}
	return messages
}

func TestInvalidDocumentsAreRejected(t *testing.T) {
	single := "Anonymous Subscription must select only one top level field."
	conditional := "must not use @skip or @include in the top level selection."
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"a valid document":                     {`query Q($n:String!){user(name:$n){name}}`, nil},
		"no operation":                         {`fragment F on User{name}`, []string{"The document has no operation."}},
		"an unknown field":                     {`{usr{name}}`, []string{`1:2 Cannot query field "usr" on type "Query". Did you mean "user"?`}},
		"an unknown argument":                  {`{user(nam:"x",name:"y"){name}}`, []string{`1:2 Unknown argument "nam" on field "Query.user". Did you mean "name"?`}},
		"an unknown argument of a directive":   {`{user(name:"x")@skip(f:true,if:true){name}}`, []string{`1:17 Unknown argument "f" on directive "@skip". Did you mean "if"?`}},
		"an unknown type":                      {`{...F} fragment F on Usr{name}`, []string{`1:8 Unknown type "Usr". Did you mean "User"?`}},
		"an unknown value of an enum":          {`{user(name:"x",v:public){name}}`, []string{`1:18 the enum Visibility has no value "public". Did you mean "PUBLIC"?`}},
		"an invalid default of a variable":     {`query($n:String=5){user(name:$n){name}}`, []string{"1:17 expected a value of the type String, found 5: it must be a string"}},
		"an object for a directive's argument": {`{user(name:"x")@skip(if:{}){name}}`, []string{"1:25 expected a value of the type Boolean!, found {}: it must be true or false"}},
		"an error in a fragment of two operations": {`query A{user(name:"x"){...F}} query B{user(name:"x"){...F}} fragment F on User{x}`,
			[]string{`1:80 Cannot query field "x" on type "User".`}},
		"a subscription of two fields":             {`subscription{posted{name} deleted{name}}`, []string{"1:27 " + single}},
		"a subscription of two aliases of a field": {`subscription{a:posted{name} b:posted{name}}`, []string{"1:29 " + single}},
		"a subscription of a field twice":          {`subscription{posted{name} posted{name}}`, nil},
		"two fields of a subscription by fragments": {`subscription S{...{posted{name}} ...F} fragment F on Subscription{deleted{name}}`,
			[]string{`1:67 Subscription "S" must select only one top level field.`}},
		"introspection by a subscription":          {`subscription{__typename}`, []string{"1:14 Anonymous Subscription must not select an introspection top level field."}},
		"@skip on a subscription's field":          {`subscription{posted@skip(if:false){name}}`, []string{"1:21 Anonymous Subscription " + conditional}},
		"@include on a fragment of a subscription": {`subscription{...@include(if:true){posted{name}}}`, []string{"1:18 Anonymous Subscription " + conditional}},
		"@skip below a subscription's field":       {`subscription{posted{name@skip(if:false)}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v := New(&coercion.Inputs{Schema: feedSchema, Suggest: true}, false)
			if diff := cmp.Diff(test.want, validate(t, v, test.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSuggestionsAreLimited(t *testing.T) {
	for n, want := range map[int]int{maxErrors: maxErrors, maxErrors + 1: 0} {
		suggested := 0
		messages := validate(t, New(&coercion.Inputs{Schema: feedSchema, Suggest: true}, false),
			`{user(name:"x"){`+strings.Repeat(" nam", n)+`}}`)
		for _, message := range messages {
			if strings.Contains(message, "Did you mean") {
				suggested++
			}
		}
		if suggested != want || len(messages) != n {
			t.Errorf("%d of %d messages have suggestions, want %d of %d", suggested, len(messages), want, n)
		}
	}
}

func TestHiddenSchemaRejectsIntrospection(t *testing.T) {
	v := New(&coercion.Inputs{Schema: feedSchema}, true)
	for text, hidden := range map[string]bool{
		`{__schema{types{name}}}`:                                  true,
		`{a:__type(name:"User"){name}}`:                            true,
		`{...F} fragment F on Query{__schema{queryType{name}}}`:    true,
		`{__typename user(name:"x"){__typename name}}`:             false,
		`{usr(name:"x"){name}}`:                                    false,
		`{user(name:"x",v:FOLLOWER){name}}`:                        false,
		`subscription{posted(nam:"x"){name}}`:                      false,
		`query($v:Visibilit){user(name:"x",v:$v){...on Usr{nam}}}`: false,
	} {
		messages := strings.Join(validate(t, v, text), "\n")
		rejected := strings.Contains(messages, "this server does not publish its schema")
		if rejected != hidden || strings.Contains(messages, "Did you mean") {
			t.Errorf("%s: got %s", text, messages)
		}
	}
}
