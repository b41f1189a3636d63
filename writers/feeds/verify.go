package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// verify deletes the entries of a batch that should not be there any more, and trims the timelines whose turn it
// is. It returns the twits that were deleted.
func (f *fanout) verify(ctx context.Context, b batch) (deleted []tables.TwitKey, err error) {
	positions := make([]string, len(b.twits))
	for i, twit := range b.twits {
		positions[i] = twit.Position
	}
	var followers, twits []int
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		followers, err = missing(both, f.Feeds, tables.Followers, f.Author, b.followers.positions)
		return err
	})
	g.Go(func() (err error) {
		twits, err = missing(both, f.Feeds, tables.Twits, f.Author, positions)
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if len(followers)+len(twits) > 0 {
		var left []tables.Follow
		if left, deleted, err = f.confirm(ctx, b, followers, twits); err != nil {
			return nil, err
		}
		if err := f.deleteEntries(ctx, b, left, deleted); err != nil {
			return nil, err
		}
	}
	for _, follower := range b.followers.members {
		if f.trims(follower.Username, b.twits) {
			if err := f.trim(ctx, follower.Username); err != nil {
				return nil, err
			}
		}
	}
	return deleted, nil
}

// confirm returns those of some followers, given by their indexes, whose follow has ended, and those of some twits
// that were deleted. It reads the rows that hold the truth: a member may be missing from a list for a moment, to a
// reader that is slow while a bucket is split.
func (f *fanout) confirm(
	ctx context.Context, b batch, followers, twits []int,
) (left []tables.Follow, deleted []tables.TwitKey, err error) {
	var gets []hbase.Get
	for _, i := range followers {
		gets = append(gets, tables.Follows.Get(b.followers.members[i].Username, f.Author))
	}
	for _, i := range twits {
		_, name, err := b.twits[i].Parts()
		if err != nil {
			return nil, nil, err
		}
		gets = append(gets, tables.TwitNames.Get(name))
	}
	cells, err := f.read(ctx, gets...)
	if err != nil {
		return nil, nil, err
	}
	for n, i := range followers {
		related, since, err := tables.Follows.Decode(cells[n])
		if err != nil {
			return nil, nil, err
		}
		if follower := b.followers.members[i]; !related || !since.Equal(follower.At) {
			left = append(left, follower)
		}
	}
	for n, i := range twits {
		_, gone, posted, err := tables.TwitNames.Decode(cells[len(followers)+n])
		if err != nil {
			return nil, nil, err
		}
		if gone || !posted {
			deleted = append(deleted, b.twits[i])
		}
	}
	return left, deleted, nil
}

// deleteEntries deletes a batch's entries of these followers and of these twits. Puts of them that arrive later
// stay masked.
func (f *fanout) deleteEntries(ctx context.Context, b batch, left []tables.Follow, deleted []tables.TwitKey) error {
	var deletes []hbase.Mutation
	for _, follower := range b.followers.members {
		var entries []hbase.Deletion
		for _, twit := range b.twits {
			if position := tables.Timelines.Position(twit); slices.Contains(deleted, twit) {
				entries = append(entries, deletion(position, tables.Forever))
			} else if slices.Contains(left, follower) {
				entries = append(entries, deletion(position, entryTime(follower)))
			}
		}
		if len(entries) > 0 {
			deletes = append(deletes, deleteFrom(follower.Username, entries))
		}
	}
	return f.write(ctx, deletes...)
}
