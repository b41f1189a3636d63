package loaders

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Tasks lets an executor report the tasks of an operation to the scheduler. It is safe for
// concurrent use.
type Tasks struct{ l *Loaders }

// TasksOf returns the tasks of the operation of ctx.
func TasksOf(ctx context.Context) Tasks { return Tasks{from(ctx)} }

// Start reports n tasks that are about to run.
func (t Tasks) Start(n int) { t.l.start(n) }

// End reports a task that is done.
func (t Tasks) End() { t.l.stop() }

// AllowLazy lets resolvers return objects before they are read, from now on: see [lazy].
func (t Tasks) AllowLazy() {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	t.l.lazy.allowed = true
}

// Await waits, as a task of its own, until all lazy objects are read. It returns the missing ones,
// with an error if they could not be read.
func (t Tasks) Await() (missing map[any]error) {
	t.Start(1)
	defer t.End()
	t.l.await()
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	return t.l.lazy.missing
}

// Away runs a function that blocks on something that is no read, such as a scan or a write. The
// reads of other tasks are dispatched without waiting for it.
func Away(ctx context.Context, blocks func()) {
	l := from(ctx)
	l.stop()
	defer l.start(1)
	blocks()
}

// Together runs functions that read side by side, within the task that calls it. If one panics,
// Together panics when all are done.
func Together(ctx context.Context, run ...func()) {
	l := from(ctx)
	var left atomic.Int64
	left.Store(int64(len(run)))
	done := make(chan struct{})
	var panicked atomic.Value
	l.start(len(run) - 1)
	for _, f := range run {
		go func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.CompareAndSwap(nil, fmt.Errorf("%v\n%s", p, debug.Stack()))
				}
				// The last one hands its turn over to the caller.
				if left.Add(-1) == 0 {
					close(done)
				} else {
					l.stop()
				}
			}()
			f()
		}()
	}
	<-done
	if p := panicked.Load(); p != nil {
		panic(p)
	}
}

func (l *Loaders) start(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.start(n)
}

func (l *Loaders) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.stop()
}
