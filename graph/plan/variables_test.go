package plan

import (
	"strings"
	"testing"
)

// inputs is a fixture whose resolver answers with its arguments: what the plan passes on, and so as JSON. What generated code makes of it is shown in
// inputs_test.go.
func inputs() *fixture {
	return &fixture{sdl: `
		enum Color { RED GREEN }
		input In { a: String, b: [String], c: String!, d: In, e: Color = RED, f: [[Int]] }
		type Query { take(in: In, s: String, l: [String], m: [String!], color: Color, i: Int, d: String = "def", b: Boolean): String
			must(s: String!): String, default(s: String! = "def"): String, lists(l: [String]!, m: [String!]!): String }`,
		resolvers: map[string]resolver{"Query.take": arguments, "Query.must": arguments, "Query.default": arguments, "Query.lists": arguments}}
}

// arguments is a resolver that answers with its arguments.
func arguments(_ []*testObject, args map[string]any) ([]any, error) {
	return []any{args}, nil
}

func TestVariables(t *testing.T) {
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
		want        string // the arguments
	}{
		// Objects
		{"an object is passed on", `query($v:In){take(in:$v)}`, vars("v", vars("a", "foo", "b", []any{"bar"}, "c", "baz")), `{"d":"def","in":{"a":"foo","b":["bar"],"c":"baz"}}`},
		{"a nested one too", `query($v:In){take(in:$v)}`, vars("v", vars("c", "x", "d", vars("c", "y", "d", vars("c", "z")))), `{"d":"def","in":{"c":"x","d":{"c":"y","d":{"c":"z"}}}}`},
		{"a literal object", `{take(in:{a:"foo",b:["bar"],c:"baz",d:{c:"x",e:GREEN}})}`, nil, `{"d":"def","in":{"a":"foo","b":["bar"],"c":"baz","d":{"c":"x","e":"GREEN"},"e":"RED"}}`},
		{"variables deep inside literals", `query($v:String,$w:Color,$x:Int){take(in:{c:"x",b:["y",$v],d:{c:"z",e:$w},f:[[1,$x],[$x]]})}`, vars("v", "V", "w", "GREEN", "x", 2),
			`{"d":"def","in":{"b":["y","V"],"c":"x","d":{"c":"z","e":"GREEN"},"e":"RED","f":[[1,2],[2]]}}`},
		{"one that is not given leaves its field out", `query($v:String){take(in:{c:"x",a:$v})}`, nil, `{"d":"def","in":{"c":"x","e":"RED"}}`},
		{"and is null in a list", `query($v:String){take(in:{c:"x",b:["y",$v]})}`, nil, `{"d":"def","in":{"b":["y",null],"c":"x","e":"RED"}}`},
		// Being absent, null, or defaults
		{"a variable that is not given leaves the argument out", `query($v:String){take(s:$v)}`, nil, `{"d":"def"}`},
		{"one that is null makes it null", `query($v:String){take(s:$v)}`, vars("v", nil), `{"d":"def","s":null}`},
		{"a default is taken if it is not given", `query($v:String="x"){take(s:$v)}`, nil, `{"d":"def","s":"x"}`},
		{"and not if it is", `query($v:String="x"){take(s:$v)}`, vars("v", "y"), `{"d":"def","s":"y"}`},
		{"nor if it is null", `query($v:String="x"){take(s:$v)}`, vars("v", nil), `{"d":"def","s":null}`},
		{"a default may be null", `query($v:String=null){take(s:$v)}`, nil, `{"d":"def","s":null}`},
		{"or an object", `query($v:In={c:"x",b:["y"]}) {take(in:$v)}`, nil, `{"d":"def","in":{"b":["y"],"c":"x"}}`},
		{"an argument's default is taken if the variable is not given", `query($v:String){take(d:$v)}`, nil, `{"d":"def"}`},
		{"and not if it is null", `query($v:String){take(d:$v)}`, vars("v", nil), `{"d":null}`},
		{"nor if the literal is", `{take(d:null)}`, nil, `{"d":null}`},
		{"a variable's default goes before an argument's", `query($v:String="x"){take(d:$v)}`, nil, `{"d":"x"}`},
		// What must not be null
		{"a literal where null must not be", `{must(s:"x")}`, nil, `{"s":"x"}`},
		{"a variable there", `query($v:String!){must(s:$v)}`, vars("v", "x"), `{"s":"x"}`},
		{"a variable with a default there", `query($v:String="x"){must(s:$v)}`, nil, `{"s":"x"}`},
		{"a default of the argument there", `{default}`, nil, `{"s":"def"}`},
		{"and with a variable that is not given", `query($v:String){default(s:$v)}`, nil, `{"s":"def"}`},
		// Lists
		{"a list may be null", `query($v:[String]){take(l:$v)}`, vars("v", nil), `{"d":"def","l":null}`},
		{"may hold values", `query($v:[String]){take(l:$v)}`, vars("v", []any{"x"}), `{"d":"def","l":["x"]}`},
		{"may hold null", `query($v:[String]){take(l:$v)}`, vars("v", []any{"x", nil}), `{"d":"def","l":["x",null]}`},
		{"a value is a list of it", `query($v:[String]){take(l:$v)}`, vars("v", "x"), `{"d":"def","l":["x"]}`},
		{"holds values", `query($v:[String]!){lists(l:$v,m:["z"])}`, vars("v", []any{"x"}), `{"l":["x"],"m":["z"]}`},
		{"and null", `query($v:[String]!){lists(l:$v,m:["z"])}`, vars("v", []any{"x", nil}), `{"l":["x",null],"m":["z"]}`},
		{"a list without nulls may be null", `query($v:[String!]){take(m:$v)}`, vars("v", nil), `{"d":"def","m":null}`},
		{"holds only values", `query($v:[String!]){take(m:$v)}`, vars("v", []any{"x"}), `{"d":"def","m":["x"]}`},
		{"holds values, too", `query($v:[String!]!){lists(l:["z"],m:$v)}`, vars("v", []any{"x"}), `{"l":["z"],"m":["x"]}`},
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
