package loaders

import (
	"context"
	"sync"
	"sync/atomic"
)

// Where the executor writes its answer at the end, an object is answered before its row is read: with its key alone, and a promise that the rest will be
// there by then. So a row is read in the same round as the lists of its owner, which need no more than the key.

// promise is a set of rows that were asked for and not waited for.
type promise struct {
	answers []*answer
	keep    func(Errors)
	once    sync.Once
	kept    atomic.Bool
}

func (l *Loaders) promising() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mayPromise
}

// promise returns the objects of these keys as far as the keys tell.
func (o Object[T]) promise(ctx context.Context, l *Loaders, keys []string, columns string) []*T {
	objects := o.of.Promise(keys...)
	var m memory
	p := &promise{answers: l.ask(ctx, o.name, requests(len(keys), func(i int, g *get) { *g = o.of.GetIn(&m, keys[i], columns) }))}
	p.keep = func(errs Errors) {
		for i, key := range keys {
			var exists bool
			err := At(errs.or(), i)
			if err == nil {
				exists, err = o.of.Fill(&m, objects[i], key, p.answers[i].cells())
			}
			if !exists {
				l.lose(objects[i], err)
			}
		}
	}
	l.mu.Lock()
	l.promises = append(l.promises, p)
	l.mu.Unlock()
	return objects
}

// lose notes that an object does not exist or, with an error, that nobody knows.
func (l *Loaders) lose(object any, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.lost = map[any]error{}
	}
	l.lost[object] = err
}

// Settle waits until all objects answered so far are what was promised. Who needs more of a parent than its key calls it first.
func Settle(ctx context.Context) { from(ctx).settle() }

func (l *Loaders) settle() {
	l.mu.Lock()
	promises := l.promises
	l.mu.Unlock()
	for _, p := range promises {
		if !p.kept.Load() {
			errs := l.wait(p.answers)
			p.once.Do(func() { p.keep(errs) })
			p.kept.Store(true)
		}
	}
}

// Finish waits, as a task of its own, until all promises are kept. It returns the objects that do not exist and, with an error, those that could
// not be read: nil if there are none.
func (t Tasks) Finish() (lost map[any]error) {
	t.Start(1)
	defer t.End()
	t.l.settle()
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	return t.l.lost
}
