package writers

import (
	"context"
	"errors"
	"sync/atomic"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// state is a state of an execution.
//
// # The write protocol
//
// docs/WRITES.md explains operations and the invariants I1 to I5. The outcomes of an attempt, and
// the later states ACKNOWLEDGED and COMPLETE, are in capitals:
//
//	reading ─► predecessor ─► checking ─► preparing ─► committing ───────► COMMITTED
//	   ▲            │             │                        │                   ▲
//	   └────────────┘             ▼                        ▼                   │
//	                          awaiting        fencing ◄─► resolving ───────────┤
//	                           │     │      resending ◄─►  │    │              │
//	                           ▼     ▼                     ▼    ▼              │
//	                   UNCHANGED    LOST ◄───── abandoning ◄── overtaken ──────┘
//	                                                               └─► UNKNOWN
//
//	COMMITTED ─► ACKNOWLEDGED ─► ending ─► COMPLETE
//
//	state         action                                            next state
//	reading       read the commit row, and the rows for the checks  predecessor
//	predecessor   complete the row's last operation, if the type    checking; reading if the first
//	              needs that                                        read may have missed its effects
//	checking      check preconditions, make intent and effects      preparing; awaiting if unchanged
//	awaiting      complete the row's last operation, which may      UNCHANGED; LOST if the type
//	              have made the change                                records its completion, and
//	                                                                  another operation committed
//	preparing     store the intent, complete the predecessor,       committing; COMMITTED if there is
//	              read ahead for the effects; after an error,       no commit row
//	              remove the intent
//	committing    send the CheckAndPut                              COMMITTED; resolving if it failed
//	                                                                  or has no response
//	resolving     read the commit record. It has
//	                this operation's id                             COMMITTED
//	                a fence against this operation                  abandoning
//	                the expected id: the CheckAndPut may arrive     fencing
//	                the expected id, and it is a parent's: a fence  resending
//	                  would hide it from the row's next operation
//	                another id                                      overtaken
//	fencing       replace the commit record by a fence              resolving
//	resending     send the CheckAndPut again                        COMMITTED; resolving
//	overtaken     read this operation's intent. It is
//	                marked: it committed, and nested operations     COMMITTED
//	                  may have replaced the commit record
//	                unmarked: it did not commit. Otherwise, the     abandoning
//	                  other operation would have completed it
//	                  first, and removed the intent
//	                gone: complete, or fenced and swept             UNKNOWN
//	abandoning    remove the intent                                 LOST
//	COMMITTED     apply effects.now, and answer the caller          ACKNOWLEDGED
//	ACKNOWLEDGED  apply effects.later, in the background            ending
//	ending        record the completion, remove the intent          COMPLETE
//
// A CheckAndPut that returned false may have been applied: see docs/WRITES.md, "Recovery".
//
// LOST means that the attempt will never commit: another follows. UNKNOWN means that it may have
// committed: another follows if the operation is idempotent. If it is not, or if the other attempt
// returns UserErrors, the caller gets [ErrUnknown].
//
// An execution ends in SUPERSEDED, and leaves the operation to another execution, if
//   - the other execution has completed the operation, or has taken the lease;
//   - the operation is nested, and its parent is complete;
//   - a long stage of effects.later finds no free slot: see applyLater.
//
// An execution that completes a predecessor starts in COMMITTED. A sweep starts in resolving, or in
// COMMITTED if the intent is marked or there is no commit row. A sweep does not complete the
// predecessor, because its effects may take long. Nor may the sweep's fence hide the predecessor
// from the row's next operation. So while the predecessor's intent exists, the sweep fails, and is
// retried.
//
// A crash, or an error of the store, leaves behind:
//
//	before preparing          nothing
//	preparing                 the intent, maybe. Without a commit row the intent is the commit.
//	committing to overtaken   the intent, and maybe the commit. A sweep finds out, in resolving.
//	abandoning                an intent that cannot commit. A sweep removes it.
//	COMMITTED, ACKNOWLEDGED   some effects. A sweep, or the row's next operation, applies all again.
//	ending                    all effects
type state int

// The order matters: outcome and mayHaveCommitted compare states.
const (
	stateReading state = iota
	statePredecessor
	stateChecking
	stateAwaiting
	statePreparing
	stateCommitting
	stateResolving
	stateResending
	stateFencing
	stateOvertaken
	stateAbandoning

	stateCommitted
	stateUnchanged
	stateLost
	stateUnknown
	stateSuperseded

	stateAcknowledged
	stateEnding
	stateComplete
)

func (s state) outcome() bool { return s >= stateCommitted && s <= stateSuperseded }

func (s state) end() bool { return s == stateComplete || s == stateSuperseded }

type execution struct {
	client
	opType *anyOpType
	state  state
	// startedHere is false for an operation that was read from its intent.
	startedHere, sweeping bool
	arguments             any
	// Before stateChecking, intent has only Table, Row and Family.
	intent tables.Intent

	attempt
	application
}

// application is the part of an execution after its commit.
type application struct {
	effects     effects
	increments  map[location]*increment
	marked      bool // the stored intent is marked as committed
	compensated bool // a compensation has committed, so members are not written again
	// superseded ends the stages. Then advance enters stateSuperseded. Concurrent nested operations
	// set it. It cancels none of them: they would leave their intents to a sweep.
	superseded atomic.Bool
	// unverified has written members that are not yet verified.
	unverified []*member
}

// attempt is the part of an execution up to its commit.
type attempt struct {
	precondition func() error // see [WithPrecondition]; may be nil
	read         *reading
	// knownComplete is the row's entry in Writers.completed before the read.
	knownComplete string
	commitCells   []hbase.Cell
	foundRecord   []hbase.Cell // the commit record that stateResolving read
	resolveTries  int
}

func (x *execution) advance(ctx context.Context, end func(state) bool) error {
	for !end(x.state) {
		next, err := x.step(ctx)
		if err != nil {
			return err
		}
		if x.superseded.Load() {
			next = stateSuperseded
		}
		x.state = next
	}
	return nil
}

// ended reports whether the stages end early: after an error, or because the execution is
// superseded, which is no error. It must follow each call that may set superseded. Otherwise
// members would be written after the intent is removed.
func (x *execution) ended(err error) bool { return err != nil || x.superseded.Load() }

func (x *execution) step(ctx context.Context) (state, error) {
	switch x.state {
	case stateReading:
		return x.readRow(ctx)
	case statePredecessor:
		return x.completePredecessor(ctx)
	case stateChecking:
		return x.check(ctx)
	case stateAwaiting:
		return x.awaitLast(ctx)
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
		return stateAcknowledged, x.applyStages(ctx, x.effects.now, 0, "now ")
	case stateAcknowledged:
		return x.applyLater(ctx)
	case stateEnding:
		return stateComplete, x.removeIntent(ctx)
	}
	return x.state, x.failed("step", errors.New("no state follows this one"))
}
