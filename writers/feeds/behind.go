package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// lookBehind takes back what should not be there any more of a batch that was written, and returns the twits that are gone. It cuts the timelines
// that it is time for.
func (e *job) lookBehind(ctx context.Context, b batch) (gone []tables.TwitKey, err error) {
	if len(b.Followers) == 0 {
		return nil, nil
	}
	if gone, err = e.takeBack(ctx, b); err != nil {
		return nil, err
	}
	var full []string
	for _, follower := range b.Followers {
		if e.due(follower.Username, b.Twits) {
			full = append(full, follower.Username)
		}
	}
	return gone, e.trim(ctx, full)
}

// takeBack looks who of the followers has gone since they were read, and which of the twits, which it returns. What comes to these late stays masked.
func (e *job) takeBack(ctx context.Context, b batch) (twits []tables.TwitKey, err error) {
	var followers []tables.Follow
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		followers, err = absent(both, e.Feeds, tables.Followers, e.Author, b.Followers, b.places)
		return err
	})
	g.Go(func() (err error) {
		places := make([]string, len(b.Twits))
		for i, twit := range b.Twits {
			places[i] = twit.Position
		}
		twits, err = absent(both, e.Feeds, tables.Twits, e.Author, b.Twits, places)
		return err
	})
	if err := g.Wait(); err != nil || len(followers)+len(twits) == 0 {
		return nil, err
	}
	if followers, twits, err = e.gone(ctx, followers, twits); err != nil {
		return nil, err
	}
	var deletes []hbase.Mutation
	for _, follower := range b.Followers {
		var gone []hbase.Deletion
		for _, twit := range b.Twits {
			if position := tables.Timelines.Position(twit); slices.Contains(twits, twit) {
				gone = append(gone, without(position, tables.Forever))
			} else if slices.Contains(followers, follower) {
				gone = append(gone, without(position, stamp(follower)))
			}
		}
		if len(gone) > 0 {
			deletes = append(deletes, deleteFrom(follower.Username, gone))
		}
	}
	return twits, e.write(ctx, deletes)
}

// gone returns those whose follow has ended, of some followers, and of twits those that were deleted. A list that is being cut may lack others for
// who was stopped for long between two reads of it; this is the truth.
func (e *job) gone(ctx context.Context, followers []tables.Follow, twits []tables.TwitKey) (left []tables.Follow, deleted []tables.TwitKey, err error) {
	var gets []hbase.Get
	for _, follower := range followers {
		gets = append(gets, tables.Follows.Get(follower.Username, e.Author))
	}
	for _, twit := range twits {
		_, name, err := twit.Parts()
		if err != nil {
			return nil, nil, err
		}
		gets = append(gets, tables.TwitNames.Get(name))
	}
	cells, err := e.read(ctx, gets...)
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
