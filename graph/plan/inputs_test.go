package plan_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/plan"
	"twibase/hbase/tables"
)

// echo are resolvers that answer with the arguments that they were called with.
type echo struct{ exec.ResolverRoot }

func (e echo) Query() exec.QueryResolver       { return echoQuery{} }
func (e echo) Mutation() exec.MutationResolver { return echoMutation{} }

type (
	echoQuery    struct{ exec.QueryResolver }
	echoMutation struct{ exec.MutationResolver }
)

func (echoMutation) PostTwit(_ context.Context, input model.PostTwitInput) (*model.PostTwitPayload, error) {
	said := fmt.Sprintf("content %s", input.Content)
	say := func(name string, given bool, value any) {
		if given {
			text, err := json.Marshal(value)
			said += fmt.Sprint(", ", name, " ", string(text), err)
		}
	}
	say("title", input.Title.IsSet(), input.Title.Value())
	say("photoUrls", input.PhotoUrls.IsSet(), input.PhotoUrls.Value())
	if input.Visibility.IsSet() && input.Visibility.Value() != nil {
		said += fmt.Sprint(", visibility ", *input.Visibility.Value())
	} else {
		say("visibility", input.Visibility.IsSet(), nil)
	}
	said = strings.ReplaceAll(said, "<nil>", "")
	return &model.PostTwitPayload{ClientMutationID: &said}, nil
}

func (echoQuery) User(_ context.Context, username string) (*tables.User, error) {
	return &tables.User{Username: username}, nil
}

func (echoQuery) Users(_ context.Context, first *int, after *string, _ *int, _ *string) (*model.UserConnection, error) {
	said := "first "
	if first != nil {
		said += fmt.Sprint(*first)
	}
	if after != nil {
		said += " after " + *after
	}
	return &model.UserConnection{Nodes: []*tables.User{{Username: said}}}, nil
}

// planOf announces tasks to nobody.
func planOf(context.Context) plan.Tasks { return idle{} }

// answered is what the schema answers to the request, from a document that is kept.
func answered(t *testing.T, e *executor.Executor, query string, variables map[string]any) string {
	t.Helper()
	ctx := graphql.StartOperationTrace(t.Context())
	op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables})
	if errs != nil {
		return "rejected: " + strings.TrimSpace(errs.Error())
	}
	op.DisableIntrospection = false
	respond, ctx := e.DispatchOperation(ctx, op)
	text, err := json.Marshal(respond(ctx))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestInputs shows what becomes of arguments on their way through the code that is generated of the schema.
func TestInputs(t *testing.T) {
	post := func(definitions, input string) string {
		return `mutation` + definitions + `{postTwit(input:` + input + `){clientMutationId}}`
	}
	type object = map[string]any
	said := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return `{"data":{"postTwit":{"clientMutationId":` + string(quoted) + `}}}`
	}
	const photo, other = "https://a.example/1", "https://a.example/2"
	e := executor.New(exec.NewPlannedSchema(exec.Config{Resolvers: echo{}}, planOf))
	e.SetQueryCache(lru.New[*ast.QueryDocument](100))
	for _, test := range []struct {
		name, query string
		variables   object
		want        string
	}{
		{"defaults of an object's fields are put in", post("", `{content:"x"}`), nil, said("content x, visibility PUBLIC")},
		{"of a variable too", post("($v:PostTwitInput!)", "$v"), object{"v": object{"content": "x"}}, said("content x, visibility PUBLIC")},
		{"and not where it says something else", post("($v:PostTwitInput!)", "$v"), object{"v": object{"content": "x", "visibility": "FOLLOWERS"}}, said("content x, visibility FOLLOWERS")},
		{"or null", post("", `{content:"x",visibility:null}`), nil, said("content x, visibility null")},
		{"or null by a variable", post("($v:Visibility)", `{content:"x",visibility:$v}`), object{"v": nil}, said("content x, visibility null")},
		{"they are if the variable is not given", post("($v:Visibility)", `{content:"x",visibility:$v}`), nil, said("content x, visibility PUBLIC")},
		{"an enum may be a variable", post("($v:Visibility)", `{content:"x",visibility:$v}`), object{"v": "FOLLOWERS"}, said("content x, visibility FOLLOWERS")},
		{"an enum may be a literal", post("", `{content:"x",visibility:FOLLOWERS}`), nil, said("content x, visibility FOLLOWERS")},
		{"what is absent is not null", post("", `{content:"x",title:null}`), nil, said("content x, title null, visibility PUBLIC")},
		{"a list", post("", `{content:"x",photoUrls:["`+photo+`","`+other+`"]}`), nil, said(`content x, photoUrls ["` + photo + `","` + other + `"], visibility PUBLIC`)},
		{"an empty list is not null", post("", `{content:"x",photoUrls:[]}`), nil, said(`content x, photoUrls [], visibility PUBLIC`)},
		{"a list may be null", post("", `{content:"x",photoUrls:null}`), nil, said(`content x, photoUrls null, visibility PUBLIC`)},
		{"a value is a list of it", post("", `{content:"x",photoUrls:"`+photo+`"}`), nil, said(`content x, photoUrls ["` + photo + `"], visibility PUBLIC`)},
		{"by a variable too", post("($v:[URL!])", `{content:"x",photoUrls:$v}`), object{"v": photo}, said(`content x, photoUrls ["` + photo + `"], visibility PUBLIC`)},
		{"a variable may be an element", post("($v:URL!)", `{content:"x",photoUrls:["`+photo+`",$v]}`), object{"v": other}, said(`content x, photoUrls ["` + photo + `","` + other + `"], visibility PUBLIC`)},
		{"a default may be an object", post(`($v:PostTwitInput={content:"x",visibility:FOLLOWERS})`, "$v"), nil, said("content x, visibility FOLLOWERS")},
		{"a scalar that its type does not allow fails its field", post("", `{content:"x",photoUrls:"no"}`), nil, `{"errors":[{"message":"it must be an absolute URL with http or https","path":["postTwit"],"locations":[{"line":1,"column":10}]}],"data":{"postTwit":null}}`},
		{"null in a list that has none", post("", `{content:"x",photoUrls:[null]}`), nil, `rejected: input:1:49: Expected value of type "URL!", found null.`},
		{"null in such a list by a variable", post("($v:[URL!])", `{content:"x",photoUrls:$v}`), object{"v": []any{photo, nil}}, `rejected: input: variable.v[1] cannot be null`},
		{"a field that must be there", post("", `{title:"x"}`), nil, `rejected: input:1:25: Field "PostTwitInput.content" of required type "String!" was not provided.`},
		{"an argument that must not be null", `query($v:String!){user(username:$v){username}}`, object{"v": "x"}, `{"data":{"user":{"username":"x"}}}`},
		{"that has a default by the variable", `query($v:String="y"){user(username:$v){username}}`, nil, `{"data":{"user":{"username":"y"}}}`},
		{"null fails the field, as it has no default for that", `query($v:String="y"){user(username:$v){username}}`, object{"v": nil},
			`{"errors":[{"message":"the argument username: the variable $v can't be null here","path":["user"],"locations":[{"line":1,"column":22}]}],"data":{"user":null}}`},
		{"a number by a variable, and what is absent", `query($n:Int,$a:String){users(first:$n,after:$a){nodes{username}}}`, object{"n": 3}, `{"data":{"users":{"nodes":[{"username":"first 3"}]}}}`},
		{"null is as absent here", `query($n:Int,$a:String){users(first:$n,after:$a){nodes{username}}}`, object{"n": nil, "a": "c"}, `{"data":{"users":{"nodes":[{"username":"first  after c"}]}}}`},
		{"a number that is none", `query($n:Int){users(first:$n){nodes{username}}}`, object{"n": "3x"}, `rejected: input: variable.n cannot use string as Int`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // what is kept of the first request answers the second
				if diff := cmp.Diff(test.want, answered(t, e, test.query, test.variables)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
