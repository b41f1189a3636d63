// Package plantest runs gqlgen's own executor as the test oracle of package plan.
package plantest

import (
	"bytes"
	"context"
	"reflect"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/coercion"
	"twibase/graph/plan"
)

// Gqlgen returns a schema that gqlgen's executor runs. tasks may be nil. Only running resolvers are
// tasks, so loaders may dispatch more batches than with the plan.
func Gqlgen(generated graphql.ExecutableSchema, tasks func(ctx context.Context) plan.Tasks) graphql.ExecutableSchema {
	return &oracle{generated, tasks}
}

type oracle struct {
	graphql.ExecutableSchema
	tasks func(ctx context.Context) plan.Tasks
}

func (o *oracle) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	f := &fields{oracle: o, op: op, others: op.ResolverMiddleware, calls: map[call]int{}}
	op.ResolverMiddleware = f.resolve
	respond := o.ExecutableSchema.Exec(ctx)
	return func(ctx context.Context) *graphql.Response {
		response := respond(ctx)
		if response != nil {
			response.Data = bytes.Clone(response.Data) // gqlgen reuses the buffer for the next event
		}
		return response
	}
}

type fields struct {
	*oracle
	op     *graphql.OperationContext
	others graphql.FieldMiddleware

	mu    sync.Mutex
	calls map[call]int // goroutines that wait for a call
}

type call struct {
	group *graphql.BatchParentGroup
	alias string
}

// resolve checks arguments, because gqlgen reads null as the zero value of a non-null argument, and
// the specification demands an error.
func (f *fields) resolve(ctx context.Context, next graphql.Resolver) (any, error) {
	here := graphql.GetFieldContext(ctx)
	_, err := coercion.Arguments(f.Schema(), here.Field.Definition.Arguments, here.Field.Arguments, f.op.Variables)
	if err != nil {
		return nil, &plan.InputError{Message: err.Error()}
	}
	// A subscription's resolver runs before there is a response with loaders.
	subscribes := f.op.Operation.Operation == ast.Subscription && here.Object == f.Schema().Subscription.Name
	if f.tasks == nil || subscribes {
		return f.others(ctx, next)
	}
	result, err := f.call(ctx, here, next)
	if err != nil {
		return nil, err
	}
	return present(ctx, result, f.tasks(ctx).Await())
}

func (f *fields) call(ctx context.Context, here *graphql.FieldContext, next graphql.Resolver) (any, error) {
	if here.IsResolver {
		defer f.track(ctx, here)()
	}
	return f.others(ctx, next)
}

// present replaces missing lazy objects by null, and returns or adds their errors.
func present(ctx context.Context, result any, missing map[any]error) (any, error) {
	v := reflect.ValueOf(result)
	if err, is := lookup(missing, v); is {
		return nil, err
	}
	if v.Kind() != reflect.Slice || v.IsNil() {
		return result, nil
	}
	list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		if err, is := lookup(missing, v.Index(i)); !is {
			list.Index(i).Set(v.Index(i))
		} else if err != nil {
			graphql.AddError(graphql.WithPathContext(ctx, graphql.NewPathWithIndex(i)), err)
		}
	}
	return list.Interface(), nil
}

func lookup(missing map[any]error, v reflect.Value) (err error, is bool) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Pointer {
		err, is = missing[v.Interface()]
	}
	return err, is
}

// track counts goroutines that share a call as one task.
func (f *fields) track(ctx context.Context, here *graphql.FieldContext) (end func()) {
	tasks, group := f.tasks(ctx), graphql.GetBatchParentGroup(ctx, here.Object)
	if _, inList := graphql.BatchParentIndex(ctx); group == nil || !inList {
		tasks.Start(1)
		return tasks.End
	}
	shared := call{group, here.Field.Alias}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls[shared]++; f.calls[shared] == 1 {
		tasks.Start(1)
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.calls[shared]--; f.calls[shared] == 0 {
			tasks.End()
		}
	}
}
