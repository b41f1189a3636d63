package writers

import (
	"context"
	"slices"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// begin sets the intent, and the plan that follows from it.
func (x *execution) begin(intent tables.Intent, arguments any) {
	x.intent, x.plan = intent, x.opType.plan(arguments, operation{intent.ID, intent.At})
	x.increments = map[location]*increment{}
	x.buckets, x.unverified = map[*member]tables.Place{}, map[*member]tables.Place{}
	for _, s := range slices.Concat(x.plan.now, x.plan.later) {
		x.addIncrements(s)
	}
}

// finish applies the effects and removes the intent.
func (x *execution) finish(ctx context.Context) error { return x.advance(ctx, state.end) }

// finishInBackground applies the effects in a goroutine, which Close waits for. It returns when plan.now is applied,
// or when ctx ends.
func (x *execution) finishInBackground(ctx context.Context) error {
	w := x.w
	if x.intent.Due > 0 { // a sweep does it then
		w.over(x.intent.ID)
		return nil
	}
	w.Counters.Open.Add(1)
	acknowledge := make(chan error, 1)
	w.running.Add(1)
	go func() {
		defer w.running.Done()
		defer w.Counters.Open.Add(-1)
		defer w.over(x.intent.ID)
		ctx, cancel := w.outlive(ctx)
		defer cancel()
		err := x.advance(ctx, func(s state) bool { return s == stateAcknowledged || s.end() })
		acknowledge <- err
		if err == nil {
			err = x.finish(ctx)
		}
		if err != nil {
			w.log.Warn("operation failed; a sweep will complete it", "type", x.caller, "intent", x.intent.ID, "error", err)
		}
	}()
	select {
	case err := <-acknowledge:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backgroundLimit is how many long operations, at most, a gateway completes after their
// acknowledgement, and how many stale ones.
const backgroundLimit = 16

// long reports whether plan.later goes through something that may be long.
func (x *execution) long() bool {
	return slices.ContainsFunc(x.plan.later, func(s stage) bool {
		return slices.ContainsFunc(s, func(e effect) bool { _, each := e.(each); return each })
	})
}

// applyLater applies plan.later. The execution that the caller started needs a lease for it, and a
// slot if it is long; others have what they need. If all slots are taken, this execution ends, and
// the outbox continues when the intent is stale: nothing waits for a slot, so no slot is held by what
// waits for one.
func (x *execution) applyLater(ctx context.Context) error {
	apply := func(ctx context.Context) error { return x.applyStages(ctx, x.plan.later, "later ") }
	if !x.called || len(x.plan.later) == 0 {
		return apply(ctx)
	}
	if x.long() {
		select {
		case x.w.slots <- struct{}{}:
			defer func() { <-x.w.slots }()
		default:
			return errSuperseded
		}
	}
	return x.alone(ctx, apply)
}

// seal turns the commit record into "done". A compensation that another execution found necessary
// earlier fails then: an operation that finds nothing to do, and this one done, relies on that.
func (x *execution) seal(ctx context.Context) error {
	if !x.opType.compensated {
		return nil
	}
	own := hbase.Check{Family: x.intent.Family, Qualifier: tables.CommitColumn, Value: []byte(x.intent.ID)}
	_, err := x.checkAndPut(ctx, "done", own, hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
		Cells: []hbase.Cell{x.commitRecord(tables.DoneOp(x.intent.ID), x.intent.At+1)}})
	return err
}

// remove removes the intent, and notes in the commit row that the operation is complete if the type
// needs that.
func (x *execution) remove(ctx context.Context) error {
	ends := []write{{"remove intent", tables.Intents.Remove(x.intent)}}
	if x.opType.needsPredecessor {
		complete := hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
			Cells: []hbase.Cell{tables.CompleteCell(x.intent.Family, x.intent.ID, x.intent.At)}}
		ends = slices.Insert(ends, 0, write{"whole", complete})
	}
	err := x.mutate(ctx, ends...)
	if err == nil {
		x.w.completed.add(x.intent.ID)
	}
	return err
}

// completedOps remembers operations that were found to be complete, and the order in which they
// were found.
type completedOps struct {
	mu sync.Mutex
	at map[string]int
	n  int
}

// maxCompleted is how many operations are remembered. To forget one costs a round at most.
const maxCompleted = 1024

// now returns a point in time for before.
func (s *completedOps) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// before reports whether an operation was known to be complete before a point in time.
func (s *completedOps) before(id string, time int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.at[id]
	return known && at < time
}

func (s *completedOps) add(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.at[id]; known {
		return
	}
	if s.at == nil || len(s.at) == maxCompleted {
		s.at = map[string]int{}
	}
	s.at[id] = s.n
	s.n++
}
