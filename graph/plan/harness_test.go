package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testObject has the values of fields without a resolver, which may be errors.
type testObject struct {
	typ    string
	fields map[string]any
}

func obj(typ string, pairs ...any) *testObject {
	t := &testObject{typ, map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		t.fields[pairs[i].(string)] = pairs[i+1]
	}
	return t
}

func list(objects ...any) []any { return objects }

type panics struct{}

type resolver func(parents []*testObject, args map[string]any) ([]any, error)

func perParent(value func(*testObject) any) resolver {
	return func(parents []*testObject, _ map[string]any) ([]any, error) {
		values := make([]any, len(parents))
		for i, p := range parents {
			values[i] = value(p)
		}
		return values, nil
	}
}

func returns(value any) resolver { return perParent(func(*testObject) any { return value }) }

type fixture struct {
	sdl       string
	resolvers map[string]resolver // by "Type.field", for fields without a value in the object
	oneParent map[string]func(ctx context.Context, parent *testObject) (any, error)
	tasks     *tasks

	mu    sync.Mutex
	calls []string // "User.friends 3": the resolver and its number of parents
}

func (fx *fixture) with(more map[string]resolver) *fixture {
	all := maps.Clone(fx.resolvers)
	if all == nil {
		all = map[string]resolver{}
	}
	maps.Copy(all, more)
	return &fixture{sdl: fx.sdl, resolvers: all}
}

type tasks struct {
	mu      sync.Mutex
	running int
	started int
	missing map[any]error
}

func (t *tasks) Start(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running, t.started = t.running+n, t.started+n
}

func (t *tasks) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running--; t.running < 0 {
		panic("a task ends that never started")
	}
}

func (t *tasks) Await() map[any]error { return t.missing }

// generated must not be executed.
type generated struct{ schema *ast.Schema }

func (g generated) Schema() *ast.Schema { return g.schema }
func (g generated) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}
func (g generated) Exec(context.Context) graphql.ResponseHandler { panic("gqlgen executes") }

func (fx *fixture) build() *planned {
	parsed := gqlparser.MustLoadSchema(&ast.Source{Input: fx.sdl})
	typeOf := func(v any) (any, string) {
		if value, ok := v.(testObject); ok {
			v = &value
		}
		t := v.(*testObject)
		if t == nil {
			return nil, ""
		}
		if _, ok := parsed.Types[t.typ]; !ok {
			panic("an object of type " + t.typ)
		}
		return t, t.typ
	}
	types := &Schema{
		Query: "Query", Mutation: "Mutation", Subscription: "Subscription", Objects: map[string]*Object{}, TypeOf: typeOf,
	}
	for name, def := range parsed.Types {
		if def.Kind != ast.Object {
			continue
		}
		object := &Object{Name: name, Satisfies: []string{name}, Fields: map[string]*Field{}}
		for _, abstract := range parsed.GetImplements(def) {
			object.Satisfies = append(object.Satisfies, abstract.Name)
		}
		for _, f := range def.Fields {
			object.Fields[f.Name] = fx.field(parsed, name, f)
		}
		types.Objects[name] = object
	}
	fx.tasks = &tasks{}
	return New(Config{
		Generated: generated{parsed},
		Types:     types,
		Exec:      func(*graphql.OperationContext) any { return nil },
		Tasks:     func(context.Context) Tasks { return fx.tasks },
	}).(*planned)
}

func (fx *fixture) field(parsed *ast.Schema, object string, def *ast.FieldDefinition) *Field {
	f := &Field{Name: def.Name, Object: object, NonNull: def.Type.NonNull}
	if def.Arguments != nil {
		f.Args = func(_ context.Context, _ any, raw map[string]any) (map[string]any, error) {
			switch raw["arg"] {
			case "bad":
				return nil, fmt.Errorf("%s can't be %v", "arg", raw["arg"])
			case "worse":
				panic("an argument")
			}
			return raw, nil
		}
	}
	leaf := !parsed.Types[def.Type.Name()].IsCompositeType()
	if !leaf {
		f.Composite = def.Type.Name()
		if elem := def.Type.Elem; elem != nil {
			f.List, f.ElemNonNull = true, elem.NonNull
			f.Elems = func(value any, to *Children) { to.Objects = append(to.Objects, value.([]any)...) }
		}
	}
	batch, one := fx.resolvers[object+"."+def.Name], fx.oneParent[object+"."+def.Name]
	switch {
	case one != nil:
		f.Append = appendJSON(def)
		f.Resolve = func(ctx context.Context, _, parent any, _ map[string]any) (any, error) {
			return one(ctx, parent.(*testObject))
		}
	case object == "Subscription" && batch != nil:
		f.Subscribe = func(context.Context, any, map[string]any) (Source, error) { panic("unexpected call") }
	case batch != nil:
		f.Append, f.ResolveBatch = appendJSON(def), fx.recorded(object, batch)
	case leaf:
		write := appendJSON(def)
		f.Leaf = func(ctx context.Context, exec any, dst []byte, object any) ([]byte, bool) {
			value := property(object, def.Name)
			if dst, ok := write(ctx, exec, dst, value); value != nil {
				return dst, ok
			}
			return dst, false
		}
	case f.Composite == "Query":
		f.Gather = GatherRoot
	default:
		f.Gather = gather(f)
	}
	return f
}

func (fx *fixture) recorded(object string, resolve resolver) func(
	ctx context.Context, exec any, parents []any, args map[string]any,
) ([]any, error) {
	return func(ctx context.Context, _ any, parents []any, args map[string]any) ([]any, error) {
		fx.mu.Lock()
		fx.calls = append(fx.calls, fmt.Sprintf("%s.%s %d", object, graphql.GetFieldContext(ctx).Field.Alias, len(parents)))
		fx.mu.Unlock()
		objects := make([]*testObject, len(parents))
		for i, p := range parents {
			objects[i], _ = p.(*testObject)
		}
		values, err := resolve(objects, args)
		return slices.Clone(values), err
	}
}

func appendJSON(def *ast.FieldDefinition) appendFunc {
	return func(_ context.Context, _ any, dst []byte, value any) ([]byte, bool) {
		if value == any(panics{}) {
			panic("a leaf")
		}
		if elem := def.Type.Elem; elem != nil && elem.NonNull {
			if list, ok := value.([]any); ok && slices.Contains(list, nil) {
				return dst, false
			}
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		return append(dst, text...), value != nil
	}
}

func gather(f *Field) func(exec any, parents []any, args map[string]any, to *Children) error {
	return func(_ any, parents []any, _ map[string]any, to *Children) error {
		for _, parent := range parents {
			value := property(parent, f.Name)
			if err, ok := value.(error); ok {
				return err
			}
			switch {
			case value == any(panics{}):
				panic("a property")
			case !f.List:
				to.Objects = append(to.Objects, value)
			case value == nil:
				to.NullList()
			default:
				f.Elems(value, to)
				to.EndList()
			}
		}
		return nil
	}
}

func property(object any, name string) any {
	if t, ok := object.(*testObject); ok && t != nil {
		return t.fields[name]
	}
	return nil
}

func newExecutor(schema graphql.ExecutableSchema) *executor.Executor {
	e := executor.New(schema)
	e.Use(Events{})
	e.SetRecoverFunc(func(_ context.Context, p any) error { return fmt.Errorf("panic of %v", p) })
	return e
}

func execute(e *executor.Executor, query, operation string, variables map[string]any) string {
	ctx := graphql.StartOperationTrace(context.Background())
	params := &graphql.RawParams{Query: query, OperationName: operation, Variables: variables}
	op, errs := e.CreateOperationContext(ctx, params)
	if errs != nil {
		return "rejected: " + strings.TrimSpace(errs.Error())
	}
	respond, ctx := e.DispatchOperation(ctx, op)
	text, err := json.Marshal(respond(ctx))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (fx *fixture) check(t *testing.T, query string, variables map[string]any, want string, calls ...string) {
	t.Helper()
	schema := fx.build()
	fx.calls = nil
	if diff := cmp.Diff(want, execute(newExecutor(schema), query, "", variables)); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	if fx.tasks.running != 0 {
		t.Errorf("%d tasks are running after the response, want 0", fx.tasks.running)
	}
	if calls != nil {
		slices.Sort(fx.calls)
		slices.Sort(calls)
		if diff := cmp.Diff(calls, fx.calls); diff != "" {
			t.Errorf("resolver calls (-want +got):\n%s", diff)
		}
	}
}
