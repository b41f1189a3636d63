package loaders

import (
	"errors"
	"time"
)

// scheduler decides when a batch of reads is dispatched to the store: at the moment at which no
// task of the operation can add a read to it. A batch then holds a whole level of the query,
// without a timer that would add its wait to each level.
//
// The executor runs an operation as tasks, a task for each resolver that is called. A task runs
// until it waits for a read. The scheduler knows how many tasks run, because each change is
// reported to it:
//
//	event      who reports it                                     running      then
//	start(n)   the executor, before n tasks run                   + n
//	stop       a task that ends, or is about to wait for          − 1          dispatch if due
//	           a read or for anything else
//	collect    a task that asks for reads                                      (it runs: nothing is due)
//	answered   the batch function, when the store has answered    + waiting    dispatch if due
//
// Its state is one of these. Only one batch is in flight at a time: a task that returns from a scan
// while one is in flight then asks together with the tasks that wait for that batch, and the number
// of batches does not depend on chance.
//
//	                 collect                 stop, running = 0
//	┌──────┐ ──────────────► ┌────────────┐ ──────────────────► ┌───────────┐
//	│ idle │                 │ collecting │      dispatch       │ in flight │
//	└──────┘ ◄─┐             └────────────┘ ◄─┐                 └───────────┘
//	           │                              │    answered       │       │ collect
//	           │                              │                   │       ▼
//	           │                              │ running > 0  ┌────┴──────────────────┐
//	           │                              └───────────── │ in flight, collecting │
//	           └──────────────────────────────────────────── └───────────────────────┘
//	             nothing was collected                         running = 0: dispatch
//
// Why reads never wait for each other forever:
//
//   - A task that waits for a read waits for a batch that is collecting or in flight. It waits for
//     nothing else while it counts as stopped for that read: [Blocking] brackets everything else that
//     blocks.
//   - A batch in flight is answered. The store's call has the deadline of the response, and a panic
//     in it is answered like an error.
//   - A batch that is collecting is dispatched. It is due when running = 0 and nothing is in
//     flight. Each event that can make this true checks it: stop is the only one that decreases
//     running, and answered is the only one that ends a flight.
//   - running = 0 is reached. A task that runs ends or waits; then it is stopped. A task is started
//     before it runs, and a waiting task is added to running before its read is released, both
//     under the lock that guards the scheduler. So running counts every task that can still ask,
//     and none that cannot.
//
// Reads also happen outside of an operation: subscriptions look up what they deliver, and tests
// call loaders directly. Nobody started such a task, so running is −1 while it waits, and its batch
// is due at once.
//
// One rule is not enforced by types: a task must not block on anything but a read outside of
// [Blocking], such as on another task. It would count as running, and the reads of all others would
// wait. This is a bug in a resolver. The watchdog turns it into an error: if a batch has been
// collecting for watchdogTimeout, with nothing in flight, it and all later batches of the response
// fail, and the bug is logged and counted. It does not dispatch the batch: that would hide the bug,
// and split levels whenever the machine is slow.
//
// The scheduler is guarded by Loaders.mu.
type scheduler struct {
	running  int  // tasks that may ask for reads
	pending  int  // read sets of the batch that is being collected
	inFlight bool // a batch is at the store
	batch    int  // number of the batch that is being collected
	stalled  error
	watchdog *time.Timer
	// dispatch sends the batch that was collected, and onStall is called if that was not dispatched
	// after watchdogTimeout.
	dispatch func()
	onStall  func(batch int)
}

// watchdogTimeout is much longer than any resolver computes.
const watchdogTimeout = 10 * time.Second

// errStalled fails the reads of a response after the watchdog found that a task blocks.
var errStalled = errors.New("loaders: reads were not dispatched: " +
	"a resolver blocks on something that is no read, outside of loaders.Blocking")

// start notes that n tasks are about to run.
func (s *scheduler) start(n int) { s.running += n }

// stop notes that a running task ends or is about to wait.
func (s *scheduler) stop() {
	s.running--
	s.dispatchIfDue()
}

// collect notes that a read set was added to the batch.
func (s *scheduler) collect() {
	if s.pending++; s.pending == 1 {
		batch := s.batch
		s.watchdog = time.AfterFunc(watchdogTimeout, func() { s.onStall(batch) })
	}
	if s.stalled != nil {
		s.dispatchIfDue()
	}
}

// answered notes that the batch in flight is answered, and that the tasks which waited for it run
// again.
func (s *scheduler) answered(waiting int) {
	s.running += waiting
	s.inFlight = false
	s.dispatchIfDue()
}

func (s *scheduler) dispatchIfDue() {
	if s.pending == 0 || s.inFlight || s.running > 0 && s.stalled == nil {
		return
	}
	s.watchdog.Stop()
	s.batch, s.pending, s.inFlight = s.batch+1, 0, true
	s.dispatch()
}

// stall is called when the watchdog's time is over for a batch. It reports whether the batch is
// stalled, and fails it then.
func (s *scheduler) stall(batch int) bool {
	switch {
	case s.batch != batch:
		return false
	case s.inFlight:
		s.watchdog.Reset(watchdogTimeout)
		return false
	}
	s.stalled = errStalled
	s.dispatchIfDue()
	return true
}
