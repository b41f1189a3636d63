package plan_test

import (
	"testing"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/google/go-cmp/cmp"

	"twibase/graph/exec"
)

func TestIntrospectionCallsNoResolver(t *testing.T) {
	e := executor.New(exec.NewPlannedSchema(exec.Config{}, noTasks))
	for _, test := range []struct{ name, query, want string }{
		{"an interface and its possible types", `{__type(name:"Node"){kind name fields{name type{kind name ofType{kind name}}} interfaces{name} possibleTypes{name} ofType{name}}}`,
			`{"data":{"__type":{"kind":"INTERFACE","name":"Node","fields":[{"name":"id","type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"SCALAR","name":"ID"}}}],"interfaces":[],"possibleTypes":[{"name":"Comment"},{"name":"Department"},{"name":"Game"},{"name":"Role"},{"name":"Twit"},{"name":"User"}],"ofType":null}}}`},
		{"an object with its fields", `{__type(name:"PageInfo"){__typename kind name fields{name isDeprecated args{name} type{kind name ofType{kind name}}} interfaces{name}}}`,
			`{"data":{"__type":{"__typename":"__Type","kind":"OBJECT","name":"PageInfo","fields":[{"name":"hasNextPage","isDeprecated":false,"args":[],"type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"SCALAR","name":"Boolean"}}},{"name":"hasPreviousPage","isDeprecated":false,"args":[],"type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"SCALAR","name":"Boolean"}}},{"name":"startCursor","isDeprecated":false,"args":[],"type":{"kind":"SCALAR","name":"String","ofType":null}},{"name":"endCursor","isDeprecated":false,"args":[],"type":{"kind":"SCALAR","name":"String","ofType":null}}],"interfaces":[]}}}`},
		{"interfaces of an object", `{__type(name:"Comment"){interfaces{name kind}}}`, `{"data":{"__type":{"interfaces":[{"name":"Node","kind":"INTERFACE"}]}}}`},
		{"an enum", `{__type(name:"Visibility"){kind name enumValues{name isDeprecated}}}`, `{"data":{"__type":{"kind":"ENUM","name":"Visibility","enumValues":[{"name":"PUBLIC","isDeprecated":false},{"name":"FOLLOWERS","isDeprecated":false}]}}}`},
		{"an input object", `{__type(name:"RecordPlayInput"){kind name inputFields{name defaultValue type{...T}}}} fragment T on __Type{kind name ofType{kind name ofType{name}}}`, `{"data":{"__type":{"kind":"INPUT_OBJECT","name":"RecordPlayInput","inputFields":[{"name":"game","defaultValue":null,"type":{"kind":"SCALAR","name":"String","ofType":null}},{"name":"gameId","defaultValue":null,"type":{"kind":"SCALAR","name":"ID","ofType":null}},{"name":"day","defaultValue":null,"type":{"kind":"SCALAR","name":"Date","ofType":null}},{"name":"count","defaultValue":"1","type":{"kind":"SCALAR","name":"Int","ofType":null}},{"name":"idempotencyKey","defaultValue":null,"type":{"kind":"SCALAR","name":"String","ofType":null}},{"name":"clientMutationId","defaultValue":null,"type":{"kind":"SCALAR","name":"String","ofType":null}}]}}}`},
		{"lists and non-null types", `{__type(name:"TwitConnection"){fields{name type{...T}}}} fragment T on __Type{kind ofType{kind ofType{kind ofType{kind name}}}}`, `{"data":{"__type":{"fields":[{"name":"edges","type":{"kind":"LIST","ofType":{"kind":"NON_NULL","ofType":{"kind":"OBJECT","ofType":null}}}},{"name":"nodes","type":{"kind":"LIST","ofType":{"kind":"OBJECT","ofType":null}}},{"name":"pageInfo","type":{"kind":"NON_NULL","ofType":{"kind":"OBJECT","ofType":null}}},{"name":"totalCount","type":{"kind":"SCALAR","ofType":null}}]}}}`},
		{"a scalar", `{__type(name:"DateTime"){kind name specifiedByURL}}`, `{"data":{"__type":{"kind":"SCALAR","name":"DateTime","specifiedByURL":"https://www.rfc-editor.org/rfc/rfc3339"}}}`},
		{"an unknown type", `{__type(name:"None"){name}}`, `{"data":{"__type":null}}`},
		{"aliases, fragments and other fields", `{a:__schema{...F} b:__typename __type(name:"User"){x:name @skip(if:true) y:__typename}} fragment F on __Schema{q:queryType{name} mutationType{name} s:subscriptionType{name}}`, `{"data":{"a":{"q":{"name":"Query"},"mutationType":{"name":"Mutation"},"s":{"name":"Subscription"}},"b":"Query","__type":{"y":"__Type"}}}`},
		{"directives", `{__schema{directives{name isRepeatable locations args{name}}}}`, `{"data":{"__schema":{"directives":[{"name":"cost","isRepeatable":false,"locations":["ARGUMENT_DEFINITION","ENUM","FIELD_DEFINITION","INPUT_FIELD_DEFINITION","OBJECT","SCALAR"],"args":[{"name":"weight"}]},{"name":"defer","isRepeatable":false,"locations":["FRAGMENT_SPREAD","INLINE_FRAGMENT"],"args":[{"name":"if"},{"name":"label"}]},{"name":"deprecated","isRepeatable":false,"locations":["FIELD_DEFINITION","ARGUMENT_DEFINITION","INPUT_FIELD_DEFINITION","ENUM_VALUE"],"args":[{"name":"reason"}]},{"name":"include","isRepeatable":false,"locations":["FIELD","FRAGMENT_SPREAD","INLINE_FRAGMENT"],"args":[{"name":"if"}]},{"name":"listSize","isRepeatable":false,"locations":["FIELD_DEFINITION"],"args":[{"name":"assumedSize"},{"name":"slicingArguments"},{"name":"sizedFields"},{"name":"requireOneSlicingArgument"}]},{"name":"oneOf","isRepeatable":false,"locations":["INPUT_OBJECT"],"args":[]},{"name":"semanticNonNull","isRepeatable":false,"locations":["FIELD_DEFINITION"],"args":[{"name":"levels"}]},{"name":"skip","isRepeatable":false,"locations":["FIELD","FRAGMENT_SPREAD","INLINE_FRAGMENT"],"args":[{"name":"if"}]},{"name":"specifiedBy","isRepeatable":false,"locations":["SCALAR"],"args":[{"name":"url"}]},{"name":"stream","isRepeatable":false,"locations":["FIELD"],"args":[{"name":"if"},{"name":"label"},{"name":"initialCount"}]}]}}}`},
		{"lists that do not apply to a kind are null", `{scalar:__type(name:"Date"){...T} object:__type(name:"PageInfo"){possibleTypes{name} enumValues{name} inputFields{name} isOneOf}} fragment T on __Type{fields{name} interfaces{name} possibleTypes{name} enumValues{name} inputFields{name} isOneOf}`,
			`{"data":{"scalar":{"fields":null,"interfaces":null,"possibleTypes":null,"enumValues":null,"inputFields":null,"isOneOf":null},"object":{"possibleTypes":null,"enumValues":null,"inputFields":null,"isOneOf":null}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, execute(t, e, test.query, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
