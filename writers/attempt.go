package writers

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type preconditionKey struct{}

// WithPrecondition returns a context for one operation. Each attempt calls check after its reads,
// and fails with its error. So check may wait for an authorization that runs during the first
// reads.
func WithPrecondition(ctx context.Context, check func() error) context.Context {
	return context.WithValue(ctx, preconditionKey{}, check)
}

// execute performs an operation, unless the input has errors. The type's check may change *a.
func execute[A any](ctx context.Context, w *Writers, in *input, t *anyOpType, a *A) error {
	if err := in.err(); err != nil {
		return err
	}
	if err := w.enter(); err != nil {
		return err
	}
	defer w.running.Done()
	precondition, _ := ctx.Value(preconditionKey{}).(func() error)
	_, checked, err := w.client(t.name).perform(ctx, t, a, precondition)
	if checked, ok := checked.(*A); ok {
		*a = *checked
	}
	return err
}

// perform repeats attempts that are lost or, unless the type is nonIdempotent, unknown: up to
// maxTries times, until ctx ends. The outcome of a nested operation is stateSuperseded if its
// parent is complete. Only the caller of the outermost operation must have called enter, because
// nested operations may start while Close waits.
func (c client) perform(
	ctx context.Context, t *anyOpType, arguments any, precondition func() error,
) (outcome state, checked any, err error) {
	given, err := json.Marshal(arguments)
	if err != nil {
		return 0, nil, err
	}
	uncertain := false // an earlier attempt may have committed
	for try := 0; ; try++ {
		a, err := t.parse(string(given))
		if err != nil {
			return 0, nil, err
		}
		x := &execution{client: c, opType: t, arguments: a, startedHere: true}
		x.precondition = precondition
		outcome, err := x.try(ctx)
		switch {
		case uncertain && errors.As(err, new(UserErrors)):
			return outcome, a, ErrUnknown // the earlier attempt may have caused the error
		case err != nil && (uncertain || x.mayHaveCommitted(outcome)):
			return outcome, a, afterCommit{err}
		case err != nil:
			return outcome, a, err
		case outcome == stateUnknown && t.nonIdempotent:
			return outcome, a, ErrUnknown
		case outcome == stateUnknown:
			uncertain = true
		case outcome == stateCommitted, outcome == stateUnchanged, outcome == stateSuperseded:
			return outcome, a, nil
		}
		if try == maxTries || ctx.Err() != nil {
			err := x.failed("commit", hbase.ErrUnavailable)
			if uncertain {
				err = afterCommit{err}
			}
			return outcome, nil, err
		}
		sleep(ctx, time.Duration(min(try, 20))*time.Millisecond)
	}
}

func (x *execution) mayHaveCommitted(failed state) bool {
	return failed >= stateCommitting && failed <= stateCommitted || failed == statePreparing && x.intent.Table == ""
}

// try makes one attempt. After a commit, finishInBackground owns x.
func (x *execution) try(ctx context.Context) (outcome state, err error) {
	err = x.advance(ctx, state.outcome)
	if err == nil && x.state == stateCommitted {
		return stateCommitted, x.finishInBackground(ctx)
	}
	if x.intent.ID != "" { // claimed by check
		x.w.unclaim(x.intent.ID)
	}
	return x.state, err
}

func (x *execution) readRow(ctx context.Context) (state, error) {
	now := x.w.now()
	r := &reading{operation: operation{x.w.newOp(now), now.UnixMilli()}}
	gets := x.opType.reads(x.arguments)
	if x.opType.hasCommitRow {
		row := x.opType.row(x.arguments)
		columns, err := hbase.ParseColumns(row.Columns)
		if err != nil || len(columns) == 0 {
			return 0, x.failed("read", hbase.ErrInvalid)
		}
		record := hbase.Column{Family: columns[0].Family, Qualifier: tables.CommitColumn}
		x.intent = tables.Intent{Table: row.Table, Row: row.Row, Family: record.Family}
		x.knownComplete = x.w.lastComplete(row)
		if !columns[0].Whole && !slices.Contains(columns, record) {
			row.Columns += " " + record.Family + ":" + record.Qualifier
		}
		gets = append(gets, row)
	}
	cells, err := x.get(ctx, "read", gets)
	if err != nil {
		return 0, err
	}
	if x.opType.hasCommitRow {
		r.row, cells = cells[len(cells)-1], cells[:len(cells)-1]
		r.at = max(r.at, hbase.LatestTimestamp(r.row)+1)
		if r.last, err = tables.DecodeCommitRecord(r.row, x.intent.Family); err != nil {
			return 0, x.failed("read", err)
		}
	}
	r.cells = cells
	x.read = r
	if x.precondition != nil {
		err = x.precondition()
	}
	return statePredecessor, err
}

func (x *execution) completePredecessor(ctx context.Context) (state, error) {
	last := x.read.last
	if !x.opType.readsEffects || last == "" || last == x.knownComplete || slices.Contains(x.parents, last) {
		return stateChecking, nil
	}
	if !tables.IsComplete(x.read.row, x.intent.Family, last) {
		if err := x.complete(ctx, last); err != nil {
			return 0, err
		}
	}
	x.w.noteComplete(x.intent, last)
	return stateReading, nil
}

// check makes the effects from the stored form of the arguments, as other gateways do.
func (x *execution) check(ctx context.Context) (state, error) {
	r := x.read
	r.get = x.getter(ctx, "read")
	d, err := x.opType.check(x.arguments, r)
	switch {
	case err != nil:
		return 0, err
	case !d.commits:
		return stateAwaiting, nil
	}
	text, err := json.Marshal(x.arguments)
	if err != nil {
		return 0, err
	}
	intent := tables.Intent{ID: r.id, OpType: x.caller, Arguments: string(text), At: r.at,
		Table: x.intent.Table, Row: x.intent.Row, Family: x.intent.Family, After: r.last}
	if x.opType.delay > 0 {
		intent.Due = r.at + x.opType.delay.Milliseconds()
	}
	stored, err := x.opType.parse(intent.Arguments)
	if err != nil {
		return 0, x.failed("arguments", hbase.ErrInvalid)
	}
	x.commitCells = d.commitCells
	x.setIntent(intent, stored)
	x.w.claim(intent.ID)
	return statePreparing, nil
}

func (x *execution) awaitLast(ctx context.Context) (state, error) {
	last := x.read.last
	if err := x.complete(ctx, last); err != nil {
		return 0, err
	}
	id, done := tables.CommittedBy(last)
	if !x.opType.recordsCompletion || done || x.predecessor(last) == "" {
		return stateUnchanged, nil
	}
	row, err := x.one(ctx, "read again", x.commitRecordGet())
	if err != nil {
		return 0, err
	}
	now, err := tables.DecodeCommitRecord(row, x.intent.Family)
	if current, _ := tables.CommittedBy(now); err == nil && current != id {
		return stateLost, nil
	}
	return stateUnchanged, err
}

func (x *execution) prepare(ctx context.Context) (state, error) {
	parentOpen, err := x.readAhead(ctx)
	if err != nil || !parentOpen {
		_ = x.abandon(ctx)
		return stateSuperseded, err
	}
	if x.intent.Table == "" {
		return stateCommitted, x.mutate(ctx, x.leasedIntent())
	}
	return stateCommitting, nil
}

// readAhead stores the intent if there is a commit row. Concurrently it reads the counts, and the
// buckets of effects.now's members. parentOpen is false if the parent is complete: then another
// execution of the parent has run this operation, and later operations may have changed the row.
func (x *execution) readAhead(ctx context.Context) (parentOpen bool, err error) {
	gets, take := x.readAheadGets()
	parent, previous := x.parent(), x.predecessor(x.intent.After)
	intents := slices.DeleteFunc([]string{parent, previous}, func(id string) bool { return id == "" })
	var cells [][]hbase.Cell
	g, ctxOfBoth := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		cells, err = x.get(ctxOfBoth, "prepare", append(gets, openGets(intents)...))
		return err
	})
	if x.intent.Table != "" {
		g.Go(func() error { return x.mutate(ctxOfBoth, x.leasedIntent()) })
	}
	if err := g.Wait(); err != nil {
		return false, err
	}
	open := openAmong(intents, cells[len(gets):])
	if parent != "" && !open[parent] {
		return false, nil
	}
	if open[previous] {
		if err := x.complete(ctx, x.intent.After); err != nil {
			return false, err
		}
	}
	return true, take(cells)
}
