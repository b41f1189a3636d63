package writers

import (
	"context"
	"errors"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// The write protocol.
//
// HBase changes one row atomically, and an operation changes several. An operation is therefore
// made durable in three steps: its intent is written, one CheckAndPut on its commit row commits it,
// and idempotent effects follow. The intent is removed when all effects are applied. It holds
// everything that the effects depend on, so any gateway can finish the operation. docs/WRITES.md
// has the invariants (I1 to I5) and why each effect may be applied twice.
//
// An execution is a state machine. The gateway that was called starts it in reading:
//
//	┌─► reading ──────────► predecessor ─────────► checking ───── nothing to do ─────► verifying
//	│      ▲                     │                   │                                  │    │
//	│      └─ it was ────────────┘                   ▼                                  │    ▼
//	│         not complete                       preparing ── no commit row ──┐         │  UNCHANGED
//	│                                                │                        │         │
//	│                                                ▼                        │         │
//	│                            ┌────────────── committing                   │         │
//	│                            │ no, or no answer  │ won                    │         │
//	│     fencing ──────►        ▼                   ▼                        │         │
//	│     resending ────►    resolving ─────────► COMMITTED ◄─────────────────┘         │
//	│        ▲   ▲           │   │   │ own id       ▲                                   │
//	│        └───┴───────────┘   │   │              │ marked                            │
//	│             unchanged row  │   └────────► overtaken ──── intent is gone ──► UNKNOWN
//	│                            │ fenced           │ intent is there                   │
//	│                            ▼                  │                                   │
//	└──── LOST ◄──────────── abandoning ◄───────────┘                                   │
//	       ▲                                                                            │
//	       └──────────────────── the row's operation was compensated ───────────────────┘
//
//	COMMITTED ──► ACKNOWLEDGED ──► ending ──► COMPLETE
//	 plan.now       plan.later
//
//	any state in which another execution of the operation is found to have completed it, or to have its lease,
//	and preparing, if the operation that started a nested one is complete ──► SUPERSEDED
//
// The attempt ends in one of the outcomes in capitals. A new attempt follows LOST, because the
// operation surely did not commit and never will. It follows UNKNOWN if the operation is
// idempotent; otherwise the caller gets [ErrUnknown].
//
// Other executions start with what they parsed from the intent: an operation that needs its
// predecessor to be complete in COMMITTED, and a sweep in resolving. A sweep fences only when the
// predecessor is complete, and ends in LOST and UNKNOWN.
//
// What a crash, or an error of the store, leaves behind in each state, and who continues:
//
//	reading to checking   nothing was written.
//	preparing             the intent may exist. After five seconds a sweep fences the operation: it puts a void id
//	                      into the commit row, so that a delayed CheckAndPut fails, and removes the intent.
//	                      Without a commit row the intent is the commit: a sweep applies the effects.
//	committing, resolving the CheckAndPut may have been applied, may be applied later, or is lost. The commit row
//	and resending         says which: the own id is a commit, and a sweep applies the effects. Otherwise it fences.
//	fencing               the row holds the void id or not. The sweep fences, or finds it fenced.
//	overtaken             the commit row has the id of another operation. The intent decides: operations are
//	                      completed before others supersede them, so an intent without a mark did not commit.
//	abandoning            the intent of an operation that can no longer commit. A sweep removes it.
//	COMMITTED             some effects of plan.now are applied. A sweep, or the next operation on the commit row,
//	                      applies all of them again.
//	ACKNOWLEDGED          the same for plan.later.
//	ending                all effects are applied, and are applied again without a change.
//
// The caller gets its answer in ACKNOWLEDGED. The rest goes on in the background, also if the
// caller's context ends.
type state int

const (
	stateReading     state = iota // reads the commit row and what the preconditions need
	statePredecessor              // completes the row's previous operation, if the type reads its effects
	stateChecking                 // checks the preconditions, and makes the intent and the plan
	stateVerifying                // completes the earlier operation that has already made the change
	statePreparing                // writes the intent, completes the predecessor, reads ahead for the effects
	stateCommitting               // sends the CheckAndPut
	stateResolving                // reads the commit row to find out what became of the CheckAndPut
	stateResending                // sends the CheckAndPut of a nested operation again
	stateFencing                  // keeps the CheckAndPut from being applied later
	stateOvertaken                // reads the own intent: another operation committed on the row
	stateAbandoning               // removes the intent of an operation that did not commit

	// The outcomes of an attempt. stateSuperseded also ends an execution: another one has completed
	// the operation or continues it, or the operation that started this nested one is complete.
	stateCommitted // applies plan.now
	stateUnchanged
	stateLost
	stateUnknown
	stateSuperseded

	stateAcknowledged // applies plan.later, for which the caller does not wait
	stateEnding       // seals the commit row, and removes the intent
	stateComplete
)

// outcome reports whether an attempt ends in the state.
func (s state) outcome() bool { return s >= stateCommitted && s <= stateSuperseded }

// end reports whether an execution ends in the state.
func (s state) end() bool { return s == stateComplete || s == stateSuperseded }

// execution is an operation on its way through the states. Only the gateway that was called goes
// through those before stateCommitted; there can be several executions of one operation after it.
type execution struct {
	client
	opType    *anyOpType
	state     state
	arguments any
	attempt

	// intent and plan are set by stateChecking, or from a stored intent. Before, the intent names the
	// commit row, if there is one.
	intent tables.Intent
	plan   plan
	// increments are what it adds to counts, by row.
	increments map[location]*increment
	// called is whether a caller waits for the acknowledgement.
	called bool
	// marked is whether the stored intent says that the operation committed.
	marked bool
	// sweeping is whether the execution is a sweep's.
	sweeping bool
	// unverified are the members that were written, until a later read shows that their bucket was
	// not split.
	unverified []*member
}

// attempt is what an execution needs until its operation is committed.
type attempt struct {
	// allowed is the caller's precondition: see [WithPrecondition]. It may be nil.
	allowed func() error
	read    *reading
	// known is the operation that was known to be the row's last one, and complete, before the
	// reading began.
	known string
	// cells are what the commit puts into the commit row.
	cells []hbase.Cell
	// found are the cells of the commit row that stateResolving read.
	found []hbase.Cell
	// tries counts the steps of stateResolving.
	tries int
}

// advance goes from state to state until one in which end is true.
func (x *execution) advance(ctx context.Context, end func(state) bool) error {
	for !end(x.state) {
		next, err := x.step(ctx)
		switch {
		case errors.Is(err, errSuperseded):
			next = stateSuperseded
		case err != nil:
			return err
		}
		x.state = next
	}
	return nil
}

// step does the work of the present state, and returns the next one.
func (x *execution) step(ctx context.Context) (state, error) {
	switch x.state {
	case stateReading:
		return x.readRow(ctx)
	case statePredecessor:
		return x.completePredecessor(ctx)
	case stateChecking:
		return x.check(ctx)
	case stateVerifying:
		return x.verify(ctx)
	case statePreparing:
		return x.prepare(ctx)
	case stateCommitting:
		return x.commit(ctx, "commit")
	case stateResolving:
		return x.resolve(ctx)
	case stateResending:
		return x.commit(ctx, "commit, again")
	case stateFencing:
		return x.fence(ctx)
	case stateOvertaken:
		return x.overtaken(ctx)
	case stateAbandoning:
		return stateLost, x.abandon(ctx)
	case stateCommitted:
		return stateAcknowledged, x.applyStages(ctx, x.plan.now, "now ")
	case stateAcknowledged:
		return stateEnding, x.applyLater(ctx)
	case stateEnding:
		return stateComplete, x.remove(ctx)
	}
	return x.state, x.failed("step", errors.New("there is no way on from this state"))
}
