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

// WithPrecondition returns a context for one operation, which commits only if allowed returns nil;
// otherwise it changes nothing, and has allowed's error. The operation reads meanwhile, so that the
// caller can find out in the same round whether it is allowed. allowed waits until that is known,
// and may be called several times.
//
// Nested operations and predecessors are committed, or depend on a commit: they need no
// precondition.
func WithPrecondition(ctx context.Context, allowed func() error) context.Context {
	return context.WithValue(ctx, preconditionKey{}, allowed)
}

// run runs an operation, unless the input has errors.
func run[A any](ctx context.Context, w *Writers, in *input, t *anyOpType, a *A) error {
	if err := in.err(); err != nil {
		return err
	}
	return do(ctx, w, t, a)
}

// do runs an operation. a points to the arguments of its type; check may have completed them when
// do returns. The error is UserErrors if a precondition does not hold.
//
// do returns when plan.now is applied. The rest goes on in the background, also if ctx ends.
func do[A any](ctx context.Context, w *Writers, t *anyOpType, a *A) error {
	if err := w.enter(); err != nil {
		return err
	}
	defer w.running.Done()
	allowed, _ := ctx.Value(preconditionKey{}).(func() error)
	completed, err := w.do(ctx, t, a, allowed)
	if completed, ok := completed.(*A); ok {
		*a = *completed
	}
	return err
}

// do makes attempts until one has an outcome, and returns its arguments. Its caller has entered:
// nested operations run also after Close. If allowed is not nil, it is the precondition.
func (w *Writers) do(ctx context.Context, t *anyOpType, arguments any, allowed func() error) (any, error) {
	given, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	uncertain := false // an earlier attempt may have committed
	for try := 0; ; try++ {
		a, err := t.parse(string(given))
		if err != nil {
			return nil, err
		}
		x := &execution{client: client{w, t.name}, opType: t, arguments: a, called: true, attempt: attempt{allowed: allowed}}
		outcome, err := x.run(ctx)
		switch {
		case uncertain && errors.As(err, new(UserErrors)):
			return a, ErrUnknown // the earlier attempt may have caused the problem
		case err != nil:
			return a, err
		case outcome == stateCommitted || outcome == stateUnchanged:
			return a, nil
		case outcome == stateSuperseded:
			return a, errSuperseded // the operation that this one is nested in is complete
		case outcome == stateUnknown && t.nonIdempotent:
			return a, ErrUnknown
		case outcome == stateUnknown:
			uncertain = true
		}
		if try == maxTries || ctx.Err() != nil {
			return nil, x.failed("commit", hbase.ErrUnavailable)
		}
		sleep(ctx, time.Duration(min(try, 20))*time.Millisecond)
	}
}

// run makes an attempt and returns its outcome. If the operation commits, run waits for plan.now,
// and leaves the rest to a goroutine, which owns x from then on.
func (x *execution) run(ctx context.Context) (outcome state, err error) {
	err = x.advance(ctx, state.outcome)
	if err == nil && x.state == stateCommitted {
		return stateCommitted, x.finishInBackground(ctx)
	}
	if x.intent.ID != "" { // check has claimed it
		x.w.unclaim(x.intent.ID)
	}
	return x.state, err
}

// readRow does the first round. An operation that is not allowed has cost no more than this.
func (x *execution) readRow(ctx context.Context) (state, error) {
	now := x.w.now()
	r := &reading{operation: operation{x.w.newOp(now), now.UnixMilli()}}
	gets := x.opType.reads(x.arguments)
	if x.opType.conditional {
		row := x.opType.row(x.arguments)
		columns, err := hbase.ParseColumns(row.Columns)
		if err != nil || len(columns) == 0 {
			return 0, x.failed("read", hbase.ErrInvalid)
		}
		record := hbase.Column{Family: columns[0].Family, Qualifier: tables.CommitColumn}
		x.intent = tables.Intent{Table: row.Table, Row: row.Row, Family: record.Family}
		x.known = x.w.lastComplete(row)
		if !columns[0].Whole && !slices.Contains(columns, record) {
			row.Columns += " " + record.Family + ":" + record.Qualifier
		}
		gets = append(gets, row)
	}
	cells, err := x.get(ctx, "read", gets)
	if err != nil {
		return 0, err
	}
	if x.opType.conditional {
		r.row, cells = cells[len(cells)-1], cells[:len(cells)-1]
		r.at = max(r.at, youngest(r.row)+1)
		if r.last, err = tables.DecodeCommitRecord(r.row); err != nil {
			return 0, x.failed("read", err)
		}
	}
	r.cells = cells
	x.read = r
	if x.allowed != nil {
		err = x.allowed()
	}
	return statePredecessor, err
}

// completePredecessor goes back to reading if what was read may be older than the effects of the
// row's last operation. That operation is complete then.
func (x *execution) completePredecessor(ctx context.Context) (state, error) {
	last := x.read.last
	if !x.opType.needsPredecessor || last == "" || last == x.known || slices.Contains(parents(ctx), last) {
		return stateChecking, nil
	}
	if _, void := tables.FencedBy(last); !void && !tables.IsComplete(x.read.row, last) {
		open, err := x.openIntents(ctx, []string{last}, "read, last intent")
		if err == nil && open[last] {
			err = x.complete(ctx, last)
		}
		if err != nil {
			return 0, err
		}
	}
	x.w.noteComplete(x.intent, last)
	return stateReading, nil
}

// check asks the type what to commit, and makes the intent. The plan is made from the stored form
// of the arguments, as another gateway would make it.
func (x *execution) check(ctx context.Context) (state, error) {
	r := x.read
	r.get = x.getter(ctx, "read")
	d, err := x.opType.check(x.arguments, r)
	switch {
	case err != nil:
		return 0, err
	case !d.commits:
		return stateVerifying, nil
	}
	text, err := json.Marshal(x.arguments)
	if err != nil {
		return 0, err
	}
	intent := tables.Intent{ID: r.id, Kind: x.caller, Arguments: string(text), At: r.at,
		Table: x.intent.Table, Row: x.intent.Row, Family: x.intent.Family, After: r.last}
	if x.opType.delay > 0 {
		intent.Due = r.at + x.opType.delay.Milliseconds()
	}
	stored, err := x.opType.parse(intent.Arguments)
	if err != nil {
		return 0, x.failed("arguments", hbase.ErrInvalid)
	}
	x.cells = d.cells
	x.setIntent(intent, stored)
	x.w.claim(intent.ID)
	return statePreparing, nil
}

// verify completes the operation because of which there is nothing to do. If that operation may
// have been compensated, the attempt is lost.
func (x *execution) verify(ctx context.Context) (state, error) {
	last := x.read.last
	if err := x.complete(ctx, last); err != nil {
		return 0, err
	}
	made, done := tables.CommittedBy(last)
	if _, incomplete := predecessor(ctx, last); !x.opType.compensated || !incomplete || done {
		return stateUnchanged, nil
	}
	row, err := x.one(ctx, "read again", x.lastGet())
	if err != nil {
		return 0, err
	}
	now, err := tables.DecodeCommitRecord(row)
	if id, _ := tables.CommittedBy(now); err == nil && id != made {
		return stateLost, nil
	}
	return stateUnchanged, err
}

// prepare writes the intent, checks the predecessor and reads ahead for the effects, in one round.
// If it fails, the intent is removed: the CheckAndPut was not sent. The intent of an operation
// without a commit row follows, because it is the commit.
func (x *execution) prepare(ctx context.Context) (state, error) {
	if err := x.readAhead(ctx); err != nil {
		_ = x.abandon(ctx)
		return 0, err
	}
	if x.intent.Table == "" {
		return stateCommitted, x.mutate(ctx, x.intended())
	}
	return stateCommitting, nil
}

// readAhead writes the intent, completes the predecessor, and reads what the effects need. The
// error is errSuperseded if this is a nested operation, and the operation that started it is
// complete: what was read may be newer than that.
func (x *execution) readAhead(ctx context.Context) error {
	gets, take := x.readAheadGets()
	parent, previous := -1, -1
	if ids := parents(ctx); len(ids) > 0 {
		parent = len(gets)
		gets = append(gets, tables.Intents.Open(ids[len(ids)-1]))
	}
	if id, incomplete := predecessor(ctx, x.intent.After); incomplete {
		previous = len(gets)
		gets = append(gets, tables.Intents.Open(id))
	}
	var cells [][]hbase.Cell
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		cells, err = x.get(both, "prepare", gets)
		return err
	})
	if x.intent.Table != "" {
		g.Go(func() error { return x.mutate(both, x.intended()) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if parent >= 0 && len(cells[parent]) == 0 {
		return errSuperseded
	}
	if previous >= 0 && len(cells[previous]) > 0 {
		if err := x.complete(ctx, x.intent.After); err != nil {
			return err
		}
	}
	return take(cells)
}
