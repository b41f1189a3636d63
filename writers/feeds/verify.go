package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// verify deletes the entries of a batch whose follower or twit is no longer in the author's lists,
// and trims some timelines. It returns the deleted twits.
func (f *fanout) verify(ctx context.Context, b tables.Batch) (deleted []tables.TwitKey, err error) {
	followerPositions, twitPositions := make([]string, len(b.Followers)), make([]string, len(b.Twits))
	for i, follower := range b.Followers {
		followerPositions[i] = tables.Followers.Position(follower)
	}
	for i, twit := range b.Twits {
		twitPositions[i] = twit.Position
	}
	var followers, twits []int
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		followers, err = missing(both, f.Feeds, tables.Followers, f.Author, followerPositions)
		return err
	})
	g.Go(func() (err error) {
		twits, err = missing(both, f.Feeds, tables.Twits, f.Author, twitPositions)
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
	for _, follower := range b.Followers {
		if f.trims(follower.Username, b.Twits) {
			if err := f.trim(ctx, follower.Username); err != nil {
				return nil, err
			}
		}
	}
	return deleted, nil
}

// confirm returns which of the batch's followers and twits, given by index, have left or are
// deleted. It reads the source rows: during a bucket split a slow reader may miss a member of a
// list.
func (f *fanout) confirm(
	ctx context.Context, b tables.Batch, followers, twits []int,
) (left []tables.Follow, deleted []tables.TwitKey, err error) {
	var gets []hbase.Get
	for _, i := range followers {
		gets = append(gets, tables.Follows.Get(b.Followers[i].Username, f.Author))
	}
	for _, i := range twits {
		_, name, err := b.Twits[i].Parts()
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
		if follower := b.Followers[i]; !related || !since.Equal(follower.At) {
			left = append(left, follower)
		}
	}
	for n, i := range twits {
		_, gone, posted, err := tables.TwitNames.Decode(cells[len(followers)+n])
		if err != nil {
			return nil, nil, err
		}
		if gone || !posted {
			deleted = append(deleted, b.Twits[i])
		}
	}
	return left, deleted, nil
}

// deleteEntries deletes a batch's entries of some followers and twits, and masks late puts of them.
func (f *fanout) deleteEntries(ctx context.Context, b tables.Batch, left []tables.Follow, deleted []tables.TwitKey) error {
	var deletes []hbase.Mutation
	for _, follower := range b.Followers {
		var entries []hbase.Deletion
		for _, twit := range b.Twits {
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
