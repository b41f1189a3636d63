package feeds

import (
	"context"

	"twibase/hbase/tables"
)

// docs/FEEDS.md has the states of an author, and says why no transition loses a twit.

type authorState struct {
	state     tables.Broadcast
	stored    bool // if false, nothing is stored, and state is pushed
	orphaned  bool // the author is leaving, and its job does not exist
	followers int
}

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

func (f *fanout) roomForBroadcaster(ctx context.Context) (bool, error) {
	cells, err := f.read(ctx, tables.Broadcasters.Get())
	if err != nil {
		return false, err
	}
	broadcasters, err := tables.Broadcasters.Decode(cells[0])
	return tables.RoomForBroadcasters(len(broadcasters)), err
}

// transition may return false after a success whose response was lost. Callers that need the result
// read the state again.
func (f *fanout) transition(ctx context.Context, from authorState, to tables.Broadcast) (bool, error) {
	check, put := tables.Broadcasters.Change(f.Author, from.state, from.stored, to)
	return f.store.CheckAndPut(ctx, check, put)
}

func (f *fanout) few(followers int) bool { return 2*followers < f.o.Limit }

// startLeaving puts a new returned job, and reports whether the author's state names it. Nothing
// else enters a leaving state.
func (f *fanout) startLeaving(ctx context.Context, from authorState) (bool, error) {
	next := tables.Job{ID: f.outbox.NewID(), Kind: tables.Returned, At: f.At, Author: f.Author}
	if err := f.write(ctx, tables.Jobs.Put(next)); err != nil {
		return false, err
	}
	done, err := f.transition(ctx, from, tables.Leaving(next.ID))
	f.Notify(next)
	return done, err
}

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
	// The cursor must not become allDelivered: a late CheckAndPut of startLeaving may still put
	// this job into the author's state. Then its next run must deliver.
	f.Unverified = ""
	return true, f.item.Release(ctx, f.Progress.Cells()...)
}

// endLeaving moves the state towards pushed. waits is true if the twits were delivered, and the job
// is deferred.
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
			if done, err := f.startLeaving(ctx, s); done || err != nil {
				return false, err
			}
		default:
			return false, nil
		}
	}
}

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
