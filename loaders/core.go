package loaders

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type (
	get    = hbase.Get
	cell   = hbase.Cell
	page   = hbase.Page
	memory = tables.Memory
)

// Loaders are the reads of one response. What was read once is not read again.
type Loaders struct {
	whole hbase.Store
	store hbase.Store // whole, but for what is gone
	ctx   context.Context

	mu      sync.Mutex
	library *dataloader.Loader[*question, struct{}]
	pending []*question // that the library does not have yet
	answers answers
	last    []*answer // of what was asked last
	turns   turns
	watch   *watch // nil if nobody wants to know what is read
	// mayPromise tells whether objects may be answered before they are read. promises are kept in their order; lost are the objects that came to
	// nothing.
	mayPromise bool
	promises   []*promise
	lost       map[any]error
}

// question is what was asked at one time and not before: to the library it is one key, however many Gets it is.
type question struct {
	answers []answer
	loaded  chan struct{} // closed when the library has it, and thunk is set
	thunk   dataloader.Thunk[struct{}]
	round   int // of the batch that it was put into
}

type loadersKey struct{}

// With returns a ctx whose reads share new Loaders over the store. The reads live as long as ctx, whichever resolver asked
// first: a batch belongs to the response, not to one of its fields.
func With(ctx context.Context, store hbase.Store) context.Context {
	l := &Loaders{whole: store, store: store, ctx: ctx, turns: turns{round: 1}}
	return context.WithValue(ctx, loadersKey{}, l)
}

// Forget lets what was read be read again, after a write. Nothing that was asked for may be on its way.
func Forget(ctx context.Context) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.answers)
	l.last, l.store = nil, l.whole
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
	m, fallback := l.sent(questions)
	defer l.answered(questions)
	m.results, m.err = l.send(questions, m, fallback)
	out := make([]*dataloader.Result[struct{}], len(questions))
	for i := range out {
		out[i] = &dataloader.Result[struct{}]{}
	}
	return out
}

// read answers each request; the errors are nil or index-aligned.
func read(ctx context.Context, loader string, requests []request) ([]*answer, Errors) {
	l := from(ctx)
	answers := l.ask(ctx, loader, requests)
	return answers, l.wait(answers)
}

// pose puts a question into the next batch. The library starts goroutines for the first that it gets, which have nothing to do before the batch is sent: so
// it gets the questions then, unless its timer is what sends them. The caller holds mu.
func (l *Loaders) pose(q *question) {
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
	if l.pending = append(l.pending, q); !l.turns.announced {
		l.load()
	}
	if l.turns.unsent += len(q.answers); l.turns.unsent == len(q.answers) {
		l.turns.begun(l)
	}
}

// load gives the library what is pending. The caller holds mu.
func (l *Loaders) load() {
	for _, q := range l.pending {
		q.thunk = l.library.Load(l.ctx, q)
		close(q.loaded)
	}
	l.pending = l.pending[:0]
}

// Loader reads a V by a K with one Get.
type Loader[K comparable, V any] struct {
	name   string // for reports
	get    func(*memory, K) hbase.Get
	decode func(*memory, K, []hbase.Cell) (V, error)
}

// Load answers the value of each key. The error is nil or an [Errors].
func (l Loader[K, V]) Load(ctx context.Context, keys []K) ([]V, error) { return l.Ask(ctx, keys)() }

// Ask is Load in two halves: it puts the keys into the next batch, and what it returns waits for the answer. What is asked
// before another load is sent together with it.
func (l Loader[K, V]) Ask(ctx context.Context, keys []K) func() ([]V, error) {
	var m memory
	loaders := from(ctx)
	answers := loaders.ask(ctx, l.name, requests(len(keys), func(i int, g *get) { *g = l.get(&m, keys[i]) }))
	return func() ([]V, error) { return l.values(keys, answers, loaders.wait(answers)) }
}

func (l Loader[K, V]) values(keys []K, answers []*answer, list Errors) ([]V, error) {
	values, errs := make([]V, len(keys)), failures{n: len(keys), list: list}
	var m memory
	for i, key := range keys {
		if list != nil && list[i] != nil {
			continue
		}
		var err error
		if values[i], err = l.decode(&m, key, answers[i].cells()); err != nil {
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
