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

// letters is a world whose resolvers of letters take one parent each.
func letters(one func(ctx context.Context, name string) (any, error)) *world {
	return &world{
		sdl: `type Query { all: [Letter] } type Letter { name: String! next: Letter code: String must: String! }`,
		resolvers: map[string]resolver{
			"Query.all": always(list(of("Letter", "name", "a"), of("Letter", "name", "b"), of("Letter", "name", "c"))),
		},
		ones: map[string]func(context.Context, *thing) (any, error){
			"Letter.next": func(ctx context.Context, parent *thing) (any, error) {
				value, err := one(ctx, parent.fields["name"].(string))
				if name, ok := value.(string); ok {
					return of("Letter", "name", name), err
				}
				return nil, err
			},
			"Letter.code": func(ctx context.Context, parent *thing) (any, error) { return one(ctx, parent.fields["name"].(string)) },
			"Letter.must": func(ctx context.Context, parent *thing) (any, error) { return one(ctx, parent.fields["name"].(string)) },
		}}
}

func TestAResolverOfOneParentIsCalledForAllSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all sync.WaitGroup
		all.Add(3)
		w := letters(func(_ context.Context, name string) (any, error) {
			if len(name) == 1 {
				all.Done()
				all.Wait() // for the calls of the level
			}
			return name + "'", nil
		})
		w.check(t, `{all{next{name code}}}`, nil,
			`{"data":{"all":[{"next":{"name":"a'","code":"a''"}},{"next":{"name":"b'","code":"b''"}},{"next":{"name":"c'","code":"c''"}}]}}`)
		if w.tasks.started != 1+2+2 {
			t.Errorf("%d tasks were started; the calls of a level are 3, and one of them is the level's", w.tasks.started)
		}
	})
}

func TestErrorsOfResolversOfOneParent(t *testing.T) {
	for _, test := range []struct {
		name  string
		query string
		one   func(ctx context.Context) (any, error)
		want  string
	}{
		{"an error is the parent's", `{all{code}}`, func(context.Context) (any, error) { return nil, errNo },
			`{"errors":[` + fault(`"all",1,"code"`, "no", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
		{"so is a panic", `{all{code}}`, func(context.Context) (any, error) { panic("it") },
			`{"errors":[` + fault(`"all",1,"code"`, "panic of it", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
		{"a list of errors is all of them", `{all{code}}`, func(context.Context) (any, error) {
			return nil, gqlerror.List{gqlerror.Errorf("one"), gqlerror.Errorf("two")}
		}, `{"errors":[` + fault(`"all",1,"code"`, "one", "6") + `,` + fault(`"all",1,"code"`, "two", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
		{"errors are added beside a value", `{all{code}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			graphql.AddErrorf(ctx, "two")
			return "value", nil
		}, `{"errors":[` + fault(`"all",1,"code"`, "one", "6") + `,` + fault(`"all",1,"code"`, "two", "6") + `],"data":{"all":[{"code":"-"},{"code":"value"},{"code":"-"}]}}`},
		{"a null that must not be needs no further error", `{all{must}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			return nil, nil
		}, `{"errors":[` + fault(`"all",1,"must"`, "one", "6") + `],"data":{"all":[{"must":"-"},null,{"must":"-"}]}}`},
		{"nor does an object", `{all{next{name}}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			return nil, nil
		}, `{"errors":[` + fault(`"all",1,"next"`, "one", "6") + `],"data":{"all":[{"next":{"name":"-"}},{"next":null},{"next":{"name":"-"}}]}}`},
		{"an error is returned beside those that are added", `{all{code}}`, func(ctx context.Context) (any, error) {
			graphql.AddError(ctx, errors.New("one"))
			return nil, errNo
		}, `{"errors":[` + fault(`"all",1,"code"`, "one", "6") + `,` + fault(`"all",1,"code"`, "no", "6") + `],"data":{"all":[{"code":"-"},{"code":null},{"code":"-"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			letters(func(ctx context.Context, name string) (any, error) {
				if name == "b" {
					return test.one(ctx)
				}
				return "-", nil
			}).check(t, test.query, nil, test.want)
		})
	}
}

func TestErrorListsOfABatchResolver(t *testing.T) {
	both := gqlerror.List{gqlerror.Errorf("one"), gqlerror.Errorf("two")}
	for _, test := range []struct {
		name    string
		resolve resolver
		want    string
	}{
		{"a list is that of every parent", func([]*thing, map[string]any) ([]any, error) { return nil, both },
			`{"errors":[` + fault(`"ts",0,"s"`, "one", "5") + `,` + fault(`"ts",0,"s"`, "two", "5") + `,` + fault(`"ts",1,"s"`, "one", "5") + `,` +
				fault(`"ts",1,"s"`, "two", "5") + `],"data":{"ts":[{"s":null},{"s":null}]}}`},
		{"a list of one parent is that parent's", func([]*thing, map[string]any) ([]any, error) {
			return []any{"x", nil}, graphql.BatchErrorList{nil, both}
		}, `{"errors":[` + fault(`"ts",1,"s"`, "one", "5") + `,` + fault(`"ts",1,"s"`, "two", "5") + `],"data":{"ts":[{"s":"x"},{"s":null}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{sdl: `type Query { ts: [T] } type T { s: String }`,
				resolvers: map[string]resolver{"Query.ts": always(list(of("T"), of("T"))), "T.s": test.resolve}}
			w.check(t, `{ts{s}}`, nil, test.want)
		})
	}
}

func TestWhatAResolverRegistersIsInTheResponse(t *testing.T) {
	w := letters(func(ctx context.Context, name string) (any, error) {
		if name == "c" {
			graphql.RegisterExtension(ctx, "seen", name)
		}
		return name, nil
	})
	w.check(t, `{all{code}}`, nil, `{"data":{"all":[{"code":"a"},{"code":"b"},{"code":"c"}]},"extensions":{"seen":"c"}}`)
}

func TestAnErrorIsAddedForAnElement(t *testing.T) {
	for _, test := range []struct {
		name string
		err  func(ctx context.Context) (context.Context, error)
	}{
		{"by the path of the error", func(ctx context.Context) (context.Context, error) {
			return ctx, gqlerror.WrapPath(append(graphql.GetPath(ctx), ast.PathIndex(1)), errNo)
		}},
		{"by the path of the ctx", func(ctx context.Context) (context.Context, error) {
			index := 1
			return graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &index}), errNo
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{sdl: `type Query { t: T } type T { name: String ts: [T] }`, resolvers: map[string]resolver{"Query.t": always(of("T"))}}
			w.ones = map[string]func(context.Context, *thing) (any, error){"T.ts": func(ctx context.Context, _ *thing) (any, error) {
				graphql.AddError(test.err(ctx))
				return list(of("T", "name", "a"), nil), nil
			}}
			w.check(t, `{t{ts{name}}}`, nil, `{"errors":[{"message":"no","path":["t","ts",1],"locations":[{"line":1,"column":4}]}],"data":{"t":{"ts":[{"name":"a"},null]}}}`)
		})
	}
}
