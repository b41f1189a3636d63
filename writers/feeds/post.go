package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

func (f *fanout) posted(ctx context.Context) error {
	twit := tables.TwitKey{Author: f.Author, Position: f.Position}
	_, name, err := twit.Parts()
	if err != nil {
		return err
	}
	cells, err := f.read(ctx, tables.TwitNames.Get(name))
	if err != nil {
		return err
	}
	_, deleted, _, err := tables.TwitNames.Decode(cells[0])
	if err != nil {
		return err
	}
	for next := readAgain; next == readAgain; {
		// The twit is in the author's list before this read of the state. A returned job reads the
		// list after the transition to leaving. So this job or the returned job delivers the twit.
		s, err := f.readAuthorState(ctx)
		if err != nil {
			return err
		}
		if next, err = f.nextState(ctx, s, deleted); err != nil || next == deliverNothing {
			return err
		}
	}
	return f.deliverToAll(ctx, newest{keys: []tables.TwitKey{twit}})
}

type postStep int

const (
	deliverTwit    postStep = iota
	deliverNothing          // readers merge the twit, or it is deleted
	readAgain               // the author's state
)

// nextState changes the author's state if the number of followers has crossed a limit, or the job
// of a leaving author is missing.
func (f *fanout) nextState(ctx context.Context, s authorState, deleted bool) (postStep, error) {
	switch {
	case s.orphaned:
		// The returned job may have ended after this read of the state, and read the list before
		// this twit was posted. So this job delivers it, too.
		if _, err := f.startLeaving(ctx, s); err != nil || deleted {
			return deliverNothing, err
		}
		return deliverTwit, nil
	case s.state == tables.Merged && f.few(s.followers):
		_, err := f.startLeaving(ctx, s)
		return deliverNothing, err
	case s.state == tables.Merged, deleted:
		return deliverNothing, nil
	case s.state == tables.Pushed && s.followers > f.o.Limit:
		room, err := f.roomForBroadcaster(ctx)
		if err != nil || !room {
			return deliverTwit, err
		}
		// The last follower may have unfollowed just before the transition: see docs/FEEDS.md.
		_, err = f.transition(ctx, s, tables.Merged)
		return readAgain, err
	}
	return deliverTwit, nil
}

// deleted uses the greatest timestamp, so that its delete markers mask late puts of the entries.
func (f *fanout) deleted(ctx context.Context) error {
	if err := f.renew(ctx); err != nil {
		return err
	}
	twit := tables.TwitKey{Author: f.Author, Position: f.Position}
	entry := []hbase.Cell{tables.Timelines.Cell(twit, tables.Forever)}
	r := listscan.Range{After: f.Cursor, Far: f.Cursor != "", Limit: f.o.BatchSize}
	for followers, err := range pages(ctx, f.Feeds, tables.Followers, f.Author, r) {
		if err != nil {
			return err
		}
		deletes := make([]hbase.Mutation, len(followers.members))
		for i, follower := range followers.members {
			deletes[i] = deleteFrom(follower.Username, entry)
		}
		if err := f.write(ctx, deletes...); err != nil {
			return err
		}
		if err := f.advance(ctx, followers.last()); err != nil {
			return err
		}
	}
	return nil
}
