package loaders

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/stack"
)

type (
	get    = hbase.Get
	cell   = hbase.Cell
	page   = hbase.Page
	memory = tables.Memory
)

// Loaders are the reads of one response. What was read once is not read again.
type Loaders struct {
	store hbase.Store
	ctx   context.Context

	mu      sync.Mutex
	library *dataloader.Loader[*question, struct{}]
	answers answers
	turns   turns
	watch   *watch // nil if nobody wants to know what is read
	// promises are kept in their order; lost are the objects that came to nothing.
	promises []*promise
	lost     map[any]error
}

// question is what was asked at one time and not before: to the library it is one key, however many Gets it is.
type question struct {
	answers []answer
	thunk   dataloader.Thunk[struct{}]
	round   int // of the batch that it was put into
}

// answer is what a Get was, or will be, answered with.
type answer struct {
	of      *question
	get     *hbase.Get
	cells   []hbase.Cell
	err     error
	waiting int // tasks that wait for it
	done    bool
}

type loadersKey struct{}

// With returns a ctx whose reads share new Loaders over the store. The reads live as long as ctx, whichever resolver asked
// first: a batch belongs to the response, not to one of its fields.
func With(ctx context.Context, store hbase.Store) context.Context {
	l := &Loaders{store: store, ctx: ctx, answers: answers{}, turns: turns{round: 1}}
	return context.WithValue(ctx, loadersKey{}, l)
}

// Forget lets what was read be read again, after a write. Nothing that was asked for may be on its way.
func Forget(ctx context.Context) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.answers)
	if l.watch != nil {
		l.watch.forget()
	}
}

func from(ctx context.Context) *Loaders {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok {
		panic("loaders: a resolver was called without loaders.With")
	}
	return l
}

// batch sends what was collected as one call of the store.
func (l *Loaders) batch(questions []*question) []*dataloader.Result[struct{}] {
	stack.Grow()
	fallback := l.sent(questions)
	defer l.answered(questions)
	gets := together(questions)
	sent := merge(gets)
	results, err := l.send(gets, &sent, fallback)
	out, i := make([]*dataloader.Result[struct{}], len(questions)), 0
	for j, q := range questions {
		for k := range q.answers {
			if a := &q.answers[k]; err != nil {
				a.err = err
			} else {
				result := &results[sent.of[i]]
				a.cells, a.err = sent.answer(i, a.get, result.Cells), result.Err
			}
			i++
		}
		out[j] = &dataloader.Result[struct{}]{}
	}
	return out
}

// together returns the gets of all questions, one after the other.
func together(questions []*question) []*hbase.Get {
	n := 0
	for _, q := range questions {
		n += len(q.answers)
	}
	gets := make([]*hbase.Get, 0, n)
	for _, q := range questions {
		for i := range q.answers {
			gets = append(gets, q.answers[i].get)
		}
	}
	return gets
}

// read answers the cells of each get; the errors are nil or index-aligned.
func read(ctx context.Context, loader string, gets []hbase.Get) ([][]hbase.Cell, Errors) {
	l := from(ctx)
	return l.wait(l.ask(ctx, loader, gets))
}

// ask puts gets of a loader into the next batch, unless they were asked for before, without waiting for it. The gets stay as they are.
func (l *Loaders) ask(ctx context.Context, loader string, gets []hbase.Get) []*answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch != nil {
		l.watch.asked(ctx, loader, gets)
	}
	all := make([]*answer, len(gets))
	var q *question
	for i := range gets {
		g := &gets[i]
		known, place := l.answers.find(g)
		if all[i] = known; known != nil {
			continue
		}
		if q == nil {
			q = &question{answers: make([]answer, 0, len(gets)-i), round: l.turns.round}
		}
		q.answers = append(q.answers, answer{of: q, get: g})
		all[i] = &q.answers[len(q.answers)-1]
		l.answers[place] = all[i]
	}
	if q != nil {
		l.pose(ctx, q)
	}
	return all
}

// answers are found by what they answer. The keys are hashes, for gets are large; one whose place is taken has the next one.
type answers map[uint64]*answer

var seed = maphash.MakeSeed()

// find returns the answer of a get or, if there is none, its place. The hash is of what mostly tells the gets of a response apart.
func (a answers) find(g *hbase.Get) (known *answer, place uint64) {
	place = maphash.String(seed, g.Row) + maphash.String(seed, g.Page.Start) + uint64(g.Page.Limit)<<32
	for ; ; place++ {
		if known = a[place]; known == nil || *known.get == *g {
			return known, place
		}
	}
}

// pose puts a question into the next batch. The caller holds mu.
func (l *Loaders) pose(ctx context.Context, q *question) {
	if l.library == nil {
		l.library = dataloader.NewBatchedLoader(
			func(_ context.Context, questions []*question) []*dataloader.Result[struct{}] {
				return l.batch(questions)
			},
			dataloader.WithCache[*question, struct{}](&dataloader.NoCache[*question, struct{}]{}),
			dataloader.WithWait[*question, struct{}](l.turns.window()),
			dataloader.WithInputCapacity[*question, struct{}](8),
		)
	}
	q.thunk = l.library.Load(ctx, q)
	if l.turns.unsent += len(q.answers); l.turns.unsent == len(q.answers) {
		l.turns.begun(l)
	}
}

// wait answers what was asked for.
func (l *Loaders) wait(answers []*answer) ([][]hbase.Cell, Errors) {
	cells, errs := make([][]hbase.Cell, len(answers)), failures{n: len(answers)}
	next := 0
	var last *question
	var panicked error // of its batch
	for i, a := range answers {
		if i == next {
			next = l.block(answers, i)
		}
		if a.of != last {
			last = a.of
			_, panicked = last.thunk()
		}
		if cells[i] = a.cells; panicked != nil {
			errs.set(i, panicked)
		} else if a.err != nil {
			errs.set(i, a.err)
		}
	}
	return cells, errs.list
}

// Loader reads a V by a K with one Get.
type Loader[K comparable, V any] struct {
	name   string // for reports
	get    func(K) hbase.Get
	decode func(*memory, K, []hbase.Cell) (V, error)
}

// Load answers the value of each key. The error is nil or an [Errors].
func (l Loader[K, V]) Load(ctx context.Context, keys []K) ([]V, error) { return l.Ask(ctx, keys)() }

// Ask is Load in two halves: it puts the keys into the next batch, and what it returns waits for the answer. What is asked
// before another load is sent together with it.
func (l Loader[K, V]) Ask(ctx context.Context, keys []K) func() ([]V, error) {
	gets := make([]hbase.Get, len(keys))
	for i, key := range keys {
		gets[i] = l.get(key)
	}
	loaders := from(ctx)
	answers := loaders.ask(ctx, l.name, gets)
	return func() ([]V, error) {
		cells, list := loaders.wait(answers)
		return l.values(keys, cells, list)
	}
}

func (l Loader[K, V]) values(keys []K, cells [][]hbase.Cell, list Errors) ([]V, error) {
	values, errs := make([]V, len(keys)), failures{n: len(keys), list: list}
	var m memory
	for i, key := range keys {
		if list != nil && list[i] != nil {
			continue
		}
		var err error
		if values[i], err = l.decode(&m, key, cells[i]); err != nil {
			errs.set(i, err)
		}
	}
	return values, errs.err()
}

// Errors are the errors of a plural load: index-aligned with its keys, nil where a key was loaded.
type Errors []error

// Error implements error by naming the first failure.
func (e Errors) Error() string {
	failed, first := 0, error(nil)
	for _, err := range e {
		if err != nil {
			if failed++; first == nil {
				first = err
			}
		}
	}
	return fmt.Sprintf("%d of %d keys failed, the first with: %v", failed, len(e), first)
}

// Errors returns the list itself: it is how gqlgen asks for the error of each item of a batch.
func (e Errors) Errors() []error { return e }

// Unwrap makes errors.Is see every failure.
func (e Errors) Unwrap() []error { return e }

// At returns the error of item i in what a plural load returned.
func At(err error, i int) error {
	if err == nil {
		return nil
	}
	if list, ok := err.(Errors); ok {
		return list[i]
	}
	if list := Errors(nil); errors.As(err, &list) {
		return list[i]
	}
	return err
}

// Join returns the errors of several plural loads of the same n things: nil or index-aligned, for each thing its first.
func Join(n int, errs ...error) error {
	all := failures{n: n}
	for _, err := range errs {
		if err == nil {
			continue
		}
		for i := range n {
			if e := At(err, i); e != nil && (all.list == nil || all.list[i] == nil) {
				all.set(i, e)
			}
		}
	}
	return all.err()
}

// failures collects the errors of n items, and costs nothing while there are none.
type failures struct {
	n    int
	list Errors
}

func (f *failures) set(i int, err error) {
	if f.list == nil {
		f.list = make(Errors, f.n)
	}
	f.list[i] = err
}

func (f *failures) err() error {
	if f.list == nil {
		return nil
	}
	return f.list
}
