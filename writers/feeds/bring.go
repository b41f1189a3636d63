package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// brings does an errand of those that bring twits into timelines, of which a returned one has something to do when it has rested. Before it is removed
// everybody else who may be at it is kept from writing more.
func (e *errand) brings(ctx context.Context, do func(context.Context) error) error {
	if err := e.resume(ctx); err != nil {
		return err
	}
	if e.hold.Cursor != resting || e.Kind == tables.Returned {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return e.rest(ctx, 0)
}

// resume settles what whoever had the errand before noted.
func (e *errand) resume(ctx context.Context) error {
	b, err := tables.DecodeBatch(e.Author, e.hold.Noted)
	if err != nil || len(b.Followers) == 0 {
		return err
	}
	if err := e.keep(ctx, leased); err != nil {
		return err
	}
	_, err = e.settle(ctx, b)
	return err
}

// toAll brings twits to these followers and to all that are found on the way. The next ones are read while these are written.
func (e *errand) toAll(ctx context.Context, way *walk[tables.Follow], followers []tables.Follow, positions []string, twits []tables.TwitKey) error {
	for len(followers) > 0 && len(twits) > 0 {
		var next []tables.Follow
		var after []string
		share := e.share(twits)
		g, both := errgroup.WithContext(ctx)
		g.Go(func() (err error) {
			next, after, err = way.next(both, share)
			return err
		})
		g.Go(func() (err error) {
			twits, err = e.spread(both, followers, twits, positions[len(positions)-1])
			return err
		})
		if err := g.Wait(); err != nil {
			return err
		}
		followers, positions = next, after
	}
	return nil
}

// share is to how many followers so many twits are brought together.
func (e *errand) share(twits []tables.TwitKey) int { return max(1, e.o.Chunk/max(1, len(twits))) }

// spread brings twits to followers, who are done up to the cursor then, and returns the twits that are still there. Each batch is noted before it is
// written, and the next one when it is settled: so whoever goes on with the errand knows all that may have been written, and may still
// come, but was not looked at since.
func (e *errand) spread(ctx context.Context, followers []tables.Follow, twits []tables.TwitKey, cursor string) (left []tables.TwitKey, err error) {
	names := make([]string, len(followers))
	for i, follower := range followers {
		names[i] = follower.Username
	}
	if err := e.partly(ctx, twits, names...); err != nil {
		return nil, err
	}
	for n := 0; n < len(twits); n += e.o.Chunk {
		b := tables.Batch{Followers: followers, Twits: twits[n:min(n+e.o.Chunk, len(twits))]}
		if e.hold.Noted = b.Encode(); n+e.o.Chunk >= len(twits) {
			e.hold.Cursor = cursor
		}
		if err := e.keep(ctx, leased); err != nil {
			return nil, err
		}
		some, err := e.settle(ctx, b)
		if err != nil {
			return nil, err
		}
		left = append(left, some...)
	}
	return left, nil
}

// settle writes a batch that is noted, and takes back what should not be there any more. It returns the twits that should.
func (e *errand) settle(ctx context.Context, b tables.Batch) (left []tables.TwitKey, err error) {
	puts := make([]hbase.Mutation, len(b.Followers))
	var full []string
	for i, follower := range b.Followers {
		put := hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(follower.Username, 0)}
		for _, twit := range b.Twits {
			put.Cells = append(put.Cells, tables.Timelines.Cell(twit, stamp(follower)))
		}
		puts[i] = put
		if e.due(follower.Username, b.Twits) {
			full = append(full, follower.Username)
		}
	}
	if err := e.write(ctx, puts); err != nil {
		return nil, err
	}
	if left, err = e.takeBack(ctx, b); err != nil {
		return nil, err
	}
	return left, e.trim(ctx, full)
}

// takeBack looks who of the followers has gone since they were read, and which of the twits. What comes to these late stays masked.
func (e *errand) takeBack(ctx context.Context, b tables.Batch) (left []tables.TwitKey, err error) {
	var followers []tables.Follow
	var twits []tables.TwitKey
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		followers, err = absent(both, e.Feeds, tables.Followers, e.Author, b.Followers, tables.Followers.Position)
		return err
	})
	g.Go(func() (err error) {
		twits, err = absent(both, e.Feeds, tables.Twits, e.Author, b.Twits, func(t tables.TwitKey) string { return t.Position })
		return err
	})
	if err := g.Wait(); err != nil || len(followers)+len(twits) == 0 {
		return b.Twits, err
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
	left = slices.DeleteFunc(slices.Clone(b.Twits), func(t tables.TwitKey) bool { return slices.Contains(twits, t) })
	return left, e.write(ctx, deletes)
}

// gone returns those whose follow has ended, of some followers, and of twits those that were deleted. A list that is being cut may lack others for
// who was stopped for long between two reads of it; this is the truth.
func (e *errand) gone(ctx context.Context, followers []tables.Follow, twits []tables.TwitKey) (left []tables.Follow, deleted []tables.TwitKey, err error) {
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

// stamp is the timestamp of the entries that are there for a follow.
func stamp(f tables.Follow) int64 { return max(1, f.At.UnixMilli()) }
