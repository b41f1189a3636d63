package feeds

import (
	"context"

	"twibase/hbase/tables"
)

// authorState is how an author's twits get to readers, and how many followers there are.
type authorState struct {
	state  tables.Broadcast
	stored bool
	// orphaned is a leaving state whose job is gone: no job will end it.
	orphaned  bool
	followers int
}

// readAuthorState reads the author's state, and looks for its job if the author is leaving.
func (f *fanout) readAuthorState(ctx context.Context) (s authorState, err error) {
	cells, err := f.read(ctx, tables.Broadcasters.Of(f.Author), tables.Followers.Length(f.Author))
	if err != nil {
		return s, err
	}
	if s.state, s.stored, err = tables.Broadcasters.State(cells[0]); err != nil {
		return s, err
	}
	if s.followers, err = tables.DecodeCount(cells[1]); err != nil {
		return s, err
	}
	if job, leaving := s.state.Leaving(); leaving && job != f.ID {
		row, err := f.read(ctx, tables.Jobs.Get(job))
		if err != nil {
			return s, err
		}
		_, exists, err := tables.Jobs.Decode(tables.Jobs.Row(job), row[0])
		s.orphaned = !exists
		return s, err
	}
	return s, nil
}

// roomForBroadcaster reports whether the author may become a broadcaster.
func (f *fanout) roomForBroadcaster(ctx context.Context) (bool, error) {
	cells, err := f.read(ctx, tables.Broadcasters.Get())
	if err != nil {
		return false, err
	}
	broadcasters, err := tables.Broadcasters.Decode(cells[0])
	return tables.RoomForBroadcasters(len(broadcasters)), err
}

// transition changes the author's state, and reports whether the state was the expected one. It may report false
// after it succeeded, when the store's answer was lost: callers read the state again.
func (f *fanout) transition(ctx context.Context, from authorState, to tables.Broadcast) (bool, error) {
	check, put := tables.Broadcasters.Change(f.Author, from.state, from.stored, to)
	return f.store.CheckAndPut(ctx, check, put)
}

// few reports whether an author with so many followers should no longer be a broadcaster.
func (f *fanout) few(followers int) bool { return 2*followers < f.o.Limit }

// leave starts a job that delivers all of the author's twits to timelines, and reports whether the author's state
// now names that job. Only this call can make it do so. So a job that finds itself in the state knows that it
// never ended that state before, and that what it has delivered is all that readers merged.
func (f *fanout) leave(ctx context.Context, from authorState) (bool, error) {
	next := tables.Job{ID: f.outbox.NewID(), Kind: tables.Returned, At: f.At, Author: f.Author}
	if err := f.write(ctx, tables.Jobs.Put(next)); err != nil {
		return false, err
	}
	done, err := f.transition(ctx, from, tables.Leaving(next.ID))
	f.Notify(next)
	return done, err
}

// returned delivers all twits of an author who has few followers again. Then it waits until no request can be
// merging them any more, and ends the author's leaving state. It reports false while it waits.
func (f *fanout) returned(ctx context.Context) (done bool, err error) {
	if err := f.redeliver(ctx); err != nil {
		return false, err
	}
	if err := f.renew(ctx); err != nil {
		return false, err
	}
	waits, err := f.endLeaving(ctx)
	if waits || err != nil {
		return false, err
	}
	// The cursor stays: the author's state may still come to name this job, and only a job that has delivered
	// everything may end it.
	f.Unverified = ""
	return true, f.item.Release(ctx, f.Progress.Cells()...)
}

// endLeaving ends the author's leaving state if it names this job and the job was in quarantine. It reports whether
// the job has delivered and waits now. If the state does not name this job, another job ends it, or has ended it:
// then the author may be a broadcaster again, and stays one.
func (f *fanout) endLeaving(ctx context.Context) (waits bool, err error) {
	for {
		s, err := f.readAuthorState(ctx)
		if err != nil {
			return false, err
		}
		waited := f.Cursor == allDelivered
		switch {
		case s.state == tables.Leaving(f.ID) && waited:
			if done, err := f.transition(ctx, s, tables.Pushed); done || err != nil {
				return false, err
			}
		case s.state == tables.Leaving(f.ID):
			return true, f.deliverAll(ctx)
		case !waited && (s.state == tables.Merged && f.few(s.followers) || s.orphaned):
			if done, err := f.leave(ctx, s); done || err != nil {
				return false, err
			}
		default:
			return false, nil
		}
	}
}

// deliverAll delivers the author's newest twits to all followers, and puts the job in quarantine. A request that
// read its timeline before has then read by the end of the quarantine whether it has to merge the author.
func (f *fanout) deliverAll(ctx context.Context) error {
	twits, err := f.newestTwits(ctx)
	if err != nil {
		return err
	}
	if err := f.deliverToAll(ctx, twits); err != nil {
		return err
	}
	f.Cursor, f.Unverified = allDelivered, ""
	return f.item.Defer(ctx, quarantine, f.Progress.Cells()...)
}
