package plan

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/99designs/gqlgen/graphql"
)

// Tasks counts running tasks, and is safe for concurrent use. A loader calls End before it waits
// for an answer, and Start(1) before the waiting call returns.
type Tasks interface {
	Start(n int) // before n tasks run
	End()
	// Await waits until all lazy objects are loaded. It returns the objects missing so far, each
	// with the error of its read, or nil if the row does not exist.
	Await() (missing map[any]error)
}

type untracked struct{}

func (untracked) Start(int) {}
func (untracked) End()      {}

func (untracked) Await() map[any]error { return nil } // without loaders there are no lazy objects

// task calls a batch resolver with all parents, or a resolver of one parent for each: resolveEach.
type task struct {
	parents *objectSet
	field   *selection
}

// A run resolves the columns of a response. These are its functions, from a task to the next ones:
//
//	execute ──► expand ──► finish ──► do ──► call ──► nextTasks ──► descend ──► expand
//	                                                                ▲             │
//	                                                                └─── gather ◄─┴─► a task
//
// expand makes a task of each field with a resolver, and gathers the objects of the others.
// executeEvent starts with nextTasks.
type run struct {
	request
	// resolverCtx is for resolvers: see [callCtx].
	resolverCtx context.Context
	types       *Schema
	tasks       Tasks
	group       sync.WaitGroup
	missing     map[any]error
	compiled    *operation
	results     *results
	slots       writeSlots
}

func (r *run) execute(serial bool) *objectSet {
	o := r.root()
	if !serial {
		r.finish(r.expand(o, nil))
		return o
	}
	for i := range o.set.fields {
		if s := &o.set.fields[i]; s.hasColumn() {
			r.finish(r.field(o, s, nil))
		}
	}
	return o
}

// executeEvent executes an event: value is the value of the root field.
func (r *run) executeEvent(value any) *objectSet {
	o := r.root()
	s := &o.set.fields[0]
	col := r.results.column(s)
	col.values = []any{value}
	r.finish(r.nextTasks(s, col))
	return o
}

func (r *run) root() *objectSet {
	o := r.results.objectSet(r.compiled.root)
	o.objects = onlyRoot
	return o
}

var onlyRoot = []any{root{}}

func (r *run) finish(tasks []task) {
	if len(tasks) > 0 {
		r.tasks.Start(len(tasks))
		r.do(r.fork(tasks))
	}
	r.group.Wait()
	r.missing = r.tasks.Await()
}

func (r *run) fork(tasks []task) task {
	last := len(tasks) - 1
	for _, t := range tasks[:last] {
		r.group.Go(func() { growStack(); r.do(t) })
	}
	return tasks[last]
}

// growStack grows the stack of a new goroutine to the size that resolvers need: see task-stack in
// 'go -C bench run . without'.
//
//go:noinline
func growStack() {
	var frame [10 << 10]byte
	runtime.KeepAlive(&frame)
}

// do runs a task, then the last of its next tasks, and so on, as one task of [Tasks].
func (r *run) do(t task) {
	for next := r.call(t); len(next) > 0; next = r.call(t) {
		r.tasks.Start(len(next) - 1)
		t = r.fork(next)
	}
	r.tasks.End()
}

func (r *run) call(t task) []task {
	col, n := r.results.column(t.field), len(t.parents.objects)
	defer r.recoverTo(r.ctx, &col.err)
	args, err := r.args(t.field)
	if err == nil {
		col.values, err = r.resolve(t, args, col)
	}
	switch list, isList := err.(graphql.BatchErrors); {
	case err == nil && len(col.values) != n:
		col.err = fmt.Errorf("the resolver of %s.%s returned %d values for %d parents",
			t.field.field.Object, t.field.Name, len(col.values), n)
	case isList && len(list.Errors()) == n && len(col.values) == n:
		col.errs = list.Errors()
	default:
		col.err = err
	}
	if col.err != nil {
		return nil
	}
	return r.nextTasks(t.field, col)
}

func (r *run) nextTasks(s *selection, col *column) []task {
	defer r.recoverTo(r.ctx, &col.err)
	if s.field.Composite == "" {
		return nil
	}
	col.takeChildren(s.field)
	return r.descend(s, col, nil)
}

func (r *run) expand(o *objectSet, tasks []task) []task {
	for i := range o.set.fields {
		if o.set.fields[i].hasColumn() {
			tasks = r.field(o, &o.set.fields[i], tasks)
		}
	}
	return tasks
}

// field appends the task of a field or, without a resolver, the tasks below it.
func (r *run) field(o *objectSet, s *selection, tasks []task) []task {
	if s.field.hasResolver() {
		return append(tasks, task{o, s})
	}
	col := r.results.column(s)
	if col.err = r.gather(o, s, col); col.err != nil {
		return tasks
	}
	return r.descend(s, col, tasks)
}

func (r *run) gather(o *objectSet, s *selection, col *column) (err error) {
	defer r.recoverTo(r.ctx, &err)
	args, err := r.args(s)
	if err != nil {
		return err
	}
	if !s.field.List {
		col.children.Grow(0, len(o.objects))
	}
	return s.field.Gather(r.exec, o.objects, args, &col.children)
}

func (r *run) descend(s *selection, col *column, tasks []task) []task {
	if s.below == nil {
		sets, err := r.splitByType(s, col)
		if col.err = err; err != nil {
			return tasks
		}
		for _, o := range sets {
			tasks = r.expand(o, tasks)
		}
		return tasks
	}
	col.index = col.children.compact()
	col.childSet = r.results.objectSet(s.below)
	if col.childSet.objects = col.children.Objects; len(col.childSet.objects) == 0 {
		return tasks
	}
	return r.expand(col.childSet, tasks)
}

// splitByType returns the object sets of the children of a field with an abstract type. If it does
// not know the type of an object, the whole field fails.
func (r *run) splitByType(s *selection, col *column) (sets []*objectSet, err error) {
	defer r.recoverTo(r.ctx, &err)
	n := len(col.children.Objects)
	col.childSets, col.index = make([]*objectSet, n), make([]int32, n)
	for j, object := range col.children.Objects {
		typ := ""
		if object != nil {
			object, typ = r.types.TypeOf(object)
		}
		if typ == "" {
			col.index[j] = -1
			continue
		}
		set := s.byType[typ]
		if set == nil {
			f := s.field
			err := fmt.Errorf("%s.%s returned a %s, which is no %s", f.Object, f.Name, typ, f.Composite)
			col.failChild(int32(j), err)
			continue
		}
		o := r.results.objectSet(set)
		if len(o.objects) == 0 {
			sets = append(sets, o)
		}
		col.childSets[j], col.index[j] = o, int32(len(o.objects))
		o.objects = append(o.objects, object)
	}
	return sets, nil
}
