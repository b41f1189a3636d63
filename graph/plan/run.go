package plan

import (
	"context"
	"fmt"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// A run executes a compiled operation breadth first: it resolves all fields, and then a writer
// (write.go) writes the response in one pass.
//
// # Object sets and columns
//
// Each selection set is applied once, to an object set: all objects that the field above it
// returned, in all of its lists. A column has the value of one field for each object.
//
//	{ users { name friends { name house { street } } } }
//
//	Query          [ root ]
//	  users        [ [a b c] ]            one call of a resolver, with one object
//	                   │   gather: concatenate the lists, and remember where each ends
//	                   ▼
//	User           [ a b c ]
//	  friends      [ [d e] [] [f null] ]  one call of a resolver, with three objects
//	                   │   compact: remove the nulls; index = 0 1 2 -1
//	                   ▼
//	User           [ d e f ]
//	  house        [ h1 h2 h3 ]           no resolver: gathered from the objects
//	                   │
//	                   ▼
//	House          [ h1 h2 h3 ]
//
// Names and streets are leaves without resolvers. They have no column: the writer reads them from
// the objects. A field of an interface or union has an object set for each object type.
//
// # Tasks
//
// A task is the call of a resolver with an object set, and everything below it up to the next
// fields with resolvers, which are the next tasks. They run concurrently. The last of them
// continues in the goroutine of the task above, so a chain of resolvers takes one goroutine.
//
//	users ──► friends ─┬─► likes        likes has a goroutine of its own,
//	                   └─► posts ──►    users, friends and posts share one
//
// Loaders keep the levels together: they dispatch the keys of an operation when each of its tasks
// waits for a loader. [Tasks] counts the running tasks. A loader ends a task while the task waits.
// A run starts the next tasks before it ends the task above them. So if the count is zero, no task
// can add a key.
//
// # Lazy objects
//
// A resolver may return a lazy object, whose row is not loaded yet. A run treats it like any other
// object, because only the writer reads leaves. [Tasks.Await] loads all lazy objects before that.
// The writer writes null for missing objects.
//
// # Errors and nulls
//
// An error or a panic does not stop a run. It is kept in the column, for all objects or for one,
// and nothing is resolved below it. The writer completes its path, and propagates nulls.
//
// # Mutations
//
// The root fields of a mutation run one after the other, each with everything below it, lazy
// objects included.

// Tasks counts the running tasks of an operation. It is safe for concurrent use.
type Tasks interface {
	// Start adds n running tasks, before they run.
	Start(n int)
	// End removes one running task.
	End()
	// Await waits for all lazy objects, and returns missing ones: with an error if loading failed.
	Await() (missing map[any]error)
}

type untracked struct{}

func (untracked) Start(int)            {}
func (untracked) End()                 {}
func (untracked) Await() map[any]error { return nil }

type task struct {
	parents *objectSet
	field   *selection
}

type run struct {
	ctx context.Context
	// resolverCtx is ctx with a response context for resolvers: see [callCtx].
	resolverCtx context.Context
	op          *graphql.OperationContext
	types       *Schema
	schema      *ast.Schema
	exec        any
	tasks       Tasks
	group       sync.WaitGroup
	missing     map[any]error
	memory      *memory
}

func (r *run) root(set *selectionSet, serial bool) *objectSet {
	o := r.rootSet(set)
	if !serial {
		r.finish(r.expand(o, nil))
		return o
	}
	for i := range set.fields {
		if set.fields[i].hasColumn() {
			r.finish(r.field(o, &set.fields[i], nil))
		}
	}
	return o
}

// event executes a subscription for one event.
func (r *run) event(set *selectionSet, value any) *objectSet {
	o := r.rootSet(set)
	s := &set.fields[0]
	col := r.memory.column(s)
	col.values = append(col.values, value)
	r.finish(r.resolved(s, col))
	return o
}

func (r *run) rootSet(set *selectionSet) *objectSet {
	r.memory = set.memory()
	o := r.memory.objectSet(set)
	o.objects = onlyRoot
	return o
}

var onlyRoot = []any{nil}

// finish runs tasks and everything below them, and waits for lazy objects.
func (r *run) finish(tasks []task) {
	if len(tasks) > 0 {
		r.tasks.Start(len(tasks))
		r.do(r.fork(tasks))
	}
	r.group.Wait()
	r.missing = r.tasks.Await()
}

// fork starts a goroutine for each task but the last, and returns the last.
func (r *run) fork(tasks []task) task {
	last := len(tasks) - 1
	for _, t := range tasks[:last] {
		r.group.Go(func() { growStack(); r.do(t) })
	}
	return tasks[last]
}

// growStack grows the stack of a new goroutine to the size that resolvers need. Otherwise the
// runtime doubles and copies it several times, a seventh of the time of a query with thirty aliases
// (BenchmarkEmbedded/3-aliases in bench).
//
//go:noinline
func growStack() {
	var frame [10 << 10]byte
	touch(frame[:])
}

// touch prevents the compiler from removing the frame.
//
//go:noinline
func touch(b []byte) { b[len(b)-1] = 1 }

// do runs a task, then the last of its next tasks, and so on: together they are one running task.
func (r *run) do(t task) {
	for next := r.call(t); len(next) > 0; next = r.call(t) {
		r.tasks.Start(len(next) - 1)
		t = r.fork(next)
	}
	r.tasks.End()
}

// call calls the resolver of a task, and returns the next tasks below it.
func (r *run) call(t task) []task {
	col, n := r.memory.column(t.field), len(t.parents.objects)
	defer r.recovered(col)
	args, err := r.args(t.field)
	if err == nil {
		col.values, err = r.resolve(t, args, col)
	}
	switch list, each := err.(graphql.BatchErrors); {
	case err == nil && len(col.values) != n:
		col.err = fmt.Errorf("the resolver of %s.%s returned %d values for %d parents",
			t.field.field.Object, t.field.Name, len(col.values), n)
	case each && len(list.Errors()) == n && len(col.values) == n:
		col.errs = list.Errors()
	default:
		col.err = err
	}
	if col.err != nil {
		return nil
	}
	return r.resolved(t.field, col)
}

// recovered is deferred: a panic fails the field for all objects.
func (r *run) recovered(col *column) {
	if panicked := recover(); panicked != nil {
		col.err = r.op.Recover(r.ctx, panicked)
	}
}

// resolved returns the next tasks below the values that a resolver returned.
func (r *run) resolved(s *selection, col *column) []task {
	defer r.recovered(col)
	if s.field.Composite == "" {
		return nil
	}
	col.gather(s.field)
	return r.descend(s, col, nil)
}

// expand appends to tasks the next tasks of an object set.
func (r *run) expand(o *objectSet, tasks []task) []task {
	for i := range o.set.fields {
		if o.set.fields[i].hasColumn() {
			tasks = r.field(o, &o.set.fields[i], tasks)
		}
	}
	return tasks
}

// field appends to tasks the next tasks of one field. After a panic it returns tasks unchanged.
func (r *run) field(o *objectSet, s *selection, tasks []task) (more []task) {
	if s.field.hasResolver() {
		return append(tasks, task{o, s})
	}
	col := r.memory.column(s)
	more = tasks
	defer r.recovered(col)
	args, err := r.args(s)
	if err == nil {
		if !s.field.List {
			col.children.Grow(0, len(o.objects))
		}
		err = s.field.Gather(r.exec, o.objects, args, &col.children)
	}
	if err != nil {
		col.err = err
		return tasks
	}
	return r.descend(s, col, tasks)
}

// descend makes object sets of the children of a field, and returns their next tasks too.
func (r *run) descend(s *selection, col *column, tasks []task) []task {
	if s.children == nil {
		return r.split(s, col, tasks)
	}
	col.index = col.children.compact(col.index)
	col.childSet = r.memory.objectSet(s.children)
	if col.childSet.objects = col.children.Objects; len(col.childSet.objects) == 0 {
		return tasks
	}
	return r.expand(col.childSet, tasks)
}

// split makes an object set for each object type of an interface or union.
func (r *run) split(s *selection, col *column, tasks []task) []task {
	var sets []*objectSet
	for _, object := range col.children.Objects {
		o, i := r.pick(s, object), int32(-1)
		if o != nil {
			i = int32(len(o.own)) - 1
		}
		if i == 0 {
			sets = append(sets, o)
		}
		col.childSets, col.index = append(col.childSets, o), append(col.index, i)
	}
	for _, o := range sets {
		o.objects = o.own
		tasks = r.expand(o, tasks)
	}
	return tasks
}

// pick adds an object to the set of its type, and returns the object set; nil for null.
func (r *run) pick(s *selection, object any) *objectSet {
	if object == nil {
		return nil
	}
	object, typ := r.types.TypeOf(object)
	set := s.byType[typ]
	if set == nil {
		return nil // a nil pointer
	}
	o := r.memory.objectSet(set)
	o.own = append(o.own, object)
	return o
}
