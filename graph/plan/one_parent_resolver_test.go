package plan

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

func oneParentResolvers(one func(ctx context.Context, name string) (any, error)) *fixture {
	return &fixture{
		sdl: `type Query { all: [Letter] } type Letter { name: String! next: Letter code: String must: String! }`,
		resolvers: map[string]resolver{
			"Query.all": returns(list(obj("Letter", "name", "a"), obj("Letter", "name", "b"), obj("Letter", "name", "c"))),
		},
		oneParent: map[string]func(context.Context, *testObject) (any, error){
			"Letter.next": func(ctx context.Context, parent *testObject) (any, error) {
				value, err := one(ctx, parent.fields["name"].(string))
				if name, ok := value.(string); ok {
					return obj("Letter", "name", name), err
				}
				return nil, err
			},
			"Letter.code": func(ctx context.Context, parent *testObject) (any, error) {
				return one(ctx, parent.fields["name"].(string))
			},
			"Letter.must": func(ctx context.Context, parent *testObject) (any, error) {
				return one(ctx, parent.fields["name"].(string))
			},
		}}
}

func TestOneParentResolverRunsConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all sync.WaitGroup
		all.Add(3)
		fx := oneParentResolvers(func(_ context.Context, name string) (any, error) {
			if len(name) == 1 {
				all.Done()
				all.Wait() // for all calls of the level
			}
			return name + "'", nil
		})
		fx.check(t, `{all{next{name code}}}`, nil,
			`{"data":{"all":[{"next":{"name":"a'","code":"a''"}},{"next":{"name":"b'","code":"b''"}},{"next":{"name":"c'","code":"c''"}}]}}`)
		if fx.tasks.started != 1+2+2 {
			t.Errorf("%d tasks were started, want 1 for the root and 2 for each level of 3 calls", fx.tasks.started)
		}
	})
}

func TestErrorOfAOneParentResolverFailsItsParentOnly(t *testing.T) {
	for _, test := range []struct {
		name  string
		query string
		one   func(ctx context.Context) (any, error)
		want  string
	}{
		{"an error fails its parent", `{all{code}}`, func(context.Context) (any, error) { return nil, errNo },
			`{"errors":[` + errorJSON(`"all",1,"code"`, "no", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
		{"a panic fails its parent", `{all{code}}`, func(context.Context) (any, error) { panic("it") },
			`{"errors":[` + errorJSON(`"all",1,"code"`, "panic of it", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
		{"each error of a list is reported", `{all{code}}`, func(context.Context) (any, error) {
			return nil, gqlerror.List{gqlerror.Errorf("one"), gqlerror.Errorf("two")}
		}, `{"errors":[` + errorJSON(`"all",1,"code"`, "one", "6") + `,` + errorJSON(`"all",1,"code"`, "two", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
		{"AddError keeps the value", `{all{code}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			graphql.AddErrorf(ctx, "two")
			return "value", nil
		}, `{"errors":[` + errorJSON(`"all",1,"code"`, "one", "6") + `,` + errorJSON(`"all",1,"code"`, "two", "6") + `],"data":{"all":[{"code":"-"},{"code":"value"},{"code":"-"}]}}`},
		{"null of a non-null field with AddError has no second error", `{all{must}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			return nil, nil
		}, `{"errors":[` + errorJSON(`"all",1,"must"`, "one", "6") + `],"data":{"all":[{"must":"-"},null,{"must":"-"}]}}`},
		{"null object with AddError", `{all{next{name}}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			return nil, nil
		}, `{"errors":[` + errorJSON(`"all",1,"next"`, "one", "6") + `],"data":{"all":[{"next":{"name":"-"}},{"next":null},{"next":{"name":"-"}}]}}`},
		{"AddError and a returned error", `{all{code}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			return nil, errNo
		}, `{"errors":[` + errorJSON(`"all",1,"code"`, "one", "6") + `,` + errorJSON(`"all",1,"code"`, "no", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			oneParentResolvers(func(ctx context.Context, name string) (any, error) {
				if name == "b" {
					return test.one(ctx)
				}
				return "-", nil
			}).check(t, test.query, nil, test.want)
		})
	}
}

func TestEachErrorOfABatchListIsReported(t *testing.T) {
	both := gqlerror.List{gqlerror.Errorf("one"), gqlerror.Errorf("two")}
	for _, test := range []struct {
		name    string
		resolve resolver
		want    string
	}{
		{"a list of errors fails all parents", func([]*testObject, map[string]any) ([]any, error) { return nil, both },
			`{"errors":[` + errorJSON(`"ts",0,"s"`, "one", "5") + `,` + errorJSON(`"ts",0,"s"`, "two", "5") + `,` + errorJSON(`"ts",1,"s"`, "one", "5") + `,` +
				errorJSON(`"ts",1,"s"`, "two", "5") + `],"data":{"ts":[{"s":null},{"s":null}]}}`},
		{"a list of errors of one parent", func([]*testObject, map[string]any) ([]any, error) {
			return []any{"x", nil}, graphql.BatchErrorList{nil, both}
		}, `{"errors":[` + errorJSON(`"ts",1,"s"`, "one", "5") + `,` + errorJSON(`"ts",1,"s"`, "two", "5") + `],"data":{"ts":[{"s":"x"},{"s":null}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := &fixture{sdl: `type Query { ts: [T] } type T { s: String }`,
				resolvers: map[string]resolver{"Query.ts": returns(list(obj("T"), obj("T"))), "T.s": test.resolve}}
			fx.check(t, `{ts{s}}`, nil, test.want)
		})
	}
}

func TestResolverExtensionsAreInTheResponse(t *testing.T) {
	fx := oneParentResolvers(func(ctx context.Context, name string) (any, error) {
		if name == "c" {
			graphql.RegisterExtension(ctx, "seen", name)
		}
		return name, nil
	})
	fx.check(t, `{all{code}}`, nil, `{"data":{"all":[{"code":"a"},{"code":"b"},{"code":"c"}]},"extensions":{"seen":"c"}}`)
}

func TestAddErrorForListElement(t *testing.T) {
	for _, test := range []struct {
		name string
		err  func(ctx context.Context) (context.Context, error)
	}{
		{"by the path of the error", func(ctx context.Context) (context.Context, error) {
			return ctx, gqlerror.WrapPath(append(graphql.GetPath(ctx), ast.PathIndex(1)), errNo)
		}},
		{"by the path of an error in a list", func(ctx context.Context) (context.Context, error) {
			located := &gqlerror.Error{Message: "no", Path: append(graphql.GetPath(ctx), ast.PathIndex(1))}
			return ctx, gqlerror.List{located}
		}},
		{"by the path of the ctx", func(ctx context.Context) (context.Context, error) {
			index := 1
			return graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &index}), errNo
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := &fixture{sdl: `type Query { t: T } type T { name: String ts: [T] }`, resolvers: map[string]resolver{"Query.t": returns(obj("T"))}}
			ts := func(ctx context.Context, _ *testObject) (any, error) {
				graphql.AddError(test.err(ctx))
				return list(obj("T", "name", "a"), nil), nil
			}
			fx.oneParent = map[string]func(context.Context, *testObject) (any, error){"T.ts": ts}
			fx.check(t, `{t{ts{name}}}`, nil, `{"errors":[{"message":"no","path":["t","ts",1],"locations":[{"line":1,"column":4}]}],"data":{"t":{"ts":[{"name":"a"},null]}}}`)
		})
	}
}
