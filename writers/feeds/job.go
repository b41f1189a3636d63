package feeds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// errTaken is a job that another gateway is at, or that is done, or whose time has not come.
var errTaken = errors.New("feeds: somebody else does it")

// job is one that this gateway has taken.
type job struct {
	*Feeds
	tables.Job
	// hold is what the store says of it. Its cursor is a position in the author's list of followers.
	hold tables.Hold
}

// try does a job. What fails stays in the store, and is tried again.
func (f *Feeds) try(ctx context.Context, e tables.Job) error {
	defer f.over(e.ID)
	err := f.do(ctx, e)
	if errors.Is(err, errTaken) {
		return nil
	}
	if err != nil {
		err = fmt.Errorf("job %s, %s, of %s: %w", e.ID, e.Kind, e.Author, err)
		if ctx.Err() == nil {
			f.o.Log.Warn("a job is put off", "error", err)
		}
	}
	return err
}

func (f *Feeds) do(ctx context.Context, given tables.Job) error {
	e := &job{Feeds: f, Job: given}
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
		err = fmt.Errorf("%w: %q is no kind of job", hbase.ErrCorrupt, e.Kind)
	}
	if err != nil {
		return err
	}
	if err := f.write(ctx, []hbase.Mutation{tables.Jobs.Remove(e.ID)}); err != nil {
		return err
	}
	f.o.Done(e.Job)
	return nil
}

// take finds out whether the job is free. It is this gateway's from the next keep on, if nobody else's is first.
func (e *job) take(ctx context.Context) error {
	cells, err := e.read(ctx, tables.Jobs.Get(e.ID))
	if err != nil {
		return err
	}
	_, ok, err := tables.Jobs.Decode(tables.Jobs.Row(e.ID), cells[0])
	if err != nil {
		return err
	}
	if !ok || !e.free(cells[0]) {
		return errTaken
	}
	e.hold = tables.Jobs.Taken(cells[0])
	return nil
}

// free reports whether this gateway may take a job now. One that rests is nobody's before its time.
func (f *Feeds) free(cells []hbase.Cell) bool {
	h := tables.Jobs.Taken(cells)
	return !f.o.Now().Before(h.Until) || f.mine(h.Lease) && h.Cursor != resting
}

// resting is the cursor of a job for which nothing is written any more. It is behind all followers.
const resting = tables.MembersEnd

// rest ends the writing, and leaves the job alone for a while.
func (e *job) rest(ctx context.Context, time time.Duration) error {
	e.hold.Cursor, e.hold.Noted = resting, ""
	return e.keep(ctx, time)
}

// keep takes the job for that long, and notes how far it is. Whoever finds that somebody else took it meanwhile lets go of it.
func (e *job) keep(ctx context.Context, d time.Duration) error {
	until := e.o.Now().Add(d)
	if earliest := e.hold.Until.Add(time.Millisecond); until.Before(earliest) {
		until = earliest
	}
	next := e.hold.Longer(e.holder, until)
	check, put := tables.Jobs.Take(e.ID, e.hold, next)
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

// reached notes up to which follower the job is done, once a second: so much is done again by whoever goes on after a crash.
func (e *job) reached(ctx context.Context, cursor string) error {
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
