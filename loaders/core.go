package loaders

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

type (
	get  = hbase.Get
	cell = hbase.Cell
	page = hbase.Page
)

// Loaders are the reads of one response. What was read once is not read again.
type Loaders struct {
	store hbase.Store
	ctx   context.Context

	mu      sync.Mutex
	gets    *dataloader.Loader[hbase.Get, []hbase.Cell]
	answers map[hbase.Get]*answer
	turns   turns
	watch   *watch // nil if nobody wants to know what is read
	// promises are kept in their order; lost are the objects that came to nothing.
	promises []*promise
	lost     map[any]error
}

// answer is what a Get was, or will be, answered with.
type answer struct {
	thunk   dataloader.Thunk[[]hbase.Cell]
	round   int // of the batch that it was put into
	waiting int // tasks that wait for it
	done    bool
}

type loadersKey struct{}

// With returns a ctx whose reads share new Loaders over the store. The reads live as long as ctx, whichever resolver asked
// first: a batch belongs to the response, not to one of its fields.
func With(ctx context.Context, store hbase.Store) context.Context {
	l := &Loaders{store: store, ctx: ctx, answers: map[hbase.Get]*answer{}, turns: turns{round: 1}}
	return context.WithValue(ctx, loadersKey{}, l)
}

func from(ctx context.Context) *Loaders {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok {
		panic("loaders: a resolver was called without loaders.With")
	}
	return l
}

// batch sends what was collected as one call of the store.
func (l *Loaders) batch(gets []hbase.Get) []*dataloader.Result[[]hbase.Cell] {
	fallback := l.sent(gets)
	defer l.answered(gets)
	sent := merge(gets)
	results, err := l.send(gets, &sent, fallback)
	out := make([]*dataloader.Result[[]hbase.Cell], len(gets))
	all := make([]dataloader.Result[[]hbase.Cell], len(gets))
	for i := range gets {
		if out[i] = &all[i]; err != nil {
			all[i].Error = err
		} else {
			result := &results[sent.of[i]]
			all[i].Data, all[i].Error = sent.answer(i, &gets[i], result.Cells), result.Err
		}
	}
	return out
}

// read answers the cells of each get; the errors are nil or index-aligned.
func read(ctx context.Context, loader string, gets []hbase.Get) ([][]hbase.Cell, Errors) {
	l := from(ctx)
	return l.wait(l.ask(ctx, loader, gets))
}

// ask puts gets of a loader into the next batch, unless they were asked for before, without waiting for it.
func (l *Loaders) ask(ctx context.Context, loader string, gets []hbase.Get) []*answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch != nil {
		l.watch.asked(ctx, loader, gets)
	}
	if l.gets == nil {
		l.gets = dataloader.NewBatchedLoader(
			func(_ context.Context, gets []hbase.Get) []*dataloader.Result[[]hbase.Cell] { return l.batch(gets) },
			dataloader.WithCache[hbase.Get, []hbase.Cell](&dataloader.NoCache[hbase.Get, []hbase.Cell]{}),
			dataloader.WithWait[hbase.Get, []hbase.Cell](l.turns.window()),
			dataloader.WithInputCapacity[hbase.Get, []hbase.Cell](64),
		)
	}
	answers := make([]*answer, len(gets))
	for i, g := range gets {
		a := l.answers[g]
		if a == nil {
			a = &answer{thunk: l.gets.Load(ctx, g), round: l.turns.round}
			l.answers[g] = a
			if l.turns.unsent++; l.turns.unsent == 1 {
				l.turns.begun(l)
			}
		}
		answers[i] = a
	}
	return answers
}

// wait answers what was asked for.
func (l *Loaders) wait(answers []*answer) ([][]hbase.Cell, Errors) {
	cells, errs := make([][]hbase.Cell, len(answers)), failures{n: len(answers)}
	next := 0
	for i, a := range answers {
		if i == next {
			next = l.block(answers, i)
		}
		var err error
		if cells[i], err = a.thunk(); err != nil {
			errs.set(i, err)
		}
	}
	return cells, errs.list
}

// Loader reads a V by a K with one Get.
type Loader[K comparable, V any] struct {
	name   string // for reports
	get    func(K) hbase.Get
	decode func(K, []hbase.Cell) (V, error)
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
	for i, key := range keys {
		if list != nil && list[i] != nil {
			continue
		}
		var err error
		if values[i], err = l.decode(key, cells[i]); err != nil {
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
