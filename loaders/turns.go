package loaders

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"twibase/hbase"
)

// Reads are sent when nothing that runs can add another: when every task of the operation waits for a loader, at that very moment. An executor that
// announces its tasks gets just that, without a timer. One that does not gets the window of a timer.
const (
	// window is how long the first read of a batch waits for others if no tasks were announced. An idle process sleeps
	// no shorter than this anyhow.
	window = time.Millisecond
	// patience is how long it waits if tasks were announced and, against all expectation, are not heard of again.
	patience = 100 * time.Millisecond
)

// turns counts the tasks of an operation. Loaders.mu guards it.
type turns struct {
	announced bool
	running   int  // tasks that may ask for more
	blocked   int  // tasks that wait for an answer
	flushing  bool // whether the batch that is sent next is sent because nobody runs
}

func (t *turns) patience() time.Duration {
	if t.announced {
		return patience
	}
	return window
}

// Fallbacks counts the batches that the timer sent although tasks were announced. It is zero unless a task waits for something
// without saying so.
var Fallbacks atomic.Int64

// Tasks lets an executor announce the tasks of an operation. It is safe for concurrent use.
type Tasks struct{ l *Loaders }

// TasksOf returns the tasks of the operation of ctx.
func TasksOf(ctx context.Context) Tasks { return Tasks{from(ctx)} }

// Start announces n more running tasks, before they run.
func (t Tasks) Start(n int) {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	t.l.turns.announced = true
	t.l.turns.running += n
}

// End takes away a task that is done.
func (t Tasks) End() { t.l.yield(0) }

// block takes the turn of a task that is about to wait, unless it need not wait.
func (l *Loaders) block(answers []*answer) {
	l.mu.Lock()
	for _, a := range answers {
		if !a.done {
			l.mu.Unlock()
			l.yield(1)
			return
		}
	}
	l.mu.Unlock()
}

// yield takes a task's turn away, and sends the batch if that was the last one.
func (l *Loaders) yield(blocked int) {
	l.mu.Lock()
	t := &l.turns
	if !t.announced {
		l.mu.Unlock()
		return
	}
	t.running--
	t.blocked += blocked
	flush := t.running == 0 && t.blocked > 0 && l.gets != nil
	t.flushing = t.flushing || flush
	l.mu.Unlock()
	if flush {
		l.gets.Flush()
	}
}

// answered gives their turns back to the tasks that wait, before their answers reach them.
func (l *Loaders) answered(gets []hbase.Get) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range gets {
		l.answers[g].done = true
	}
	t := &l.turns
	if t.announced && !t.flushing {
		Fallbacks.Add(1)
	}
	t.flushing = false
	t.running, t.blocked = t.running+t.blocked, 0
}

// Away runs something that waits for anything but a loader, without holding up the reads of the other tasks.
func Away(ctx context.Context, wait func()) {
	l := from(ctx)
	l.yield(0)
	defer func() {
		l.mu.Lock()
		l.turns.running++
		l.mu.Unlock()
	}()
	wait()
}

// Together runs functions that read side by side, within the turn of the task that calls it.
func Together(ctx context.Context, run ...func()) {
	tasks := TasksOf(ctx)
	left := atomic.Int64{}
	left.Store(int64(len(run)))
	done := make(chan struct{})
	var panicked atomic.Value
	announced := tasks.more(len(run) - 1)
	for _, f := range run {
		go func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.CompareAndSwap(nil, fmt.Errorf("%v\n%s", p, debug.Stack()))
				}
				// The last one hands its turn back to the caller.
				if left.Add(-1) == 0 {
					close(done)
				} else if announced {
					tasks.End()
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

// more adds tasks to those that were announced, if any were.
func (t Tasks) more(n int) (announced bool) {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	if t.l.turns.announced {
		t.l.turns.running += n
	}
	return t.l.turns.announced
}
