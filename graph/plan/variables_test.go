package plan

import (
	"strings"
	"testing"
)

func inputs() *fixture {
	return &fixture{sdl: `
		enum Color { RED GREEN }
		input In { a: String, b: [String], c: String!, d: In, e: Color = RED, f: [[Int]] }
		type Query { take(in: In, s: String, l: [String], m: [String!], color: Color, i: Int, d: String = "def", b: Boolean): String
			must(s: String!): String, default(s: String! = "def"): String, lists(l: [String]!, m: [String!]!): String }`,
		resolvers: map[string]resolver{
			"Query.take": arguments, "Query.must": arguments, "Query.default": arguments, "Query.lists": arguments,
		}}
}

func arguments(_ []*testObject, args map[string]any) ([]any, error) {
	return []any{args}, nil
}

func TestVariablesAreCoercedToArguments(t *testing.T) {
	vars := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	for _, test := range []struct {
		name, query string
		variables   map[string]any
		want        string
	}{
		// Input objects
		{"an object", `query($v:In){take(in:$v)}`, vars("v", vars("a", "foo", "b", []any{"bar"}, "c", "baz")), `{"d":"def","in":{"a":"foo","b":["bar"],"c":"baz"}}`},
		{"a nested object", `query($v:In){take(in:$v)}`, vars("v", vars("c", "x", "d", vars("c", "y", "d", vars("c", "z")))), `{"d":"def","in":{"c":"x","d":{"c":"y","d":{"c":"z"}}}}`},
		{"a literal object", `{take(in:{a:"foo",b:["bar"],c:"baz",d:{c:"x",e:GREEN}})}`, nil, `{"d":"def","in":{"a":"foo","b":["bar"],"c":"baz","d":{"c":"x","e":"GREEN"},"e":"RED"}}`},
		{"variables deep inside literals", `query($v:String,$w:Color,$x:Int){take(in:{c:"x",b:["y",$v],d:{c:"z",e:$w},f:[[1,$x],[$x]]})}`, vars("v", "V", "w", "GREEN", "x", 2),
			`{"d":"def","in":{"b":["y","V"],"c":"x","d":{"c":"z","e":"GREEN"},"e":"RED","f":[[1,2],[2]]}}`},
		{"an absent variable omits an input field", `query($v:String){take(in:{c:"x",a:$v})}`, nil, `{"d":"def","in":{"c":"x","e":"RED"}}`},
		{"an absent variable is null in a list", `query($v:String){take(in:{c:"x",b:["y",$v]})}`, nil, `{"d":"def","in":{"b":["y",null],"c":"x","e":"RED"}}`},
		{"an absent variable omits the argument", `query($v:String){take(s:$v)}`, nil, `{"d":"def"}`},
		{"null", `query($v:String){take(s:$v)}`, vars("v", nil), `{"d":"def","s":null}`},
		{"an absent variable has its default", `query($v:String="x"){take(s:$v)}`, nil, `{"d":"def","s":"x"}`},
		{"a variable overrides its default", `query($v:String="x"){take(s:$v)}`, vars("v", "y"), `{"d":"def","s":"y"}`},
		{"null overrides the default", `query($v:String="x"){take(s:$v)}`, vars("v", nil), `{"d":"def","s":null}`},
		{"a default of null", `query($v:String=null){take(s:$v)}`, nil, `{"d":"def","s":null}`},
		{"a default that is an object", `query($v:In={c:"x",b:["y"]}) {take(in:$v)}`, nil, `{"d":"def","in":{"b":["y"],"c":"x"}}`},
		{"an absent variable: the argument has its default", `query($v:String){take(d:$v)}`, nil, `{"d":"def"}`},
		{"a variable of null overrides the argument's default", `query($v:String){take(d:$v)}`, vars("v", nil), `{"d":null}`},
		{"a literal null overrides the argument's default", `{take(d:null)}`, nil, `{"d":null}`},
		{"the variable's default overrides the argument's", `query($v:String="x"){take(d:$v)}`, nil, `{"d":"x"}`},
		{"non-null argument: literal", `{must(s:"x")}`, nil, `{"s":"x"}`},
		{"non-null argument: variable", `query($v:String!){must(s:$v)}`, vars("v", "x"), `{"s":"x"}`},
		{"non-null argument: default of the variable", `query($v:String="x"){must(s:$v)}`, nil, `{"s":"x"}`},
		{"non-null argument: its default", `{default}`, nil, `{"s":"def"}`},
		{"non-null argument: its default, for an absent variable", `query($v:String){default(s:$v)}`, nil, `{"s":"def"}`},
		// Lists
		{"a list that is null", `query($v:[String]){take(l:$v)}`, vars("v", nil), `{"d":"def","l":null}`},
		{"a list of values", `query($v:[String]){take(l:$v)}`, vars("v", []any{"x"}), `{"d":"def","l":["x"]}`},
		{"a list with null", `query($v:[String]){take(l:$v)}`, vars("v", []any{"x", nil}), `{"d":"def","l":["x",null]}`},
		{"a value becomes a list of one", `query($v:[String]){take(l:$v)}`, vars("v", "x"), `{"d":"def","l":["x"]}`},
		{"has values", `query($v:[String]!){lists(l:$v,m:["z"])}`, vars("v", []any{"x"}), `{"l":["x"],"m":["z"]}`},
		{"a non-null list with null", `query($v:[String]!){lists(l:$v,m:["z"])}`, vars("v", []any{"x", nil}), `{"l":["x",null],"m":["z"]}`},
		{"a list of non-null elements that is null", `query($v:[String!]){take(m:$v)}`, vars("v", nil), `{"d":"def","m":null}`},
		{"a list of non-null elements", `query($v:[String!]){take(m:$v)}`, vars("v", []any{"x"}), `{"d":"def","m":["x"]}`},
		{"a non-null list of non-null elements", `query($v:[String!]!){lists(l:["z"],m:$v)}`, vars("v", []any{"x"}), `{"l":["z"],"m":["x"]}`},
		{"null in a literal list", `{take(l:["x",null])}`, nil, `{"d":"def","l":["x",null]}`},
		// Enums and types
		{"an enum by a variable", `query($v:Color){take(color:$v)}`, vars("v", "GREEN"), `{"color":"GREEN","d":"def"}`},
		{"an enum by a literal", `{take(color:RED)}`, nil, `{"color":"RED","d":"def"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := inputs()
			field := "take"
			for _, other := range []string{"must", "default", "lists"} {
				if strings.Contains(test.query, "{"+other) {
					field = other
				}
			}
			fx.check(t, test.query, test.variables, `{"data":{"`+field+`":`+test.want+`}}`)
		})
	}
}
