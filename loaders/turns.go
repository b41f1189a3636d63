package loaders

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// Reads are sent when nothing that runs can add another: when every task of the operation waits for a loader, at that very moment. An executor that
// announces its tasks gets just that, without a timer. One that does not gets the window of a timer.
const (
	// window is how long the first read of a batch waits for others if no tasks were announced: docs/REPORT.md says which are not. An
	// idle process sleeps no shorter than this anyhow.
	window = time.Millisecond
	// patience is how long it waits if tasks were announced and, against all expectation, are not heard of again. If a goroutine of
	// the process could run by then, that may be one of them: on a machine with more to do than it can, nothing is wrong with a task that
	// is late. So it is waited for again, at most leniency times.
	patience = time.Second
	leniency = 10
)

// turns counts the tasks of an operation. Loaders.mu guards it.
type turns struct {
	announced bool
	running   int // tasks that may ask for more
	round     int // the number of the batch that is being collected, from 1 on
	unsent    int // how many gets are in it
	underway  int // how many batches are on their way
	forced    int // the number of the last batch that was sent although tasks were running
	timer     *time.Timer
}

// window is how long the library collects a batch that nobody flushes.
func (t *turns) window() time.Duration {
	if t.announced {
		return math.MaxInt64
	}
	return window
}

// Fallbacks counts the batches that were sent although announced tasks were running, because these were not heard of. It is zero unless a
// task waits for something without saying so.
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

// Promise lets objects be answered before they are read, from now on. Finish waits for them.
func (t Tasks) Promise() {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	t.l.mayPromise = true
}

// End takes away a task that is done.
func (t Tasks) End() { t.l.away() }

// block takes the turn of a task that is about to wait for the first of the answers from i on that is not there yet, until it is. It
// returns how far the task gets with that. A task waits for one answer at a time: those it wants may be in several batches.
func (l *Loaders) block(answers []*answer, i int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ; i < len(answers); i++ {
		if a := answers[i]; !a.done {
			a.waiting++
			l.yield()
			return i + 1
		}
	}
	return i
}

// yield takes a task's turn away, and sends the batch if that was the last one. The caller holds mu, so that what is asked for
// later is in a later batch.
func (l *Loaders) yield() {
	l.turns.running--
	l.flushIfDue()
}

// flushIfDue sends the batch if every task waits, and no other batch is on its way: who comes back from a scan meanwhile asks together
// with those who wait for that. So each batch brings every task on, and there are no more of them than the plan says. The
// caller holds mu.
func (l *Loaders) flushIfDue() {
	if t := &l.turns; t.announced && t.running == 0 && t.unsent > 0 && t.underway == 0 {
		l.flush()
	}
}

// flush sends the batch. The caller holds mu.
func (l *Loaders) flush() {
	t := &l.turns
	t.round, t.unsent, t.underway = t.round+1, 0, t.underway+1
	t.timer.Stop()
	l.load()
	l.library.Flush()
}

// begun notes that the first get of a batch was asked for. The caller holds mu.
func (t *turns) begun(l *Loaders) {
	if round, left := t.round, leniency; t.announced {
		t.timer = time.AfterFunc(patience, func() { l.late(round, left) })
	}
}

// late sends a batch for which the patience is over, unless there is a reason to wait on.
func (l *Loaders) late(round, left int) {
	busy := left > 0 && othersRun()
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.turns
	switch {
	case t.round != round:
	case t.underway > 0:
		t.timer = time.AfterFunc(patience, func() { l.late(round, left) })
	case busy:
		t.timer = time.AfterFunc(patience, func() { l.late(round, left-1) })
	default:
		Fallbacks.Add(1)
		t.forced = round
		l.flush()
	}
}

// othersRun reports whether a goroutine of the process besides this one runs or could run. It looks often: the runtime also counts what is
// about to find nothing to run.
func othersRun() bool {
	states := []metrics.Sample{{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/goroutines/runnable:goroutines"}}
	for range 1000 {
		if metrics.Read(states); states[0].Value.Uint64()+states[1].Value.Uint64() <= 1 {
			return false
		}
		runtime.Gosched()
	}
	return true
}

// sent notes that a batch is on its way, and returns what it sends. fallback tells whether tasks were running.
func (l *Loaders) sent(questions []*question) (m *merged, fallback bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, round := &l.turns, questions[0].round
	if round == t.round { // the library's own timer sent it
		for _, q := range questions {
			t.unsent -= len(q.answers)
		}
	}
	return merge(questions), round == t.forced
}

// answered gives their turns back to the tasks that wait, before their answers reach them.
func (l *Loaders) answered(questions []*question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range questions {
		for i := range q.answers {
			a := &q.answers[i]
			l.turns.running += int(a.waiting)
			a.waiting, a.done = 0, true
		}
	}
	if l.turns.announced {
		l.turns.underway--
		l.flushIfDue()
	}
}

// Away runs something that waits for anything but a loader, without holding up the reads of the other tasks.
func Away(ctx context.Context, wait func()) {
	l := from(ctx)
	l.away()
	defer l.back(1)
	wait()
}

func (l *Loaders) away() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.yield()
}

func (l *Loaders) back(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns.running += n
}

// Together runs functions that read side by side, within the turn of the task that calls it.
func Together(ctx context.Context, run ...func()) {
	l := from(ctx)
	var left atomic.Int64
	left.Store(int64(len(run)))
	done := make(chan struct{})
	var panicked atomic.Value
	l.back(len(run) - 1)
	for _, f := range run {
		go func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.CompareAndSwap(nil, fmt.Errorf("%v\n%s", p, debug.Stack()))
				}
				// The last one hands its turn back to the caller.
				if left.Add(-1) == 0 {
					close(done)
				} else {
					l.away()
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
