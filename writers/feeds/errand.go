package feeds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// errTaken is an errand that another gateway is at, or that is done, or whose time has not come.
var errTaken = errors.New("feeds: somebody else does it")

// errand is one that this gateway has taken.
type errand struct {
	*Feeds
	tables.Errand
	// hold is what the store says of it. Its cursor is a position in the author's list of followers.
	hold tables.Hold
}

// try does an errand. What fails stays in the store, and is tried again.
func (f *Feeds) try(ctx context.Context, e tables.Errand) error {
	defer f.over(e.ID)
	err := f.do(ctx, e)
	if errors.Is(err, errTaken) {
		return nil
	}
	if err != nil {
		err = fmt.Errorf("errand %s, %s, of %s: %w", e.ID, e.Kind, e.Author, err)
		if ctx.Err() == nil {
			f.o.Log.Warn("an errand is put off", "error", err)
		}
	}
	return err
}

func (f *Feeds) do(ctx context.Context, given tables.Errand) error {
	e := &errand{Feeds: f, Errand: given}
	if err := e.take(ctx); err != nil {
		return err
	}
	var err error
	switch e.Kind {
	case tables.Posted:
		err = e.brings(ctx, e.posted)
	case tables.Deleted:
		err = e.deleted(ctx)
	case tables.Followed:
		err = e.brings(ctx, e.followed)
	case tables.Unfollowed:
		err = e.unfollowed(ctx)
	case tables.Returned:
		err = e.brings(ctx, e.returned)
	default:
		err = fmt.Errorf("%w: %q is no kind of errand", hbase.ErrCorrupt, e.Kind)
	}
	if err != nil {
		return err
	}
	if err := f.write(ctx, []hbase.Mutation{tables.Errands.Remove(e.ID)}); err != nil {
		return err
	}
	f.o.Done(e.Errand)
	return nil
}

// take finds out whether the errand is free. It is this gateway's from the next keep on, if nobody else's is first.
func (e *errand) take(ctx context.Context) error {
	cells, err := e.read(ctx, tables.Errands.Get(e.ID))
	if err != nil {
		return err
	}
	_, ok, err := tables.Errands.Decode(tables.Errands.Row(e.ID), cells[0])
	if err != nil {
		return err
	}
	if !ok || !e.free(cells[0]) {
		return errTaken
	}
	e.hold = tables.Errands.Taken(cells[0])
	return nil
}

// free reports whether this gateway may take an errand now. One that rests is nobody's before its time.
func (f *Feeds) free(cells []hbase.Cell) bool {
	h := tables.Errands.Taken(cells)
	return !f.o.Now().Before(h.Until) || f.mine(h.Lease) && h.Cursor != resting
}

// resting is the cursor of an errand for which nothing is written any more. It is behind all followers.
const resting = tables.MembersEnd

// rest ends the writing, and leaves the errand alone for a while.
func (e *errand) rest(ctx context.Context, time time.Duration) error {
	e.hold.Cursor, e.hold.Noted = resting, ""
	return e.keep(ctx, time)
}

// keep takes the errand for that long, and notes how far it is. Whoever finds that somebody else took it meanwhile lets go of it.
func (e *errand) keep(ctx context.Context, d time.Duration) error {
	until := e.o.Now().Add(d)
	if earliest := e.hold.Until.Add(time.Millisecond); until.Before(earliest) {
		until = earliest
	}
	next := e.hold.Longer(e.holder, until)
	check, put := tables.Errands.Take(e.ID, e.hold, next)
	done, err := e.store.CheckAndPut(ctx, check, put)
	if err != nil {
		return err
	}
	if !done {
		return errTaken
	}
	e.hold = next
	return nil
}

// reached notes up to which follower the errand is done, once a second: so much is done again by whoever goes on after a crash.
func (e *errand) reached(ctx context.Context, cursor string) error {
	e.hold.Cursor = cursor
	if e.hold.Until.Sub(e.o.Now()) > leased-time.Second {
		return nil
	}
	return e.keep(ctx, leased)
}

// read is a multi-get that fails as a whole.
func (f *Feeds) read(ctx context.Context, gets ...hbase.Get) ([][]hbase.Cell, error) {
	results, err := f.store.Get(ctx, gets)
	if err != nil {
		return nil, err
	}
	cells := make([][]hbase.Cell, len(results))
	for i := range results {
		if results[i].Err != nil {
			return nil, results[i].Err
		}
		cells[i] = results[i].Cells
	}
	return cells, nil
}

// write fails with the first error; others may have been written.
func (f *Feeds) write(ctx context.Context, mutations []hbase.Mutation) error {
	if len(mutations) == 0 {
		return nil
	}
	errs, err := f.store.Mutate(ctx, mutations)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}
