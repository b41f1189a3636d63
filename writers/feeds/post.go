package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// posted delivers a twit to the author's followers, unless readers merge the author's twits.
func (f *fanout) posted(ctx context.Context) error {
	twit := tables.TwitKey{Author: f.Author, Position: f.Position}
	_, name, err := twit.Parts()
	if err != nil {
		return err
	}
	followers := membersAfter(f.Feeds, tables.Followers, f.Author, f.Cursor)
	gets := append([]hbase.Get{
		tables.Broadcasters.Of(f.Author), tables.Followers.Length(f.Author), tables.TwitNames.Get(name),
	}, followers.gets(f.o.BatchSize)...)
	for {
		// The twit was in the author's list before this reads the state. The job that ends the merging enters
		// the leaving state first and reads the list afterwards. So one of the two delivers the twit.
		cells, err := f.read(ctx, gets...)
		if err != nil {
			return err
		}
		s, err := f.authorState(ctx, cells[0], cells[1])
		if err != nil {
			return err
		}
		_, deleted, _, err := tables.TwitNames.Decode(cells[2])
		if err != nil {
			return err
		}
		next, err := f.nextState(ctx, s, deleted)
		if err != nil || next == merged {
			return err
		}
		if next == changed {
			continue
		}
		first, positions, err := followers.take(ctx, cells[3:])
		if err != nil {
			return err
		}
		return f.deliver(ctx, f.batches(first, positions, []tables.TwitKey{twit}, followers))
	}
}

// postStep is what a posted twit leads to.
type postStep int

const (
	delivered postStep = iota // the job delivers the twit
	merged                    // nothing is delivered: readers merge the twit, or it is deleted
	changed                   // the author's state has changed, and is read again
)

// nextState moves the author between the states if the number of followers asks for it.
func (f *fanout) nextState(ctx context.Context, s authorState, deleted bool) (postStep, error) {
	switch {
	case s.orphaned:
		// The twit may not be in the list that the new job reads.
		if _, err := f.leave(ctx, s); err != nil || deleted {
			return merged, err
		}
		return delivered, nil
	case s.state == tables.Merged && f.few(s.followers):
		_, err := f.leave(ctx, s)
		return merged, err
	case s.state == tables.Merged, deleted:
		return merged, nil
	case s.state == tables.Pushed && s.followers > f.o.Limit:
		room, err := f.roomForBroadcaster(ctx)
		if err != nil || !room {
			return delivered, err
		}
		// Followers and author may be deleted by now. Their deletion found no broadcaster, so the state is read
		// again.
		_, err = f.transition(ctx, s, tables.Merged)
		return changed, err
	}
	return delivered, nil
}

// deleted removes a twit from the timelines of all followers, for good: also entries that another gateway is about
// to write. Users who follow from now on do not find the twit in the author's list.
func (f *fanout) deleted(ctx context.Context) error {
	if err := f.renew(ctx); err != nil {
		return err
	}
	for followers := membersAfter(f.Feeds, tables.Followers, f.Author, f.Cursor); ; {
		page, positions, err := followers.next(ctx, f.o.BatchSize)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := f.removeTwit(ctx, page); err != nil {
			return err
		}
		if err := f.advance(ctx, positions[len(positions)-1]); err != nil {
			return err
		}
	}
}

// removeTwit removes the job's twit from the timelines of these followers for good.
func (f *fanout) removeTwit(ctx context.Context, followers []tables.Follow) error {
	position := tables.Timelines.Position(tables.TwitKey{Author: f.Author, Position: f.Position})
	deletes := make([]hbase.Mutation, len(followers))
	for i, follower := range followers {
		deletes[i] = deleteFrom(follower.Username, []hbase.Deletion{deletion(position, tables.Forever)})
	}
	return f.write(ctx, deletes...)
}

// newestTwits returns the author's newest twits, as many as a timeline keeps.
func (f *fanout) newestTwits(ctx context.Context) (keys []tables.TwitKey, err error) {
	list := membersAfter(f.Feeds, tables.Twits, f.Author, "")
	for len(keys) < f.o.TimelineBound {
		twits, _, err := list.next(ctx, min(f.o.BatchSize, f.o.TimelineBound-len(keys)))
		if err != nil || len(twits) == 0 {
			return keys, err
		}
		for _, t := range twits {
			keys = append(keys, t.Key())
		}
	}
	return keys, nil
}
