package loaders

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// scheduler dispatches a batch of reads as soon as no task of the operation can add to it. So a
// batch holds a whole level of the query, and no timer delays a level.
//
// The executor runs an operation as tasks, one per call of a resolver. A task runs until it waits
// for a read. running counts the tasks that can still enqueue reads:
//
//	event      reported when                                   running      then
//	start(n)   n tasks are about to run, or 1 leaves Blocking  + n
//	stop       a task ends, starts to wait or enters Blocking  − 1          dispatch if due
//	collect    a task enqueues reads                                        not due: the task runs
//	answered   the store has answered the batch                + waiting    dispatch if due
//
// A batch is due if running ≤ 0 and no batch is in flight. If a task returns from a scan while a
// batch is in flight, its reads wait for the answer. They are sent in one batch with the next reads
// of the tasks that wait for that answer.
//
//	┌──────┐   collect   ┌────────────┐  stop, running = 0  ┌───────────┐
//	│ idle │ ──────────► │ collecting │ ──────────────────► │ in flight │ ◄────────────┐
//	└──────┘             └────────────┘      dispatch       └───────────┘              │
//	    ▲                      ▲               answered       │       │                │
//	    └──────────────────────┼──────────────────────────────┘       │ collect        │
//	                           │                                      ▼                │
//	                           │  answered, running > 0   ┌───────────────────────┐    │
//	                           └───────────────────────── │ in flight, collecting │ ───┘
//	                                                      └───────────────────────┘
//	                                                      answered, running = 0: dispatch
//
// Reads never wait forever:
//
//   - A batch in flight is answered: the call has the response's deadline, and a panic is an error.
//   - A collecting batch becomes due: every running task ends or waits. Only stop decreases
//     running, only answered ends a flight, and both check.
//   - running counts exactly the tasks that can enqueue. answered counts the waiting tasks again
//     before the dataloader wakes them. Under the same lock, it marks their sets as answered, so
//     that no later task waits for them.
//
// Reads that no executor has started, such as reads of tests, belong to no task. Then running is −1
// during the wait, and the batch is due immediately.
//
// A task that blocks on anything but a read must do so in [Blocking], or all reads wait for it. The
// watchdog detects this bug. If a batch has been collecting for watchdogTimeout with nothing in
// flight, the reads of the response fail. Dispatching the batch instead would hide the bug, and
// split levels on a slow machine.
//
// Loaders.mu guards the scheduler. dispatch is called with the lock held, and must not block: the
// dataloader sends the batch in another goroutine.
type scheduler struct {
	running   int
	pending   []*readSet
	inFlight  bool
	batch     int   // the number of dispatched batches
	stalled   error // errStalled after a stall: then batches are dispatched immediately, and fail
	timer     *time.Timer
	dispatch  func([]*readSet)
	onTimeout func(batch int)
}

const watchdogTimeout = 10 * time.Second // much longer than any resolver computes

var errStalled = errors.New("loaders: reads were not dispatched: " +
	"a resolver blocks outside of loaders.Blocking on something other than a read")

func (s *scheduler) start(n int) { s.running += n }

func (s *scheduler) stop() {
	s.running--
	s.dispatchIfDue()
}

func (s *scheduler) collect(set *readSet) {
	if s.pending = append(s.pending, set); len(s.pending) == 1 {
		batch := s.batch
		s.timer = time.AfterFunc(watchdogTimeout, func() { s.onTimeout(batch) })
	}
	if s.stalled != nil {
		s.dispatchIfDue()
	}
}

func (s *scheduler) answered(waiting int) {
	s.running += waiting
	s.inFlight = false
	if len(s.pending) > 0 {
		s.timer.Reset(watchdogTimeout) // the tasks have waited for the answer
	}
	s.dispatchIfDue()
}

func (s *scheduler) dispatchIfDue() {
	if len(s.pending) == 0 || s.inFlight || s.running > 0 && s.stalled == nil {
		return
	}
	s.timer.Stop()
	s.dispatch(s.pending)
	s.batch, s.pending, s.inFlight = s.batch+1, s.pending[:0], true
}

// stall fails the batch if it is still collecting, and returns whether it did. While another batch
// is in flight, tasks may wait for its answer, and answered restarts the timer.
func (s *scheduler) stall(batch int) bool {
	if s.batch != batch || s.inFlight {
		return false
	}
	s.stalled = errStalled
	s.dispatchIfDue()
	return true
}

// TasksOf returns the loaders of ctx, for an executor to report its tasks.
func TasksOf(ctx context.Context) *Loaders { return from(ctx) }

// Start reports n tasks that are about to run.
func (l *Loaders) Start(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.start(n)
}

// End reports a task that ends, or is about to wait.
func (l *Loaders) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduler.stop()
}

// Await waits, as a task of its own, for all lazy objects. It returns the missing objects, with the
// error if reading failed.
func (l *Loaders) Await() (missing map[any]error) {
	l.Start(1)
	defer l.End()
	l.await()
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.missing)
}

// Blocking runs a function that may block on anything but a read. Other tasks' reads do not wait.
func Blocking(ctx context.Context, f func()) {
	l := from(ctx)
	l.End()
	defer l.Start(1)
	f()
}

// Together runs functions in parallel: the last one in the caller's goroutine and task, each other
// one in its own. If a function panics, so does Together, when all are done.
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
			// The function that returns last does not end its task: the caller continues as that
			// task.
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
