package plan

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/coercion"
)

// Tasks is told how many tasks of an operation are running, so that whoever batches their reads knows when all of them wait.
type Tasks interface {
	// Start announces n more running tasks. It is called before they run.
	Start(n int)
	// End takes one task away.
	End()
	// Promise lets resolvers answer objects before they are read, from now on.
	Promise()
	// Finish waits until the objects that resolvers answered before they were read are whole. It returns those that turned out
	// not to exist and, with an error, those that could not be read.
	Finish() (lost map[any]error)
}

// untracked is the tracker of operations that need none.
type untracked struct{}

func (untracked) Start(int)             {}
func (untracked) End()                  {}
func (untracked) Promise()              {}
func (untracked) Finish() map[any]error { return nil }

// batch is all objects to which a node is applied.
type batch struct {
	node    *node
	objects []any
	columns []column // one for each stored field
	own     []any    // the objects, if they were found among others of other types
}

// column is what one field is for all objects of a batch.
type column struct {
	values []any // what the resolver returned
	found  Gathered
	// err is what the resolver failed with: for all objects, or for each that errs names.
	err  error
	errs []error
	// added are errors that the resolver added for an object, beside what it returned.
	added map[int32][]addedError
	// kid holds the objects that the field leads to, of[j] if their types differ. at[j] is the index there of the j-th that was found, -1 for
	// null; it is nil if that is j.
	kid *batch
	of  []*batch
	at  []int32
}

// task is a resolver that is to be called with all objects of a batch.
type task struct {
	batch *batch
	field *selected
}

// run is one execution of an operation.
type run struct {
	ctx   context.Context
	op    *graphql.OperationContext
	types *Schema
	// schema is the parsed schema.
	schema *ast.Schema
	exec   any
	tasks  Tasks
	group  sync.WaitGroup
	lost   map[any]error
	frame  *frame
}

// root executes the root fields, all at once or, if they are serial, one after the other, each with all that is below it.
func (r *run) root(n *node, serial bool) *batch {
	r.frame = n.frame()
	b := r.frame.batch(n)
	b.objects = onlyRoot
	if !serial {
		r.start(r.expand(b, nil))
		r.group.Wait()
		r.lost = r.tasks.Finish()
		return b
	}
	for i := range n.fields {
		if n.fields[i].slot >= 0 {
			r.start(r.field(b, &n.fields[i], nil))
			r.group.Wait()
			r.lost = r.tasks.Finish()
		}
	}
	return b
}

// onlyRoot are the objects of the root's batch.
var onlyRoot = []any{nil}

// expand follows all fields of a batch that need no resolver, and adds those that do to the tasks.
func (r *run) expand(b *batch, tasks []task) []task {
	for i := range b.node.fields {
		if b.node.fields[i].slot >= 0 {
			tasks = r.field(b, &b.node.fields[i], tasks)
		}
	}
	return tasks
}

// field follows one field, or adds it to the tasks. They stay as they were if it panics.
func (r *run) field(b *batch, s *selected, tasks []task) (more []task) {
	if s.field.resolved() {
		return append(tasks, task{b, s})
	}
	col := &b.columns[s.slot]
	more = tasks
	defer r.recovered(col)
	args, err := r.args(s)
	if !s.field.List {
		col.found.Objects = slices.Grow(col.found.Objects, len(b.objects))
	}
	if err == nil {
		err = s.field.Gather(r.exec, b.objects, args, &col.found)
	}
	if err != nil {
		col.err = err
		return tasks
	}
	return r.descend(s, col, tasks)
}

// start runs tasks side by side, the last of them here: a level with one resolver costs no goroutine.
func (r *run) start(tasks []task) {
	if len(tasks) == 0 {
		return
	}
	r.tasks.Start(len(tasks))
	last := len(tasks) - 1
	for _, t := range tasks[:last] {
		r.group.Go(func() { r.do(t) })
	}
	r.do(tasks[last])
}

// do calls a resolver and goes on with what it returned.
func (r *run) do(t task) {
	next := r.call(t)
	for len(next) > 0 {
		// The last of the next tasks goes on in this one's turn.
		last := len(next) - 1
		r.tasks.Start(last)
		for _, other := range next[:last] {
			r.group.Go(func() { r.do(other) })
		}
		next = r.call(next[last])
	}
	r.tasks.End()
}

func (r *run) call(t task) []task {
	col := &t.batch.columns[t.field.slot]
	defer r.recovered(col)
	args, err := r.args(t.field)
	if err == nil {
		col.values, err = r.resolve(t, args, col)
	}
	if err != nil {
		col.fail(err, len(t.batch.objects))
	} else if len(col.values) != len(t.batch.objects) {
		col.err = fmt.Errorf("the resolver of %s.%s returned %d values for %d parents",
			t.field.field.Object, t.field.Name, len(col.values), len(t.batch.objects))
	}
	if t.field.field.To == "" || col.err != nil {
		return nil
	}
	col.gather(t.field.field)
	return r.descend(t.field, col, nil)
}

// recovered is deferred where foreign code is called: a panic fails the field for all objects.
func (r *run) recovered(col *column) {
	if panicked := recover(); panicked != nil {
		col.err = r.op.Recover(r.ctx, panicked)
	}
}

// fail notes what a resolver failed with.
func (c *column) fail(err error, n int) {
	if list, ok := err.(graphql.BatchErrors); ok && len(list.Errors()) == n && len(c.values) == n {
		c.errs = list.Errors()
		return
	}
	c.err = err
}

// args returns the coerced arguments of a field. An error is the field's: its resolver is not called.
func (r *run) args(s *selected) (args map[string]any, err error) {
	if s.field.Args == nil {
		return nil, nil
	}
	if s.constant != nil {
		if known := s.constant.Load(); known != nil {
			return *known, nil
		}
	}
	raw, err := coercion.Arguments(r.schema, s.Definition.Arguments, s.Arguments, r.op.Variables)
	if err != nil {
		return nil, &InputError{err.Error()}
	}
	ctx := graphql.WithUnmarshalerMap(r.ctx, graphql.BuildUnmarshalerMap())
	args, err = s.field.Args(ctx, r.exec, raw)
	if s.constant != nil && err == nil {
		kept := args
		s.constant.Store(&kept)
	}
	return args, err
}

// within returns the ctx in which a field is resolved.
func (r *run) within(s *selected, args map[string]any) context.Context {
	field := &graphql.FieldContext{Object: s.field.Object, Field: s.CollectedField, Args: args, IsMethod: true, IsResolver: true}
	ctx := graphql.WithFieldContext(r.ctx, field)
	field.Parent = s.in
	return ctx
}

// descend makes batches of the objects that a field led to, and expands them.
func (r *run) descend(s *selected, col *column, tasks []task) []task {
	if s.only == nil {
		return r.sort(s, col, tasks)
	}
	col.at = col.found.compact(col.at)
	col.kid = r.frame.batch(s.only)
	if col.kid.objects = col.found.Objects; len(col.kid.objects) == 0 {
		return tasks
	}
	return r.expand(col.kid, tasks)
}

// sort is descend for objects of several types: a batch of each.
func (r *run) sort(s *selected, col *column, tasks []task) []task {
	objects := col.found.Objects
	var order []*batch
	for _, object := range objects {
		if col.of, col.at = append(col.of, nil), append(col.at, -1); object == nil {
			continue
		}
		object, typ := r.types.object(object)
		n := s.below[typ]
		if n == nil {
			continue // a nil of some type
		}
		kid := r.frame.batch(n)
		if len(kid.own) == 0 {
			order = append(order, kid)
		}
		col.of[len(col.of)-1], col.at[len(col.at)-1] = kid, int32(len(kid.own))
		kid.own = append(kid.own, object)
	}
	for _, kid := range order {
		kid.objects = kid.own
		tasks = r.expand(kid, tasks)
	}
	return tasks
}
