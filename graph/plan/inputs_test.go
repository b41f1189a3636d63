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

type echo struct{ exec.ResolverRoot }

func (e echo) Query() exec.QueryResolver       { return echoQuery{} }
func (e echo) Mutation() exec.MutationResolver { return echoMutation{} }

type (
	echoQuery    struct{ exec.QueryResolver }
	echoMutation struct{ exec.MutationResolver }
)

func (echoMutation) PostTwit(_ context.Context, input model.PostTwitInput) (*model.PostTwitPayload, error) {
	text := "content " + input.Content
	add := func(name string, given bool, value any) {
		if given {
			encoded, _ := json.Marshal(value)
			text += fmt.Sprint(", ", name, " ", string(encoded))
		}
	}
	add("title", input.Title.IsSet(), input.Title.Value())
	add("photoUrls", input.PhotoUrls.IsSet(), input.PhotoUrls.Value())
	if input.Visibility.IsSet() && input.Visibility.Value() != nil {
		text += fmt.Sprint(", visibility ", *input.Visibility.Value())
	} else {
		add("visibility", input.Visibility.IsSet(), nil)
	}
	return &model.PostTwitPayload{ClientMutationID: &text}, nil
}

func (echoQuery) User(_ context.Context, username string) (*tables.User, error) {
	return &tables.User{Username: username}, nil
}

func (echoQuery) Users(
	_ context.Context, _ *string, first *int, after *string, _ *int, _ *string,
) (*model.UserConnection, error) {
	text := "first "
	if first != nil {
		text += fmt.Sprint(*first)
	}
	if after != nil {
		text += " after " + *after
	}
	return &model.UserConnection{Nodes: []*tables.User{{Username: text}}}, nil
}

func noTasks(context.Context) plan.Tasks { return idle{} }

func execute(t *testing.T, e *executor.Executor, query string, variables map[string]any) string {
	t.Helper()
	ctx := graphql.StartOperationTrace(t.Context())
	op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables})
	if errs != nil {
		return "rejected: " + strings.TrimSpace(errs.Error())
	}
	respond, ctx := e.DispatchOperation(ctx, op)
	text, err := json.Marshal(respond(ctx))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGeneratedCodeDecodesInputObjects(t *testing.T) {
	post := func(definitions, input string) string {
		return `mutation` + definitions + `{postTwit(input:` + input + `){clientMutationId}}`
	}
	type object = map[string]any
	echoed := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return `{"data":{"postTwit":{"clientMutationId":` + string(quoted) + `}}}`
	}
	const photo, other = "https://a.example/1", "https://a.example/2"
	e := executor.New(exec.NewPlannedSchema(exec.Config{Resolvers: echo{}}, noTasks))
	e.SetQueryCache(lru.New[*ast.QueryDocument](100))
	for _, test := range []struct {
		name, query string
		variables   object
		want        string
	}{
		{"defaults of input fields", post("", `{content:"x"}`), nil, echoed("content x, visibility PUBLIC")},
		{"defaults of input fields in a variable", post("($v:PostTwitInput!)", "$v"),
			object{"v": object{"content": "x"}}, echoed("content x, visibility PUBLIC")},
		{"a value overrides the default", post("($v:PostTwitInput!)", "$v"),
			object{"v": object{"content": "x", "visibility": "FOLLOWERS"}}, echoed("content x, visibility FOLLOWERS")},
		{"null overrides the default", post("", `{content:"x",visibility:null}`), nil, echoed("content x, visibility null")},
		{"a null variable overrides the default", post("($v:Visibility)", `{content:"x",visibility:$v}`), object{"v": nil}, echoed("content x, visibility null")},
		{"an absent variable has the default", post("($v:Visibility)", `{content:"x",visibility:$v}`), nil, echoed("content x, visibility PUBLIC")},
		{"an enum in a variable", post("($v:Visibility)", `{content:"x",visibility:$v}`), object{"v": "FOLLOWERS"}, echoed("content x, visibility FOLLOWERS")},
		{"an enum literal", post("", `{content:"x",visibility:FOLLOWERS}`), nil, echoed("content x, visibility FOLLOWERS")},
		{"null differs from absence", post("", `{content:"x",title:null}`), nil, echoed("content x, title null, visibility PUBLIC")},
		{"a list", post("", `{content:"x",photoUrls:["`+photo+`","`+other+`"]}`), nil, echoed(`content x, photoUrls ["` + photo + `","` + other + `"], visibility PUBLIC`)},
		{"an empty list is not null", post("", `{content:"x",photoUrls:[]}`), nil, echoed(`content x, photoUrls [], visibility PUBLIC`)},
		{"a list that is null", post("", `{content:"x",photoUrls:null}`), nil, echoed(`content x, photoUrls null, visibility PUBLIC`)},
		{"a value becomes a list of one", post("", `{content:"x",photoUrls:"`+photo+`"}`), nil, echoed(`content x, photoUrls ["` + photo + `"], visibility PUBLIC`)},
		{"a variable becomes a list of one", post("($v:[URL!])", `{content:"x",photoUrls:$v}`), object{"v": photo}, echoed(`content x, photoUrls ["` + photo + `"], visibility PUBLIC`)},
		{"a variable as list element", post("($v:URL!)", `{content:"x",photoUrls:["`+photo+`",$v]}`), object{"v": other}, echoed(`content x, photoUrls ["` + photo + `","` + other + `"], visibility PUBLIC`)},
		{"an object as default", post(`($v:PostTwitInput={content:"x",visibility:FOLLOWERS})`, "$v"), nil, echoed("content x, visibility FOLLOWERS")},
		{"an invalid scalar fails the field", `{user(username:"x"){twits(since:"today"){nodes{id}}}}`, nil,
			`{"errors":[{"message":"it must be a time such as 2014-12-25T08:30:00Z, from 1970 on","path":["user","twits"],"locations":[{"line":1,"column":21}]}],"data":{"user":{"twits":null}}}`},
		{"null in a list of non-null elements", post("", `{content:"x",photoUrls:[null]}`), nil, `rejected: input:1:49: Expected value of type "URL!", found null.`},
		{"null in a list of non-null elements, in a variable", post("($v:[URL!])", `{content:"x",photoUrls:$v}`), object{"v": []any{photo, nil}}, `rejected: input: variable.v[1] cannot be null`},
		{"a required input field", post("", `{title:"x"}`), nil, `rejected: input:1:25: Field "PostTwitInput.content" of required type "String!" was not provided.`},
		{"a non-null argument", `query($v:String!){user(username:$v){username}}`, object{"v": "x"}, `{"data":{"user":{"username":"x"}}}`},
		{"a non-null argument with the variable's default", `query($v:String="y"){user(username:$v){username}}`, nil, `{"data":{"user":{"username":"y"}}}`},
		{"null in a non-null argument fails the field", `query($v:String="y"){user(username:$v){username}}`, object{"v": nil},
			`{"errors":[{"message":"the argument username: the variable $v can't be null here","path":["user"],"locations":[{"line":1,"column":22}]}],"data":{"user":null}}`},
		{"an absent argument", `query($n:Int,$a:String){users(first:$n,after:$a){nodes{username}}}`, object{"n": 3}, `{"data":{"users":{"nodes":[{"username":"first 3"}]}}}`},
		{"null equals absence for a pointer", `query($n:Int,$a:String){users(first:$n,after:$a){nodes{username}}}`, object{"n": nil, "a": "c"}, `{"data":{"users":{"nodes":[{"username":"first  after c"}]}}}`},
		{"an invalid number", `query($n:Int){users(first:$n){nodes{username}}}`, object{"n": "3x"}, `rejected: input: variable.n cannot use string as Int`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the second request takes cached arguments
				if diff := cmp.Diff(test.want, execute(t, e, test.query, test.variables)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
