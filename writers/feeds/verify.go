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
	if len(b.Followers) == 0 {
		return nil, nil
	}
	followers, twits, err := f.missing(ctx, b)
	if err != nil {
		return nil, err
	}
	if len(followers)+len(twits) > 0 {
		if followers, deleted, err = f.confirm(ctx, followers, twits); err != nil {
			return nil, err
		}
		if err := f.deleteEntries(ctx, b, followers, deleted); err != nil {
			return nil, err
		}
	}
	var full []string
	for _, follower := range b.Followers {
		if f.trims(follower.Username, b.Twits) {
			full = append(full, follower.Username)
		}
	}
	return deleted, f.trim(ctx, full)
}

// missing returns the followers and twits of a batch that are not in the author's lists any more.
func (f *fanout) missing(ctx context.Context, b batch) (followers []tables.Follow, twits []tables.TwitKey, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		followers, err = absent(ctx, f.Feeds, tables.Followers, f.Author, b.Followers, b.positions)
		return err
	})
	g.Go(func() (err error) {
		positions := make([]string, len(b.Twits))
		for i, twit := range b.Twits {
			positions[i] = twit.Position
		}
		twits, err = absent(ctx, f.Feeds, tables.Twits, f.Author, b.Twits, positions)
		return err
	})
	err = g.Wait()
	return followers, twits, err
}

// confirm returns the followers whose follow has ended, and the twits that were deleted. It reads the rows that
// hold the truth: a member may be missing from a list for a moment, to a reader that is slow while a bucket is split.
func (f *fanout) confirm(
	ctx context.Context, followers []tables.Follow, twits []tables.TwitKey,
) (left []tables.Follow, deleted []tables.TwitKey, err error) {
	var gets []hbase.Get
	for _, follower := range followers {
		gets = append(gets, tables.Follows.Get(follower.Username, f.Author))
	}
	for _, twit := range twits {
		_, name, err := twit.Parts()
		if err != nil {
			return nil, nil, err
		}
		gets = append(gets, tables.TwitNames.Get(name))
	}
	cells, err := f.read(ctx, gets...)
	if err != nil {
		return nil, nil, err
	}
	for i, follower := range followers {
		related, since, err := tables.Follows.Decode(cells[i])
		if err != nil {
			return nil, nil, err
		}
		if !related || !since.Equal(follower.At) {
			left = append(left, follower)
		}
	}
	for i, twit := range twits {
		_, gone, posted, err := tables.TwitNames.Decode(cells[len(followers)+i])
		if err != nil {
			return nil, nil, err
		}
		if gone || !posted {
			deleted = append(deleted, twit)
		}
	}
	return left, deleted, nil
}

// deleteEntries deletes a batch's entries of these followers and of these twits. Puts of them that arrive later
// stay masked.
func (f *fanout) deleteEntries(ctx context.Context, b batch, left []tables.Follow, deleted []tables.TwitKey) error {
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
