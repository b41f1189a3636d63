package coercion

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

var schema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	enum Visibility { PUBLIC FOLLOWERS }
	scalar URL
	input Post { content: String!, visibility: Visibility = PUBLIC, photos: [URL!], reply: Post, rank: Int! = 7 }
	input By @oneOf { name: String, id: ID }
	type Query {
		take(post: Post, name: String, must: String!, n: Int, f: Float, b: Boolean, id: ID, v: Visibility,
			u: URL, list: [Int!], lists: [[Int]], by: By, default: String! = "d"): String
	}`})

var inputs = &Inputs{Schema: schema, Suggest: true, Scalars: map[string]func(any) error{
	"URL": func(v any) error {
		if s, ok := v.(string); !ok || !strings.HasPrefix(s, "https://") {
			return errors.New("it must be a URL")
		}
		return nil
	},
}}

func operation(t *testing.T, text string) *ast.OperationDefinition {
	t.Helper()
	doc, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	none := core.Rule{Name: "none", RuleFunc: func(*core.Events, core.AddErrFunc) {}}
	validator.ValidateWithRules(schema, doc, rules.NewRules(none))
	return doc.Operations[0]
}

func decode(t *testing.T, text string) (value map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestVariablesAreCoercedToTheirTypes(t *testing.T) {
	whole := "it must be a whole number from -2147483648 to 2147483647"
	for name, test := range map[string]struct {
		definition, values string
		want               any
		messages           []string
	}{
		"an Int":                              {"$v:Int", `{"v":5}`, int64(5), nil},
		"an Int written with a fraction of 0": {"$v:Int", `{"v":5.0}`, int64(5), nil},
		"an Int written with an exponent":     {"$v:Int", `{"v":1e2}`, int64(100), nil},
		"the greatest Int":                    {"$v:Int", `{"v":2147483647}`, int64(2147483647), nil},
		"an Int of 33 bits":                   {"$v:Int", `{"v":2147483648}`, nil, []string{"$v: " + whole}},
		"a fraction for an Int":               {"$v:Int", `{"v":1.5}`, nil, []string{"$v: " + whole}},
		"an Int with a huge exponent":         {"$v:Int", `{"v":1e999999999}`, nil, []string{"$v: " + whole}},
		"a string for an Int":                 {"$v:Int", `{"v":"5"}`, nil, []string{"$v: " + whole}},
		"a boolean for an Int":                {"$v:Int", `{"v":true}`, nil, []string{"$v: " + whole}},
		"a Float":                             {"$v:Float", `{"v":1.5}`, 1.5, nil},
		"a whole Float":                       {"$v:Float", `{"v":2}`, 2.0, nil},
		"a string for a Float":                {"$v:Float", `{"v":"1.5"}`, nil, []string{"$v: it must be a number"}},
		"an infinite Float":                   {"$v:Float", `{"v":1e999}`, nil, []string{"$v: it must be a number"}},
		"a String":                            {"$v:String", `{"v":"5"}`, "5", nil},
		"a number for a String":               {"$v:String", `{"v":1e2}`, nil, []string{"$v: it must be a string"}},
		"a Boolean":                           {"$v:Boolean", `{"v":true}`, true, nil},
		"a string for a Boolean":              {"$v:Boolean", `{"v":"true"}`, nil, []string{"$v: it must be true or false"}},
		"an ID":                               {"$v:ID", `{"v":"x"}`, "x", nil},
		"an ID of many digits":                {"$v:ID", `{"v":12345678901234567890}`, "12345678901234567890", nil},
		"an ID as a number without fraction":  {"$v:ID", `{"v":4.0}`, "4", nil},
		"a fraction for an ID":                {"$v:ID", `{"v":1.5}`, nil, []string{"$v: it must be a string or a whole number"}},
		"a boolean for an ID":                 {"$v:ID", `{"v":true}`, nil, []string{"$v: it must be a string or a whole number"}},
		"an enum":                             {"$v:Visibility", `{"v":"FOLLOWERS"}`, "FOLLOWERS", nil},
		"an enum in another case": {"$v:Visibility", `{"v":"followers"}`, nil,
			[]string{`$v: the enum Visibility has no value "followers". Did you mean "FOLLOWERS"?`}},
		"a number for an enum":     {"$v:Visibility", `{"v":1}`, nil, []string{"$v: a value of the enum Visibility must be a string"}},
		"a custom scalar":          {"$v:URL", `{"v":"https://a"}`, "https://a", nil},
		"an invalid custom scalar": {"$v:URL", `{"v":{}}`, nil, []string{"$v: it must be a URL"}},
		"null":                     {"$v:Int", `{"v":null}`, nil, nil},
		"null for a non-null":      {"$v:Int!", `{"v":null}`, nil, []string{"$v: it can't be null"}},
		"no value":                 {"$v:Int", `{}`, absent{}, nil},
		"no value but a default":   {"$v:Int=3", `{}`, int64(3), nil},
		"null and a default":       {"$v:Int=3", `{"v":null}`, nil, nil},
		"no value for non-null":    {"$v:Int!", `{}`, nil, []string{"$v: a value of the type Int! is required"}},
		"a list":                   {"$v:[Int!]", `{"v":[1,2]}`, []any{int64(1), int64(2)}, nil},
		"one value for a list":     {"$v:[Int!]", `{"v":1}`, []any{int64(1)}, nil},
		"one for lists of lists":   {"$v:[[Int]]", `{"v":1}`, []any{[]any{int64(1)}}, nil},
		"values for lists":         {"$v:[[Int]]", `{"v":[1,[2,null]]}`, []any{[]any{int64(1)}, []any{int64(2), nil}}, nil},
		"invalid list elements": {"$v:[Int!]", `{"v":[1,null,"x"]}`, nil,
			[]string{"$v[1]: it can't be null", "$v[2]: " + whole}},
		"a list for a scalar": {"$v:String", `{"v":["x"]}`, nil, []string{"$v: it must be a string"}},
		"an object with its defaults": {"$v:Post", `{"v":{"content":"x","photos":["https://a"],"reply":{"content":"y","rank":1}}}`,
			map[string]any{"content": "x", "visibility": "PUBLIC", "rank": int64(7), "photos": []any{"https://a"},
				"reply": map[string]any{"content": "y", "visibility": "PUBLIC", "rank": int64(1)}}, nil},
		"null where a field has a default": {"$v:Post", `{"v":{"content":"x","rank":null}}`, nil, []string{"$v.rank: it can't be null"}},
		"several errors in an object": {"$v:Post", `{"v":{"photos":["https://a","http","x",1],"visibility":"Public","conten":"x","__typename":"Post"}}`, nil,
			[]string{"$v: the field content of the type String! is required",
				`$v.visibility: the enum Visibility has no value "Public". Did you mean "PUBLIC"?`,
				"$v.photos[1]: it must be a URL", "$v.photos[2]: it must be a URL", "$v.photos[3]: it must be a URL",
				`$v: the input Post has no field "__typename".`, `$v: the input Post has no field "conten". Did you mean "content"?`}},
		"a string for an object":  {"$v:Post", `{"v":"x"}`, nil, []string{"$v: it must be an object"}},
		"a list for an object":    {"$v:Post", `{"v":[]}`, nil, []string{"$v: it must be an object"}},
		"oneOf with one field":    {"$v:By", `{"v":{"id":4}}`, map[string]any{"id": "4"}, nil},
		"oneOf without a field":   {"$v:By", `{"v":{}}`, nil, []string{"$v: exactly one of its fields must be given, and not as null"}},
		"oneOf with two fields":   {"$v:By", `{"v":{"id":4,"name":null}}`, nil, []string{"$v: exactly one of its fields must be given, and not as null"}},
		"oneOf with a null field": {"$v:By", `{"v":{"name":null}}`, nil, []string{"$v: exactly one of its fields must be given, and not as null"}},
	} {
		t.Run(name, func(t *testing.T) {
			op := operation(t, "query("+test.definition+"){take}")
			got, errs := inputs.Variables(op, decode(t, test.values))
			var messages []string
			for _, err := range errs {
				messages = append(messages, err.Message)
				if len(err.Locations) != 1 || err.Locations[0].Column != 7 {
					t.Errorf("%s has the locations %v, want column 7", err.Message, err.Locations)
				}
			}
			if diff := cmp.Diff(test.messages, messages); diff != "" {
				t.Fatalf("errors (-want +got):\n%s", diff)
			}
			value, has := got["v"]
			if _, none := test.want.(absent); none {
				if has {
					t.Errorf("got %v, want no value", value)
				}
			} else if diff := cmp.Diff(test.want, value); diff != "" && errs == nil {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

type absent struct{}

func TestVariablesLimitsTheErrors(t *testing.T) {
	op := operation(t, "query($v:[Int]){take(list:$v)}")
	list := strings.Repeat(`"x",`, 1000) + `"x"`
	if _, errs := inputs.Variables(op, decode(t, `{"v":[`+list+`]}`)); len(errs) != maxErrors {
		t.Errorf("got %d errors, want %d", len(errs), maxErrors)
	}
}

func TestLiteralsOfAnotherTypeAreRejected(t *testing.T) {
	const whole = "it must be a whole number from -2147483648 to 2147483647"
	for name, test := range map[string]struct {
		argument string
		messages []string
	}{
		"an empty object for a String": {`name:{}`, []string{"expected a value of the type String, found {}: it must be a string"}},
		"an empty object for an ID":    {`id:{}`, []string{"expected a value of the type ID, found {}: it must be a string or a whole number"}},
		"an empty object for Boolean":  {`b:{}`, []string{"expected a value of the type Boolean, found {}: it must be true or false"}},
		"an empty list for a String":   {`name:[]`, []string{"expected a value of the type String, found []: it must be a string"}},
		"an empty object for an enum":  {`v:{}`, []string{"expected a value of the enum Visibility, found {}"}},
		"a string for an enum":         {`v:"PUBLIC"`, []string{`expected a value of the enum Visibility, found "PUBLIC"`}},
		"an enum in another case":      {`v:public`, []string{`the enum Visibility has no value "public". Did you mean "PUBLIC"?`}},
		"an object for a scalar":       {`u:{}`, []string{"expected a value of the type URL, found {}: it must be a URL"}},
		"an enum value for a scalar":   {`u:https`, []string{"expected a value of the type URL, found https: it must be a string"}},
		"an invalid custom scalar":     {`u:"x"`, []string{`expected a value of the type URL, found "x": it must be a URL`}},
		"a Float literal for an Int":   {`n:5.0`, []string{"expected a value of the type Int, found 5.0: " + whole}},
		"an Int beyond 32 bits":        {`n:2147483648`, []string{"expected a value of the type Int, found 2147483648: " + whole}},
		"an Int for a String":          {`name:5`, []string{"expected a value of the type String, found 5: it must be a string"}},
		"an Int for an ID":             {`id:5`, nil},
		"an Int for a Float":           {`f:5`, nil},
		"a block string":               {`name:"""x"""`, nil},
		"null for a non-null":          {`must:null`, []string{"expected a value of the type String!, found null"}},
		"null":                         {`name:null`, nil},
		"one value for a list":         {`list:1`, nil},
		"null in a list of non-nulls":  {`list:[1,null]`, []string{"expected a value of the type Int!, found null"}},
		"a list in a list of scalars":  {`list:[[1]]`, []string{"expected a value of the type Int!, found [1]: " + whole}},
		"a missing and an unknown field": {`post:{photos:[1],x:1}`, []string{"the field content of the type String! is required",
			"expected a value of the type URL!, found 1: it must be a URL", `the input Post has no field "x".`}},
		"a scalar for an object":    {`post:1`, []string{"expected a value of the type Post, found 1: it must be an object"}},
		"variables are not checked": {`post:{content:$a,photos:[$b]}`, nil},
		"oneOf with one field":      {`by:{id:1}`, nil},
		"oneOf with two fields":     {`by:{id:1,name:"x"}`, []string{"exactly one of its fields must be given, and not as null"}},
		"oneOf with a null field":   {`by:{id:null}`, []string{"exactly one of its fields must be given, and not as null"}},
		"a literal is repeated up to 40 bytes": {`n:"` + strings.Repeat("ä", 50) + `"`,
			[]string{`expected a value of the type Int, found "` + strings.Repeat("ä", 19) + `…: ` + whole}},
	} {
		t.Run(name, func(t *testing.T) {
			field := operation(t, "{take("+test.argument+")}").SelectionSet[0].(*ast.Field)
			var messages []string
			for _, a := range field.Arguments {
				inputs.Literal(field.Definition.Arguments.ForName(a.Name).Type, a.Value, func(at *ast.Position, err error) {
					if at == nil {
						t.Errorf("%s has no position", err)
					}
					messages = append(messages, err.Error())
				})
			}
			if diff := cmp.Diff(test.messages, messages); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestArgumentsAreCoercedToTheirTypes(t *testing.T) {
	for name, test := range map[string]struct {
		definitions, arguments, values string
		want                           map[string]any // without the argument "must" and defaults
		message                        string
	}{
		"literals": {"", `n:1,f:2,b:true,id:3,v:PUBLIC,list:[1],lists:1`, `{}`, map[string]any{
			"n": int64(1), "f": 2.0, "b": true, "id": "3", "v": "PUBLIC",
			"list": []any{int64(1)}, "lists": []any{[]any{int64(1)}}}, ""},
		"null":                               {"", `n:null`, `{}`, map[string]any{"n": nil}, ""},
		"a variable":                         {"$n:Int", `n:$n`, `{"n":5}`, map[string]any{"n": int64(5)}, ""},
		"a variable without a value":         {"$n:Int", `n:$n`, `{}`, map[string]any{}, ""},
		"a variable that is null":            {"$n:Int", `n:$n`, `{"n":null}`, map[string]any{"n": nil}, ""},
		"no value, with a default":           {"$d:String", `default:$d`, `{}`, map[string]any{"default": "d"}, ""},
		"null for a non-null with a default": {"$d:String", `default:$d`, `{"d":null}`, nil, "the argument default: the variable $d can't be null here"},
		"null for a variable with a default, in a non-null argument": {`$m:String="x"`, `must:$m`, `{"m":null}`, nil,
			"the argument must: the variable $m can't be null here"},
		"no value for a variable in an object": {"$p:[URL!]", `post:{content:"x",rank:1,photos:$p}`, `{}`,
			map[string]any{"post": map[string]any{"content": "x", "rank": int64(1), "visibility": "PUBLIC"}}, ""},
		"a default in an object": {"$r:Int", `post:{content:"x",rank:$r}`, `{}`,
			map[string]any{"post": map[string]any{"content": "x", "rank": int64(7), "visibility": "PUBLIC"}}, ""},
		"null in an object": {`$c:String="y"`, `post:{content:$c}`, `{"c":null}`, nil,
			"the argument post: the field content: the variable $c can't be null here"},
		"null in a nested object's list": {`$u:URL="https://a"`, `post:{content:"x",reply:{content:"y",photos:[$u]}}`, `{"u":null}`, nil,
			"the argument post: the field reply: the field photos: the variable $u can't be null here"},
		"no value in a list": {"$n:Int", `lists:[[$n]]`, `{}`, map[string]any{"lists": []any{[]any{nil}}}, ""},
		"oneOf with an absent variable": {"$i:ID", `by:{id:$i}`, `{}`, nil,
			"the argument by: exactly one of its fields must be given, and not as null"},
		"oneOf with a null variable": {"$i:ID", `by:{id:$i}`, `{"i":null}`, nil,
			"the argument by: exactly one of its fields must be given, and not as null"},
	} {
		t.Run(name, func(t *testing.T) {
			definitions := ""
			if test.definitions != "" {
				definitions = "(" + test.definitions + ")"
			}
			arguments := test.arguments
			if !strings.Contains(arguments, "must:") {
				arguments += `,must:"m"`
			}
			op := operation(t, "query"+definitions+"{take("+arguments+")}")
			variables, errs := inputs.Variables(op, decode(t, test.values))
			if errs != nil {
				t.Fatal(errs)
			}
			field := op.SelectionSet[0].(*ast.Field)
			got, err := Arguments(schema, field.Definition.Arguments, field.Arguments, variables)
			if err != nil || test.message != "" {
				if err == nil || err.Error() != test.message {
					t.Errorf("got error %v, want %q", err, test.message)
				}
				return
			}
			if test.want["must"] = "m"; test.want["default"] == nil {
				test.want["default"] = "d"
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
