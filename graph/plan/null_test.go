package plan

import (
	"errors"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func nullable(fields ...any) *fixture {
	return &fixture{sdl: `
		type Query { t: T, must: T!, list: [T], musts: [T!], all: [T!]! }
		type T { s: String, must: String!, t: T, mustT: T!, list: [T], musts: [T!], all: [T!]!, some: [T]!, leaf: String, mustLeaf: String! }`,
		resolvers: map[string]resolver{"Query.t": returns(obj("T", fields...)), "Query.must": returns(obj("T", fields...))}}
}

var errNo = errors.New("no")

func errorJSON(path, message string, column string) string {
	return `{"message":"` + message + `","path":[` + path + `],"locations":[{"line":1,"column":` + column + `}]}`
}

func TestNullPropagatesToTheNearestNullableField(t *testing.T) {
	ok := obj("T", "must", "ok", "s", "s")
	invalid := obj("T")
	for _, test := range []struct {
		name   string
		fields []any
		query  string
		data   string
		errors string
	}{
		{"null in nullable fields", nil, `{t{s t{s} list{s} leaf}}`, `{"t":{"s":null,"t":null,"list":null,"leaf":null}}`, ``},
		{"null in a non-null field nulls its object", nil, `{t{s must}}`, `{"t":null}`, errorJSON(`"t","must"`, "must not be null", "6")},
		{"non-null objects above are null", []any{"mustT", obj("T", "mustT", invalid)}, `{t{mustT{mustT{must}}}}`, `{"t":null}`,
			errorJSON(`"t","mustT","mustT","must"`, "must not be null", "16")},
		{"up to the nearest nullable object", []any{"t", obj("T", "mustT", invalid)}, `{t{s t{mustT{must}}}}`, `{"t":{"s":null,"t":null}}`,
			errorJSON(`"t","t","mustT","must"`, "must not be null", "14")},
		{"up to data", []any{"mustT", invalid}, `{must{mustT{must}}}`, `null`, errorJSON(`"must","mustT","must"`, "must not be null", "13")},
		{"one error per object", nil, `{t{must mustLeaf mustT{s}}}`, `{"t":null}`, errorJSON(`"t","must"`, "must not be null", "4")},
		{"null is an element of a nullable list", []any{"list", list(ok, nil, ok)}, `{t{list{s}}}`, `{"t":{"list":[{"s":"s"},null,{"s":"s"}]}}`, ``},
		{"null in a list of non-null elements nulls the list", []any{"musts", list(ok, nil, ok)}, `{t{s musts{s}}}`, `{"t":{"s":null,"musts":null}}`,
			errorJSON(`"t","musts",1`, "must not be null", "6")},
		{"null in a non-null list of non-null elements nulls the object", []any{"all", list(ok, nil)}, `{t{s all{s}}}`, `{"t":null}`, errorJSON(`"t","all",1`, "must not be null", "6")},
		{"null in place of a non-null list nulls the object", nil, `{t{some{s}}}`, `{"t":null}`, errorJSON(`"t","some"`, "must not be null", "4")},
		{"null inside an element nulls the element", []any{"list", list(ok, invalid, ok)}, `{t{list{must}}}`, `{"t":{"list":[{"must":"ok"},null,{"must":"ok"}]}}`,
			errorJSON(`"t","list",1,"must"`, "must not be null", "9")},
		{"null inside a non-null element nulls the list", []any{"musts", list(ok, invalid, invalid)}, `{t{musts{must}}}`, `{"t":{"musts":null}}`,
			errorJSON(`"t","musts",1,"must"`, "must not be null", "10")},
		{"null inside a non-null element of a non-null list nulls the objects above", []any{"mustT", obj("T", "all", list(ok, invalid))}, `{t{mustT{all{must}}}}`, `{"t":null}`, errorJSON(`"t","mustT","all",1,"must"`, "must not be null", "14")},
		{"an empty list is not null", []any{"all", list(), "some", list()}, `{t{all{s} some{s}}}`, `{"t":{"all":[],"some":[]}}`, ``},
		{"an error of a field without a resolver", []any{"t", errNo, "s", "s"}, `{t{t{s} s}}`, `{"t":{"t":null,"s":"s"}}`, errorJSON(`"t","t"`, "no", "4")},
		{"an error of a non-null field nulls the object, and is the only error", []any{"mustT", errNo}, `{t{mustT{s}}}`, `{"t":null}`, errorJSON(`"t","mustT"`, "no", "4")},
		{"a panic of a field without a resolver", []any{"t", panics{}, "s", "s"}, `{t{t{s} s}}`, `{"t":{"t":null,"s":"s"}}`, errorJSON(`"t","t"`, "panic of a property", "4")},
		{"a panic of a leaf", []any{"s", panics{}, "leaf", "l"}, `{t{s leaf}}`, `{"t":{"s":null,"leaf":"l"}}`, errorJSON(`"t","s"`, "panic of a leaf", "4")},
		{"an alias is in the path", []any{"list", list(invalid)}, `{a:t{b:list{c:must}}}`, `{"a":{"b":[null]}}`, errorJSON(`"a","b",0,"c"`, "must not be null", "13")},
		{"the fields around a null are complete", []any{"s", "x", "t", invalid, "leaf", "y"}, `{t{s t{must} leaf}}`, `{"t":{"s":"x","t":null,"leaf":"y"}}`,
			errorJSON(`"t","t","must"`, "must not be null", "8")},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := `{"data":` + test.data + `}`
			if test.errors != "" {
				want = `{"errors":[` + test.errors + `],"data":` + test.data + `}`
			}
			nullable(test.fields...).check(t, test.query, nil, want)
		})
	}
}

func TestResolverErrorFailsTheFieldOfItsParents(t *testing.T) {
	three := list(obj("T", "s", "a"), obj("T", "s", "b"), obj("T", "s", "c"))
	answer := func(values []any, err error) resolver {
		return func([]*testObject, map[string]any) ([]any, error) { return values, err }
	}
	x := obj("T", "s", "x")
	at := func(field, message string, of ...string) string {
		all := make([]string, len(of))
		for i, index := range of {
			all[i] = errorJSON(`"list",`+index+`,"`+field+`"`, message, "9")
		}
		return strings.Join(all, ",")
	}
	for _, test := range []struct {
		name    string
		field   string
		resolve resolver
		query   string
		data    string
		errors  string
	}{
		{"an error fails all parents", "t", answer(nil, errNo), `{list{s t{s}}}`, `[{"s":"a","t":null},{"s":"b","t":null},{"s":"c","t":null}]`, at("t", "no", "0", "1", "2")},
		{"an error of one parent fails that parent", "t", answer(list(x, nil, x), graphql.BatchErrorList{nil, errNo, nil}), `{list{s t{s}}}`,
			`[{"s":"a","t":{"s":"x"}},{"s":"b","t":null},{"s":"c","t":{"s":"x"}}]`, at("t", "no", "1")},
		{"a value with an error is null", "t", answer(list(x, x, x), graphql.BatchErrorList{errNo, nil, nil}), `{list{s t{s}}}`,
			`[{"s":"a","t":null},{"s":"b","t":{"s":"x"}},{"s":"c","t":{"s":"x"}}]`, at("t", "no", "0")},
		{"an error of a leaf", "leaf", answer(list("x", "y", "z"), graphql.BatchErrorList{nil, nil, errNo}), `{list{s leaf}}`,
			`[{"s":"a","leaf":"x"},{"s":"b","leaf":"y"},{"s":"c","leaf":null}]`, at("leaf", "no", "2")},
		{"an error of a non-null field nulls the parent", "mustT", answer(list(x, nil, x), graphql.BatchErrorList{nil, errNo, nil}), `{list{s mustT{s}}}`,
			`[{"s":"a","mustT":{"s":"x"}},null,{"s":"c","mustT":{"s":"x"}}]`, at("mustT", "no", "1")},
		{"too few errors fail all parents", "t", answer(list(x, x, x), graphql.BatchErrorList{nil}), `{list{s t{s}}}`,
			`[{"s":"a","t":null},{"s":"b","t":null},{"s":"c","t":null}]`, at("t", "batch resolver returned errors", "0", "1", "2")},
		{"too few values fail all parents", "t", answer(list(x, x), nil), `{list{s t{s}}}`, `[{"s":"a","t":null},{"s":"b","t":null},{"s":"c","t":null}]`,
			at("t", "the resolver of T.t returned 2 values for 3 parents", "0", "1", "2")},
		{"too many values fail all parents", "t", answer(list(x, x, x, x), nil), `{list{s t{s}}}`, `[{"s":"a","t":null},{"s":"b","t":null},{"s":"c","t":null}]`,
			at("t", "the resolver of T.t returned 4 values for 3 parents", "0", "1", "2")},
		{"too few values with errors fail all parents", "t", answer(list(x), graphql.BatchErrorList{nil, nil, errNo}), `{list{s t{s}}}`, `[{"s":"a","t":null},{"s":"b","t":null},{"s":"c","t":null}]`,
			at("t", "batch resolver returned errors", "0", "1", "2")},
		{"a panic fails the field only", "t", func([]*testObject, map[string]any) ([]any, error) { panic("a resolver") }, `{list{s t{s}}}`,
			`[{"s":"a","t":null},{"s":"b","t":null},{"s":"c","t":null}]`, at("t", "panic of a resolver", "0", "1", "2")},
		{"null of a non-null leaf is an error of its parent", "mustLeaf", answer(list("x", nil, "z"), nil), `{list{s mustLeaf}}`,
			`[{"s":"a","mustLeaf":"x"},null,{"s":"c","mustLeaf":"z"}]`, at("mustLeaf", "must not be null", "1")},
		{"a panic while a leaf is written fails that leaf", "leaf", answer(list("x", panics{}, "z"), nil), `{list{s leaf}}`,
			`[{"s":"a","leaf":"x"},{"s":"b","leaf":null},{"s":"c","leaf":"z"}]`, at("leaf", "panic of a leaf", "1")},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := nullable().with(map[string]resolver{"Query.list": returns(three), "T." + test.field: test.resolve})
			fx.check(t, test.query, nil, `{"errors":[`+test.errors+`],"data":{"list":`+test.data+`}}`)
		})
	}
}

func TestInvalidArgumentFailsItsFieldOnly(t *testing.T) {
	fx := people()
	fx.check(t, `{a:echo(arg:"bad") b:echo(arg:"worse") c:echo}`, nil, `{"errors":[`+errorJSON(`"a"`, "arg can't be bad", "2")+`,`+errorJSON(`"b"`, "panic of an argument", "20")+
		`],"data":{"a":null,"b":null,"c":"map[arg:none]"}}`, "Query.c 1")
}

func TestMissingLazyObjectsAreNull(t *testing.T) {
	missing, broken, found := obj("T", "s", "missing"), obj("T", "s", "broken"), obj("T", "s", "found")
	for _, test := range []struct{ name, query, want string }{
		{"a missing object is null", `{list{s}}`, `{"errors":[` + errorJSON(`"list",1`, "no", "2") + `],"data":{"list":[null,null,{"s":"found"}]}}`},
		{"a missing object in a list of non-null elements is an error", `{musts{s}}`, `{"errors":[` + errorJSON(`"musts",0`, "must not be null", "2") + `],"data":{"musts":null}}`},
		{"a missing object of a field that is no list", `{t{s} list{t{s}}}`, `{"errors":[` + errorJSON(`"list",1`, "no", "7") + `],"data":{"t":null,"list":[null,null,{"t":null}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := nullable().with(map[string]resolver{
				"Query.list":  returns(list(missing, broken, found)),
				"Query.musts": returns(list(missing)),
				"Query.t":     returns(missing),
			})
			schema := fx.build()
			fx.tasks.missing = map[any]error{missing: nil, broken: errNo}
			if got := execute(newExecutor(schema), test.query, "", nil); got != test.want {
				t.Errorf("response:\ngot  %s\nwant %s", got, test.want)
			}
		})
	}
}
