package writers

import (
	"cmp"
	"context"
	"errors"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// found is an old write, and its intent as it was found.
type found struct {
	*execution
	cells []hbase.Cell
}

// idle reports whether nobody is known to carry the write on, and its time has come.
func (f found) idle() bool {
	lease := tables.LeaseOf(f.cells)
	now := f.w.now()
	return !now.Before(lease.Until) && now.UnixMilli() >= f.intent.Due && !f.w.carries(f.intent.ID)
}

// sweep finishes one write, unless somebody else does.
func (w *Writers) sweep(ctx context.Context, f found) error {
	if !f.idle() {
		return nil
	}
	if _, first := w.begin(f.intent.ID); !first {
		return nil
	}
	defer w.over(f.intent.ID)
	lease := tables.LeaseOf(f.cells)
	if mine, err := f.take(ctx, "sweep, lease", lease.Value); err != nil || !mine {
		return err
	}
	err := f.alone(ctx, f.settle)
	if errors.Is(err, errWhole) || errors.Is(err, errPutOff) {
		return nil
	}
	return err
}

// errPutOff is an old write whose turn has not come.
var errPutOff = errors.New("writers: the decision before it is not whole")

// settle finishes a write, or keeps it from being decided.
func (f found) settle(ctx context.Context) error {
	decided, err := tables.Intents.Marked(f.cells), error(nil)
	if !decided {
		decided, err = f.decided(ctx)
	}
	switch {
	case err != nil:
	case decided:
		if err = f.finish(ctx, nil); err == nil {
			f.w.Counters.Swept.Add(1)
		}
	default:
		f.w.Counters.Fenced.Add(1)
		err = f.mutate(ctx, write{"sweep, forget", tables.Intents.Remove(f.intent)})
	}
	return err
}

// decided reports whether a write was decided and may not be whole. If it was not decided, it never will be.
func (x *execution) decided(ctx context.Context) (bool, error) {
	if x.intent.Table == "" {
		return true, nil
	}
	for range maxTries {
		row, err := x.one(ctx, "sweep, read", x.lastGet())
		if err != nil {
			return false, err
		}
		last, err := tables.DecodeOp(row)
		switch id, _ := tables.DecidedBy(last); {
		case err != nil:
			return false, err
		case id == x.intent.ID:
			return true, nil
		case last != x.intent.After:
			_, marked, err := x.stands(ctx, "sweep, own intent")
			return marked, err
		}
		// A fence is a decision like any other: the one before must be whole.
		if open, err := x.follows(ctx); err != nil || open {
			return false, cmp.Or(err, errPutOff)
		}
		if done, err := x.fence(ctx, row); done || err != nil && !errors.Is(err, hbase.ErrUnavailable) {
			return false, err
		}
	}
	return false, x.failed("sweep", hbase.ErrUnavailable)
}

// follows reports whether the decision that the write expects on its row may not be whole. Then a sweep finishes that one by itself: nothing
// short waits for something long.
func (x *execution) follows(ctx context.Context) (bool, error) {
	if !mustHelp(ctx, x.intent.After) {
		return false, nil
	}
	id, _ := tables.DecidedBy(x.intent.After)
	there, err := intentsOpen(ctx, x.port, []string{id}, "sweep, last intent")
	return there[id], err
}
