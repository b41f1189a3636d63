package writers

import (
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
	if errors.Is(err, errSuperseded) {
		return nil
	}
	return err
}

// fate is what a sweep found out about a stale intent.
type fate int

const (
	// postponed: the operation before it on its commit row is not complete. A later sweep looks again.
	postponed fate = iota
	// committed: its effects must be applied.
	committed
	// fenced: it did not commit, and never will.
	fenced
)

// settle finishes an operation, or keeps it from committing.
func (f found) settle(ctx context.Context) error {
	fate, err := committed, error(nil)
	if !tables.Intents.Marked(f.cells) {
		fate, err = f.fate(ctx)
	}
	if err != nil {
		return err
	}
	switch fate {
	case committed:
		if err = f.finish(ctx); err == nil {
			f.w.Counters.Swept.Add(1)
		}
	case fenced:
		f.w.Counters.Fenced.Add(1)
		err = f.mutate(ctx, write{"sweep, forget", tables.Intents.Remove(f.intent)})
	}
	return err
}

// fate finds out whether the operation committed, and fences it if it did not.
func (x *execution) fate(ctx context.Context) (fate, error) {
	if x.intent.Table == "" {
		return committed, nil
	}
	for range maxTries {
		row, err := x.one(ctx, "sweep, read", x.lastGet())
		if err != nil {
			return 0, err
		}
		last, err := tables.DecodeOp(row)
		switch id, _ := tables.CommittedBy(last); {
		case err != nil:
			return 0, err
		case id == x.intent.ID:
			return committed, nil
		case last != x.intent.After:
			_, marked, err := x.ownIntent(ctx, "sweep, own intent")
			if err == nil && marked {
				return committed, nil
			}
			return fenced, err
		}
		// A fence is a commit like any other: the operation before it must be complete.
		if open, err := x.follows(ctx); err != nil || open {
			return postponed, err
		}
		switch done, err := x.fence(ctx, row); {
		case done:
			return fenced, nil
		case err != nil && !errors.Is(err, hbase.ErrUnavailable):
			return 0, err
		}
	}
	return 0, x.failed("sweep", hbase.ErrUnavailable)
}

// follows reports whether the decision that the write expects on its row may not be whole. Then a sweep finishes that one by itself: nothing
// short waits for something long.
func (x *execution) follows(ctx context.Context) (bool, error) {
	if !mustHelp(ctx, x.intent.After) {
		return false, nil
	}
	id, _ := tables.CommittedBy(x.intent.After)
	open, err := x.openIntents(ctx, []string{id}, "sweep, last intent")
	return open[id], err
}
