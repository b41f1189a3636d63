package loaders

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"sync/atomic"
)

// TasksOf returns the loaders of ctx, to which an executor reports the tasks of its operation.
func TasksOf(ctx context.Context) *Loaders { return from(ctx) }

// Start reports n tasks that are about to run.
func (l *Loaders) Start(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.start(n)
}

// End reports a task that is done, or is about to wait.
func (l *Loaders) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.stop()
}

// Await waits, as a task of its own, until all lazy objects are read. It returns the missing ones,
// with an error if they could not be read.
func (l *Loaders) Await() (missing map[any]error) {
	l.Start(1)
	defer l.End()
	l.await()
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.lazy.missing)
}

// Blocking runs a function that blocks on something that is no read, such as a scan or a write. The
// reads of other tasks are dispatched without waiting for it.
func Blocking(ctx context.Context, blocks func()) {
	l := from(ctx)
	l.End()
	defer l.Start(1)
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
	l.Start(len(run) - 1)
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
					l.End()
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
