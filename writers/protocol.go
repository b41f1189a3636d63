package writers

import (
	"context"
	"errors"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// # The write protocol
//
// HBase changes one row atomically, and an operation changes several. So an operation stores an
// intent, commits by one CheckAndPut on its commit row, and then applies idempotent effects. The
// intent holds everything that the effects depend on: any gateway can complete the operation. The
// intent is removed last. docs/WRITES.md has the invariants (I1 to I5) and why they hold.
//
// An execution is a state machine. Outcomes of an attempt are in capitals:
//
//	reading ─► predecessor ─► checking ─► preparing ─► committing ───────► COMMITTED
//	   ▲            │             │                        │                   ▲
//	   └────────────┘             ▼                        ▼                   │
//	                          verifying       fencing ◄─► resolving ───────────┤
//	                           │     │      resending ◄─►  │    │              │
//	                           ▼     ▼                     ▼    ▼              │
//	                   UNCHANGED    LOST ◄───── abandoning ◄── overtaken ──────┘
//	                                                               └─► UNKNOWN
//
//	COMMITTED ─► ACKNOWLEDGED ─► ending ─► COMPLETE
//
//	state         action                                            next state
//	reading       read the commit row, and for the preconditions    predecessor
//	predecessor   complete the row's last operation, if the type    checking; reading if the first
//	              needs that                                        read may have missed its effects
//	checking      check preconditions, make intent and plan         preparing; verifying if unchanged
//	verifying     complete the operation that made the change       UNCHANGED; LOST if compensated
//	preparing     store the intent, complete the predecessor,       committing; COMMITTED if there is
//	              read ahead for the effects                        no commit row
//	committing    send the CheckAndPut                              COMMITTED; resolving if it failed
//	resolving     read the commit record. It has
//	                the own id                                      COMMITTED
//	                a fence of the own operation                    abandoning
//	                the expected id: the CheckAndPut may arrive     fencing
//	                the expected id, the parent's: fencing would    resending
//	                  hide the parent, which others must complete
//	                another id                                      overtaken
//	fencing       replace the commit record by a void one           resolving
//	resending     send the CheckAndPut again                        COMMITTED; resolving
//	overtaken     read the own intent. It is
//	                marked: it started the other operation          COMMITTED
//	                unmarked: it did not commit, because            abandoning
//	                  predecessors are completed first
//	                gone: complete, or fenced and swept             UNKNOWN
//	abandoning    remove the intent                                 LOST
//	COMMITTED     apply plan.now, and answer the caller             ACKNOWLEDGED
//	ACKNOWLEDGED  apply plan.later, in the background               ending
//	ending        seal the commit row, remove the intent            COMPLETE
//
// LOST means that the attempt did not commit and never will: another attempt follows. After UNKNOWN
// another one follows if the operation is idempotent. If not, the caller gets [ErrUnknown].
//
// Any state can end in SUPERSEDED: another execution completed the operation or has its lease, or
// the parent of a nested operation is complete.
//
// Executions by others start from the stored intent: in COMMITTED if they need the commit row, in
// resolving if they sweep. A sweep fences only when the predecessor is complete, so that it never
// waits for a long operation.
//
// A crash, or an error of the store, leaves behind:
//
//	before preparing          nothing
//	preparing to overtaken    the intent, maybe. After 5 seconds a sweep starts at resolving.
//	                          Without a commit row the intent is the commit.
//	abandoning                an intent that cannot commit. A sweep removes it.
//	COMMITTED, ACKNOWLEDGED   some effects. A sweep, or the row's next operation, applies all again.
//	ending                    all effects. Applying them again changes nothing.
type state int

const (
	stateReading state = iota
	statePredecessor
	stateChecking
	stateVerifying
	statePreparing
	stateCommitting
	stateResolving
	stateResending
	stateFencing
	stateOvertaken
	stateAbandoning

	// The outcomes of an attempt.
	stateCommitted
	stateUnchanged
	stateLost
	stateUnknown
	stateSuperseded // also ends an execution

	stateAcknowledged
	stateEnding
	stateComplete
)

// outcome reports whether an attempt ends in the state.
func (s state) outcome() bool { return s >= stateCommitted && s <= stateSuperseded }

// end reports whether an execution ends in the state.
func (s state) end() bool { return s == stateComplete || s == stateSuperseded }

// execution is one process's work on an operation. After the commit, an operation can have several.
type execution struct {
	client
	opType    *anyOpType
	state     state
	arguments any
	attempt

	// stateChecking sets intent and plan. Before, the intent names the commit row only.
	intent     tables.Intent
	plan       plan
	increments map[location]*increment
	// called reports whether a caller waits for the acknowledgement.
	called bool
	// marked reports whether the stored intent is marked as committed.
	marked   bool
	sweeping bool
	// unverified are written members whose bucket may have been split since its directory was read.
	unverified []*member
}

// attempt is the part of an execution that ends with the commit.
type attempt struct {
	// allowed is the precondition of [WithPrecondition]. It may be nil.
	allowed func() error
	read    *reading
	// known is the row's last operation if it was known to be complete before stateReading.
	known string
	// cells are committed into the commit row.
	cells []hbase.Cell
	// found is the commit row as stateResolving read it.
	found []hbase.Cell
	// tries counts the steps of stateResolving.
	tries int
}

// advance steps until end is true.
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

// step performs the action of the current state, and returns the next one.
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
		return stateComplete, x.removeIntent(ctx)
	}
	return x.state, x.failed("step", errors.New("no state follows this one"))
}
