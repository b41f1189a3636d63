package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// state is how an author's twits get to readers.
type state struct {
	state  tables.Broadcast
	stored bool
	// orphaned is one that the job of which it waits for will never end.
	orphaned  bool
	followers int
}

// state reads the author's state, out of the cells of it and of the number of followers.
func (e *job) state(ctx context.Context, cells, length []hbase.Cell) (s state, err error) {
	if s.state, s.stored, err = tables.Broadcasters.State(cells); err != nil {
		return s, err
	}
	if s.followers, err = tables.DecodeCount(length); err != nil {
		return s, err
	}
	if other, leaving := s.state.Leaving(); leaving && other != e.ID {
		row, err := e.read(ctx, tables.Jobs.Get(other))
		if err != nil {
			return s, err
		}
		_, there, err := tables.Jobs.Decode(tables.Jobs.Row(other), row[0])
		s.orphaned = !there
		return s, err
	}
	return s, nil
}

// room reports whether the author may become a broadcaster.
func (e *job) room(ctx context.Context) (bool, error) {
	cells, err := e.read(ctx, tables.Broadcasters.Get())
	if err != nil {
		return false, err
	}
	are, err := tables.Broadcasters.Decode(cells[0])
	return tables.RoomForBroadcasters(len(are)), err
}

// change brings the author into the next state, and reports whether it was in the one before. A lost answer is false: who goes on looks
// at the state again.
func (e *job) change(ctx context.Context, from state, to tables.Broadcast) (bool, error) {
	check, put := tables.Broadcasters.Change(e.Author, from.state, from.stored, to)
	return e.store.CheckAndPut(ctx, check, put)
}

// few reports whether an author with so many followers is to be no broadcaster any more.
func (e *job) few(followers int) bool { return 2*followers < e.o.Limit }

// unmerge lets another job bring the author's twits into timelines, and reports whether the author's state waits for that. It does by this call or
// never: so whoever finds that it does knows that it was never ended, however long a gateway was stopped, and what was brought since is all.
func (e *job) unmerge(ctx context.Context, from state) (bool, error) {
	another := tables.Job{ID: e.newOp(), Kind: tables.Returned, At: e.At, Author: e.Author}
	if err := e.write(ctx, []hbase.Mutation{tables.Jobs.Put(another)}); err != nil {
		return false, err
	}
	done, err := e.change(ctx, from, tables.Leaving(another.ID))
	e.Notify(another)
	return done, err
}

// returned brings all twits of an author who has few followers again into their timelines, and then lets readers find them there. If the job's
// state was not entered, another one does. If it has ended, the author may be a broadcaster again, and is left one.
func (e *job) returned(ctx context.Context) error {
	if err := e.keep(ctx, leased); err != nil {
		return err
	}
	mine := tables.Leaving(e.ID)
	for {
		cells, err := e.read(ctx, tables.Broadcasters.Of(e.Author), tables.Followers.Length(e.Author))
		if err != nil {
			return err
		}
		s, err := e.state(ctx, cells[0], cells[1])
		if err != nil {
			return err
		}
		switch {
		case s.state == mine && e.hold.Cursor == resting:
			// Whoever read a timeline before all was there has also looked whether the author is to be merged, by now.
			if done, err := e.change(ctx, s, tables.Pushed); done || err != nil {
				return err
			}
		case s.state == mine:
			return e.bringAll(ctx)
		case e.hold.Cursor != resting && (s.state == tables.Merged && e.few(s.followers) || s.orphaned):
			if done, err := e.unmerge(ctx, s); done || err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// bringAll brings an author's twits into the timelines of all followers.
func (e *job) bringAll(ctx context.Context) error {
	twits, err := e.newest(ctx, e.o.TimelineBound)
	if err != nil {
		return err
	}
	way := walkAfter(e.Feeds, tables.Followers, e.Author, e.hold.Cursor)
	followers, positions, err := way.next(ctx, e.share(twits))
	if err == nil {
		err = e.bring(ctx, e.course(followers, positions, twits, way))
	}
	if err == nil {
		err = e.rest(ctx, grace)
	}
	if err != nil {
		return err
	}
	return errTaken
}
