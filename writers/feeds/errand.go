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
	lease []byte
	// until is when the lease ends, cursor the position up to which the followers are done.
	until  time.Time
	cursor string
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
		err = e.posted(ctx)
	case tables.Deleted:
		err = e.deleted(ctx)
	case tables.Followed:
		err = e.followed(ctx)
	case tables.Unfollowed:
		err = e.unfollowed(ctx)
	case tables.Returned:
		err = e.returned(ctx)
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

// take takes the errand for a while, if nobody else has.
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
	_, e.lease, e.cursor = tables.Errands.Taken(cells[0])
	return e.keep(ctx, leased)
}

// free reports whether this gateway may take an errand now. One that rests is nobody's before its time.
func (f *Feeds) free(cells []hbase.Cell) bool {
	until, lease, cursor := tables.Errands.Taken(cells)
	return !f.o.Now().Before(until) || f.mine(lease) && cursor != resting
}

// resting is the cursor of an errand that has only to wait. It is behind all followers.
const resting = tables.MembersEnd

// rest lets an errand be done with when that time is over, by whichever gateway.
func (e *errand) rest(ctx context.Context, time time.Duration) error {
	e.cursor = resting
	if err := e.keep(ctx, time); err != nil {
		return err
	}
	return errTaken
}

// keep takes the errand for that long, and notes how far it is. Whoever finds that somebody else took it meanwhile lets go of it.
func (e *errand) keep(ctx context.Context, time time.Duration) error {
	until := e.o.Now().Add(time)
	check, put := tables.Errands.Take(e.ID, e.lease, e.holder, until, e.cursor)
	done, err := e.store.CheckAndPut(ctx, check, put)
	if err != nil {
		return err
	}
	if !done {
		return errTaken
	}
	e.lease, e.until = put.Cells[0].Value, until
	return nil
}

// reached notes up to which follower the errand is done, once a second: so much is done again by whoever goes on after a crash.
func (e *errand) reached(ctx context.Context, cursor string) error {
	e.cursor = cursor
	if e.until.Sub(e.o.Now()) > leased-time.Second {
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
