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
)

// thing is an object of any type: what its fields are, where they have no resolver. An error is one of that field alone.
type thing struct {
	typ    string
	fields map[string]any
}

// boom is a value over which whoever reads it panics.
type boom struct{}

// resolver answers a field for all parents.
type resolver func(parents []*thing, args map[string]any) ([]any, error)

// each is a resolver that asks a function about each parent.
func each(of func(*thing) any) resolver {
	return func(parents []*thing, _ map[string]any) ([]any, error) {
		values := make([]any, len(parents))
		for i, p := range parents {
			values[i] = of(p)
		}
		return values, nil
	}
}

// always is a resolver that answers the same for each parent.
func always(value any) resolver { return each(func(*thing) any { return value }) }

// world is a schema, and what its fields resolve to.
type world struct {
	sdl       string
	resolvers map[string]resolver                                              // by "Type.field"; without one, a field is what the thing has
	ones      map[string]func(ctx context.Context, parent *thing) (any, error) // resolvers of one parent
	tasks     *tasks

	mu    sync.Mutex
	calls []string // "User.friends 3": what was called, with how many parents
}

// tasks are balanced when nothing runs any more.
type tasks struct {
	mu      sync.Mutex
	running int
	started int
	lost    map[any]error
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

func (t *tasks) Await() map[any]error { return t.lost }

// generated is a schema that gqlgen would have generated.
type generated struct{ schema *ast.Schema }

func (g generated) Schema() *ast.Schema { return g.schema }
func (g generated) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}
func (g generated) Exec(context.Context) graphql.ResponseHandler { panic("gqlgen executes") }

func (w *world) build() *planned {
	parsed := gqlparser.MustLoadSchema(&ast.Source{Input: w.sdl})
	types := &Schema{Query: "Query", Mutation: "Mutation", Subscription: "Subscription", Objects: map[string]*Object{}, TypeOf: func(v any) (any, string) {
		if value, ok := v.(thing); ok {
			v = &value
		}
		t := v.(*thing)
		if t == nil {
			return nil, ""
		}
		if _, ok := parsed.Types[t.typ]; !ok {
			panic("a thing of type " + t.typ)
		}
		return t, t.typ
	}}
	for name, def := range parsed.Types {
		if def.Kind != ast.Object {
			continue
		}
		object := &Object{Name: name, Satisfies: []string{name}, Fields: map[string]*Field{}}
		for _, abstract := range parsed.GetImplements(def) {
			object.Satisfies = append(object.Satisfies, abstract.Name)
		}
		for _, f := range def.Fields {
			object.Fields[f.Name] = w.field(parsed, name, f)
		}
		types.Objects[name] = object
	}
	w.tasks = &tasks{}
	return New(Config{Generated: generated{parsed}, Types: types, Exec: func(*graphql.OperationContext) any { return nil },
		Tasks: func(context.Context) Tasks { return w.tasks }}).(*planned)
}

func (w *world) field(parsed *ast.Schema, object string, def *ast.FieldDefinition) *Field {
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
		f.To = def.Type.Name()
		if elem := def.Type.Elem; elem != nil {
			f.List, f.ElemNonNull = true, elem.NonNull
			f.Elems = func(value any, to *Gathered) { to.Objects = append(to.Objects, value.([]any)...) }
		}
	}
	write := func(_ context.Context, _ any, dst []byte, value any) ([]byte, bool) {
		if value == any(boom{}) {
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
	resolve, one := w.resolvers[object+"."+def.Name], w.ones[object+"."+def.Name]
	switch {
	case one != nil:
		f.Append = write
		f.Resolve = func(ctx context.Context, _, parent any, _ map[string]any) (any, error) {
			return one(ctx, parent.(*thing))
		}
	case object == "Subscription" && resolve != nil:
		f.Stream = func(context.Context, any, map[string]any) (Source, error) { panic("nobody subscribes") }
	case resolve != nil:
		f.Append = write
		f.Call = func(ctx context.Context, _ any, parents []any, args map[string]any, dst []any) ([]any, error) {
			w.mu.Lock()
			w.calls = append(w.calls, fmt.Sprintf("%s.%s %d", object, graphql.GetFieldContext(ctx).Field.Alias, len(parents)))
			w.mu.Unlock()
			things := make([]*thing, len(parents))
			for i, p := range parents {
				things[i], _ = p.(*thing)
			}
			values, err := resolve(things, args)
			return append(dst, values...), err
		}
	case leaf:
		f.Leaf = func(ctx context.Context, exec any, dst []byte, object any) ([]byte, bool) {
			value := property(object, def.Name)
			if dst, ok := write(ctx, exec, dst, value); value != nil {
				return dst, ok
			}
			return dst, false
		}
	default:
		f.Gather = func(_ any, parents []any, _ map[string]any, to *Gathered) error {
			for _, parent := range parents {
				switch value := property(parent, def.Name).(type) {
				case error:
					return value
				case boom:
					panic("a property")
				default:
					switch {
					case !f.List:
						to.Objects = append(to.Objects, value)
					case value == nil:
						to.Null()
					default:
						f.Elems(value, to)
						to.End()
					}
				}
			}
			return nil
		}
	}
	return f
}

func property(object any, name string) any {
	if t, ok := object.(*thing); ok && t != nil {
		return t.fields[name]
	}
	return nil
}

// engine returns the executor that answers requests over a schema.
func engine(schema graphql.ExecutableSchema) *executor.Executor {
	e := executor.New(schema)
	e.Use(Events{})
	e.SetRecoverFunc(func(_ context.Context, p any) error { return fmt.Errorf("panic of %v", p) })
	return e
}

// ask answers a request as JSON.
func ask(e *executor.Executor, query, operation string, variables map[string]any) string {
	ctx := graphql.StartOperationTrace(context.Background())
	op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: query, OperationName: operation, Variables: variables})
	if errs != nil {
		return "refused: " + strings.TrimSpace(errs.Error())
	}
	respond, ctx := e.DispatchOperation(ctx, op)
	text, err := json.Marshal(respond(ctx))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// check asks the world a query and compares the answer, and, if they are given, the calls of resolvers.
func (w *world) check(t *testing.T, query string, variables map[string]any, want string, calls ...string) {
	t.Helper()
	schema := w.build()
	w.calls = nil
	if diff := cmp.Diff(want, ask(engine(schema), query, "", variables)); diff != "" {
		t.Errorf("the answer (-want +got):\n%s", diff)
	}
	if w.tasks.running != 0 {
		t.Errorf("%d tasks never ended", w.tasks.running)
	}
	if calls != nil {
		slices.Sort(w.calls)
		slices.Sort(calls)
		if diff := cmp.Diff(calls, w.calls); diff != "" {
			t.Errorf("the calls (-want +got):\n%s", diff)
		}
	}
}

// of makes a thing from pairs of names and values.
func of(typ string, pairs ...any) *thing {
	t := &thing{typ, map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		t.fields[pairs[i].(string)] = pairs[i+1]
	}
	return t
}

// list makes a list of any things.
func list(things ...any) []any { return things }

// with returns a world of the same schema with other resolvers too.
func (w *world) with(more map[string]resolver) *world {
	all := maps.Clone(w.resolvers)
	if all == nil {
		all = map[string]resolver{}
	}
	maps.Copy(all, more)
	return &world{sdl: w.sdl, resolvers: all}
}
