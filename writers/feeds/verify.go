package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// verify also trims some timelines.
func (f *fanout) verify(ctx context.Context, b tables.Batch) (deleted []tables.TwitKey, err error) {
	var left []tables.Follow
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		left, err = missing(both, f.Feeds, tables.Followers, f.Author, b.Followers, tables.Followers.Position)
		return err
	})
	g.Go(func() (err error) {
		position := func(t tables.TwitKey) string { return t.Position }
		deleted, err = missing(both, f.Feeds, tables.Twits, f.Author, b.Twits, position)
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if len(left)+len(deleted) > 0 {
		if left, deleted, err = f.confirm(ctx, left, deleted); err != nil {
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

// confirm reads the sources, because a slow reader may miss a member during a split.
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

func (f *fanout) deleteEntries(
	ctx context.Context, b tables.Batch, left []tables.Follow, deleted []tables.TwitKey,
) error {
	var deletes []hbase.Mutation
	for _, follower := range b.Followers {
		var entries []hbase.Cell
		for _, twit := range b.Twits {
			if slices.Contains(deleted, twit) {
				entries = append(entries, tables.Timelines.Cell(twit, tables.Forever))
			} else if slices.Contains(left, follower) {
				entries = append(entries, tables.Timelines.Cell(twit, entryTime(follower)))
			}
		}
		if len(entries) > 0 {
			deletes = append(deletes, deleteFrom(follower.Username, entries))
		}
	}
	return f.write(ctx, deletes...)
}
