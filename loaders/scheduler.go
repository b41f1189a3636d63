package loaders

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// scheduler dispatches a batch of reads, a level of the query, as soon as no task of the response
// can add to it.
//
// Each call of a resolver is a task; [Loaders.Await] and [Together] start further tasks. running
// counts the tasks that neither wait for a read nor are in [Blocking]: only these can enqueue
// reads.
//
//	event      when                                                running
//	started    n tasks are about to run, or 1 leaves Blocking      + n
//	stopped    a task ends, starts to wait or enters Blocking      − 1
//	enqueued   a task enqueues new reads
//	answered   the store has answered the batch                    + the tasks that wait for it
//	timedOut   a batch has been collecting for watchdogTimeout
//
// After stopped or answered, a collecting batch is due if running ≤ 0. It is not due after
// enqueued, because the caller may enqueue more before it waits. Reads enqueued while a batch is in
// flight, for example after a scan, are sent with the next reads of the tasks that wait for it.
//
//	┌──────┐  enqueued   ┌────────────┐         due         ┌──────────┐
//	│ idle │ ──────────► │ collecting │ ──────────────────► │ inFlight │
//	└──────┘             └────────────┘       dispatch      └──────────┘
//	    ▲                      ▲                answered      │      │
//	    └──────────────────────┼──────────────────────────────┘      │ enqueued
//	                           │                                     ▼
//	                           │         answered         ┌────────────────────┐
//	                           └───────────────────────── │ inFlightCollecting │
//	                                                      └────────────────────┘
//
// Reads never wait forever:
//
//   - A batch in flight is answered: a call of the store has a timeout, and a panic is an error.
//   - A collecting batch becomes due: every running task ends or waits. Only stopped lowers
//     running, and only answered ends a batch in flight. After each of these events, handle
//     dispatches the batch if it is due.
//   - running is exact: wake counts the waiting tasks as running before the dataloader wakes
//     them. Under the same lock, it marks their sets as answered, so that no later task waits for
//     these sets.
//
// A read outside of tasks, such as in a test, makes running −1, so its batch is due immediately.
//
// A task that blocks on anything but a read must do so in [Blocking], or all reads wait for it. The
// watchdog detects this bug: from timedOut on, all reads of the response fail. Sending them instead
// would hide the bug, and split levels on a slow machine.
//
// Loaders.mu guards the scheduler. dispatch is called with the lock held, and must not block.
type scheduler struct {
	state      state
	running    int
	dispatched int   // number of batches
	stalled    error // errStalled after timedOut
	timer      *time.Timer
	dispatch   func()
	onTimeout  func(batch int)
}

type state uint8

const (
	idle state = iota
	collecting
	inFlight
	inFlightCollecting
)

type event uint8

const (
	started event = iota
	stopped
	enqueued
	answered
	timedOut
)

const watchdogTimeout = 10 * time.Second // much longer than a resolver computes

var errStalled = errors.New("loaders: reads were not dispatched: " +
	"a resolver blocks outside of loaders.Blocking on something other than a read")

// handle applies an event of a number of tasks, and dispatches a batch that is due.
func (s *scheduler) handle(e event, tasks int) {
	if e == stopped {
		tasks = -tasks
	}
	s.running += tasks
	due := s.running <= 0 && (e == stopped || e == answered)
	switch {
	case s.state == idle && e == enqueued, s.state == inFlightCollecting && e == answered:
		s.state = collecting
		batch := s.dispatched
		s.timer = time.AfterFunc(watchdogTimeout, func() { s.onTimeout(batch) })
	case s.state == inFlight && e == enqueued:
		s.state = inFlightCollecting
	case s.state == inFlight && e == answered:
		s.state = idle
	case e == timedOut: // the state is collecting: see [Loaders.timedOut]
		s.stalled = errStalled
	}
	if s.state == collecting && (due || s.stalled != nil) {
		s.state = inFlight
		s.dispatched++
		s.timer.Stop()
		s.dispatch()
	}
}

// Watchdog fails the reads of responses with a blocked task: see [scheduler]. The zero value is
// ready.
type Watchdog struct {
	Log *slog.Logger // may be nil
	// Stalls counts failed responses: each is a bug in a resolver.
	Stalls atomic.Int64
}

// timedOut fails the batch and all later reads, unless the batch was dispatched while timedOut
// waited for mu.
func (l *Loaders) timedOut(batch int) {
	l.mu.Lock()
	current := batch == l.scheduler.dispatched
	if current {
		l.scheduler.handle(timedOut, 0)
	}
	l.mu.Unlock()
	if !current {
		return
	}
	l.watchdog.Stalls.Add(1)
	if l.watchdog.Log != nil {
		l.watchdog.Log.Error("reads of a response failed", "error", errStalled)
	}
}

// TasksOf returns the loaders of ctx, to which an executor reports its tasks.
func TasksOf(ctx context.Context) *Loaders { return from(ctx) }

// Start reports n tasks that are about to run.
func (l *Loaders) Start(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.handle(started, n)
}

// End reports a task that ends, or is about to wait.
func (l *Loaders) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.handle(stopped, 1)
}

// Await waits, in a task of its own, for all lazy objects. missing is as in plan.Tasks.
func (l *Loaders) Await() (missing map[any]error) {
	l.Start(1)
	defer l.End()
	l.await()
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.missing)
}

// Blocking runs f, which may block on anything but a read, without a delay of other tasks' reads.
func Blocking(ctx context.Context, f func()) {
	l := from(ctx)
	l.End()
	defer l.Start(1)
	f()
}

// Together runs functions in parallel, the last in the caller's goroutine and task. If a function
// panics, Together waits for the others, and panics.
func Together(ctx context.Context, run ...func()) {
	if len(run) == 0 {
		return
	}
	l, last := from(ctx), len(run)-1
	var left atomic.Int64
	left.Store(int64(len(run)))
	done := make(chan struct{})
	var panicked atomic.Value
	call := func(f func()) {
		defer func() {
			if p := recover(); p != nil {
				panicked.CompareAndSwap(nil, fmt.Errorf("%v\n%s", p, debug.Stack()))
			}
			// The caller continues in the task of the function that returns last. If that task
			// ended, running could reach 0 before the caller's next reads.
			if left.Add(-1) == 0 {
				close(done)
			} else {
				l.End()
			}
		}()
		f()
	}
	l.Start(last)
	for _, f := range run[:last] {
		go call(f)
	}
	call(run[last])
	<-done
	if p := panicked.Load(); p != nil {
		panic(p)
	}
}
