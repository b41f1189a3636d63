package plan

import (
	"context"
	"fmt"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// A run executes a compiled operation breadth first. It resolves everything, and then a writer (write.go) appends the answer in
// one pass.
//
// # Batches and columns
//
// Each selection set of the operation is applied once, to a batch: all the objects that the field above it led to, whatever
// lists they are in. A field that is no plain leaf has a column in the batch: what the field is for each of the objects.
//
//	{ users { name friends { name house { street } } } }
//
//	batch of Query   [ root ]
//	  column users     [ [a b c] ]            a resolver, called with one object
//	                       │   gather: the lists one after the other, and where each ends
//	                       ▼
//	batch of User    [ a b c ]
//	  column friends   [ [d e] [] [f null] ]  a resolver, called with three objects
//	                       │   compact: without the nulls; at = 0 1 2 -1
//	                       ▼
//	batch of User    [ d e f ]
//	  column house     [ h1 h2 h3 ]           no resolver: followed at once
//	                       │
//	                       ▼
//	batch of House   [ h1 h2 h3 ]
//
// The names and streets have no column: the writer takes them from the objects. Where a field leads to an interface or a union
// there is a batch for each object type, and the column says in which batch each object is.
//
// # Tasks
//
// A call of a resolver with a batch is a task, and so is all that follows from it without a resolver. What follows ends at the
// next fields with resolvers, which are the next tasks. They run side by side, each in a goroutine, but for the last: it goes on
// in the goroutine of the task that led to it. So a chain of resolvers takes one goroutine, however many objects it has.
//
// No task waits for another. What keeps the levels together is the loaders: all keys of an operation leave at the moment when
// every task of it waits for a loader. [Tasks] knows when that is. It counts the tasks that run: the run adds the next tasks
// before it ends the one that led to them, and a loader takes a task away while it waits. When the count is zero nothing can add
// a key, and the loaders dispatch.
//
// # Lazy objects
//
// A resolver may return an object before it is loaded: one of which only the key is known. The run treats it as any other. Its
// leaves are not read before the writer comes, and by then [Tasks.Await] has loaded all of them. Those that turned out not to
// exist, or could not be loaded, are missing: the writer writes null in their place.
//
// # Errors and nulls
//
// An error, or a panic, never stops a run. It stays in the column, for all objects or for one, and nothing below it is
// resolved. The writer gives it its path, which it alone knows, and propagates nulls: where a field can't be null and is, it
// takes back what it has appended of the object.
//
// # Mutations
//
// Their root fields run one after the other, each with everything below it, lazy objects included.

// Tasks tracks the tasks of an operation, so that loaders know when all of them wait. It is safe for concurrent use.
type Tasks interface {
	// Start adds n running tasks. It is called before they run.
	Start(n int)
	// End takes one running task away.
	End()
	// Await waits until all lazy objects are loaded. It returns the missing ones, with an error if they could not be loaded.
	Await() (missing map[any]error)
}

// untracked is the tracker of operations that need none.
type untracked struct{}

func (untracked) Start(int)            {}
func (untracked) End()                 {}
func (untracked) Await() map[any]error { return nil }

// task is a resolver that is to be called with all objects of a batch.
type task struct {
	batch *batch
	field *selection
}

// run is one execution of an operation.
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

// root executes the root fields: all at once or, if they are serial, one after the other.
func (r *run) root(set *selectionSet, serial bool) *batch {
	b := r.rootBatch(set)
	if !serial {
		r.finish(r.expand(b, nil))
		return b
	}
	for i := range set.fields {
		if set.fields[i].hasColumn() {
			r.finish(r.field(b, &set.fields[i], nil))
		}
	}
	return b
}

// event executes what is selected of an event of a subscription.
func (r *run) event(set *selectionSet, value any) *batch {
	b := r.rootBatch(set)
	s := &set.fields[0]
	col := r.memory.column(s)
	col.values = append(col.values, value)
	r.finish(r.into(s, col))
	return b
}

// rootBatch returns the batch of the root's only object, which is nil.
func (r *run) rootBatch(set *selectionSet) *batch {
	r.memory = set.memory()
	b := r.memory.batch(set)
	b.objects = onlyRoot
	return b
}

var onlyRoot = []any{nil}

// finish runs tasks, the last of them in this goroutine, and all that follows from them.
func (r *run) finish(tasks []task) {
	if len(tasks) > 0 {
		r.tasks.Start(len(tasks))
		r.do(r.fork(tasks))
	}
	r.group.Wait()
	r.missing = r.tasks.Await()
}

// fork starts a goroutine for each task but the last, and returns that.
func (r *run) fork(tasks []task) task {
	last := len(tasks) - 1
	for _, t := range tasks[:last] {
		r.group.Go(func() { growStack(); r.do(t) })
	}
	return tasks[last]
}

// growStack makes the stack of a new goroutine large enough for a resolver at once. Otherwise the runtime
// doubles it several times, and copies what is on it each time, a seventh of the time of a query with thirty aliases
// (BenchmarkEmbedded/3-aliases in bench).
//
//go:noinline
func growStack() {
	var frame [10 << 10]byte
	touch(frame[:])
}

// touch keeps the frame on the stack, and the compiler from leaving it out.
//
//go:noinline
func touch(b []byte) { b[len(b)-1] = 1 }

// do does a task, and as the same task the last of those that it leads to, and so on.
func (r *run) do(t task) {
	for next := r.call(t); len(next) > 0; next = r.call(t) {
		r.tasks.Start(len(next) - 1)
		t = r.fork(next)
	}
	r.tasks.End()
}

// call calls a resolver, follows what it returned, and returns the tasks to which that leads.
func (r *run) call(t task) []task {
	col, n := r.memory.column(t.field), len(t.batch.objects)
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
	return r.into(t.field, col)
}

// recovered is deferred where generated code and resolvers are called: a panic fails the field for all objects.
func (r *run) recovered(col *column) {
	if panicked := recover(); panicked != nil {
		col.err = r.op.Recover(r.ctx, panicked)
	}
}

// into expands the objects of the values that a resolver returned.
func (r *run) into(s *selection, col *column) []task {
	defer r.recovered(col)
	if s.field.To == "" {
		return nil
	}
	col.gather(s.field)
	return r.descend(s, col, nil)
}

// expand follows all fields of a batch without resolvers, and adds those with resolvers to the tasks.
func (r *run) expand(b *batch, tasks []task) []task {
	for i := range b.set.fields {
		if b.set.fields[i].hasColumn() {
			tasks = r.field(b, &b.set.fields[i], tasks)
		}
	}
	return tasks
}

// field follows one field, or adds it to the tasks. If it panics the tasks stay as they were.
func (r *run) field(b *batch, s *selection, tasks []task) (more []task) {
	if s.field.resolved() {
		return append(tasks, task{b, s})
	}
	col := r.memory.column(s)
	more = tasks
	defer r.recovered(col)
	args, err := r.args(s)
	if err == nil {
		if !s.field.List {
			col.found.Room(0, len(b.objects))
		}
		err = s.field.Gather(r.exec, b.objects, args, &col.found)
	}
	if err != nil {
		col.err = err
		return tasks
	}
	return r.descend(s, col, tasks)
}

// descend makes batches of the objects that a field led to, and expands them.
func (r *run) descend(s *selection, col *column, tasks []task) []task {
	if s.only == nil {
		return r.split(s, col, tasks)
	}
	col.at = col.found.compact(col.at)
	col.batch = r.memory.batch(s.only)
	if col.batch.objects = col.found.Objects; len(col.batch.objects) == 0 {
		return tasks
	}
	return r.expand(col.batch, tasks)
}

// split makes a batch for each object type of an interface or union, and expands them in the order of their first objects.
func (r *run) split(s *selection, col *column, tasks []task) []task {
	var batches []*batch
	for _, object := range col.found.Objects {
		b, i := r.pick(s, object), int32(-1)
		if b != nil {
			i = int32(len(b.own)) - 1
		}
		if i == 0 {
			batches = append(batches, b)
		}
		col.batches, col.at = append(col.batches, b), append(col.at, i)
	}
	for _, b := range batches {
		b.objects = b.own
		tasks = r.expand(b, tasks)
	}
	return tasks
}

// pick adds an object to the batch of its type. It returns nil for null.
func (r *run) pick(s *selection, object any) *batch {
	if object == nil {
		return nil
	}
	object, typ := r.types.TypeOf(object)
	set := s.below[typ]
	if set == nil {
		return nil // a nil pointer of some type
	}
	b := r.memory.batch(set)
	b.own = append(b.own, object)
	return b
}
