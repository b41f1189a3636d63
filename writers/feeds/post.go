package feeds

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// posted brings a twit into the timelines of its author's followers, unless readers take it from the author's own list.
func (e *errand) posted(ctx context.Context) error {
	twit := tables.TwitKey{Author: e.Author, Position: e.Position}
	_, name, err := twit.Parts()
	if err != nil {
		return err
	}
	way := walkAfter(e.Feeds, tables.Followers, e.Author, e.cursor)
	gets := append(way.gets(e.o.Chunk), tables.Broadcasters.Of(e.Author), tables.Followers.Length(e.Author), tables.TwitNames.Get(name))
	for {
		// The state is read after the twit is in the author's list: whoever ends the merging says so first and reads the list then.
		cells, err := e.read(ctx, gets...)
		if err != nil {
			return err
		}
		if gone, err := e.gone(ctx, cells[4]); gone || err != nil {
			return err
		}
		s, err := e.state(ctx, cells[2], cells[3])
		if err != nil {
			return err
		}
		switch {
		case s.state == tables.Merged && s.followers < e.o.Limit/2, s.orphaned:
			if err := e.give(ctx, tables.Errand{ID: e.newOp(), Kind: tables.Returned, At: e.At, Author: e.Author}); err != nil || !s.orphaned {
				return err
			}
		case s.state == tables.Merged:
			return nil
		case s.state == tables.Pushed && s.followers > e.o.Limit:
			room, err := e.room(ctx)
			if err != nil {
				return err
			}
			if room {
				if done, err := e.change(ctx, s, tables.Merged); done || err != nil {
					return err
				}
				continue
			}
		}
		members, positions, err := way.take(ctx, cells[:2], e.o.Chunk)
		if err == nil && len(members) == 0 {
			members, positions, err = way.next(ctx, e.o.Chunk)
		}
		if err == nil {
			err = e.spread(ctx, way, members, positions, []tables.TwitKey{twit}, func(followers []tables.Follow) error {
				return e.takeBack(ctx, name, followers)
			})
		}
		return err
	}
}

// takeBack looks, when the twit of that id was written to these followers, whether it was deleted meanwhile, and takes it from them if so. Who began
// to follow, or unfollowed, at that time may be met by no other errand.
func (e *errand) takeBack(ctx context.Context, name string, followers []tables.Follow) error {
	cells, err := e.read(ctx, tables.TwitNames.Get(name))
	if err != nil {
		return err
	}
	if _, gone, _, err := tables.TwitNames.Decode(cells[0]); err != nil || !gone {
		return err
	}
	return e.takeFrom(ctx, followers)
}

// gone reports whether the cells of a twit's id say that it was deleted. If so it takes it out of all timelines: an earlier attempt may have
// brought it there behind the back of the errand that does so.
func (e *errand) gone(ctx context.Context, cells []hbase.Cell) (bool, error) {
	_, gone, _, err := tables.TwitNames.Decode(cells)
	if err != nil || !gone {
		return false, err
	}
	e.cursor = ""
	return true, e.deleted(ctx)
}

// give puts another errand into the store.
func (e *errand) give(ctx context.Context, another tables.Errand) error {
	if err := e.write(ctx, []hbase.Mutation{tables.Errands.Put(another)}); err != nil {
		return err
	}
	e.Give(another)
	return nil
}

// newest returns the author's newest twits.
func (e *errand) newest(ctx context.Context, n int) (keys []tables.TwitKey, err error) {
	way := walkAfter(e.Feeds, tables.Twits, e.Author, "")
	for len(keys) < n {
		twits, _, err := way.next(ctx, min(e.o.Chunk, n-len(keys)))
		if err != nil || len(twits) == 0 {
			return keys, err
		}
		for _, t := range twits {
			keys = append(keys, t.Key())
		}
	}
	return keys, nil
}

// spread brings twits into the timelines of these followers and of all that follow on the way. The next ones are read while these are written.
// Whatever became of the write to some of them, done is called after it.
func (e *errand) spread(ctx context.Context, way *walk[tables.Follow], followers []tables.Follow, positions []string, twits []tables.TwitKey,
	done func(followers []tables.Follow) error) error {
	for len(followers) > 0 && len(twits) > 0 {
		var next []tables.Follow
		var after []string
		g, both := errgroup.WithContext(ctx)
		g.Go(func() (err error) {
			next, after, err = way.next(both, e.share(twits))
			return err
		})
		g.Go(func() error { return errors.Join(e.bring(ctx, followers, twits), done(followers)) })
		if err := g.Wait(); err != nil {
			return err
		}
		if err := e.reached(ctx, positions[len(positions)-1]); err != nil {
			return err
		}
		followers, positions = next, after
	}
	return nil
}

// bring brings twits into timelines. An entry has the timestamp of the follow that it is there for.
func (f *Feeds) bring(ctx context.Context, followers []tables.Follow, twits []tables.TwitKey) error {
	puts := make([]hbase.Mutation, len(followers))
	var full []string
	names := make([]string, len(followers))
	for i, follower := range followers {
		names[i] = follower.Username
		puts[i] = entries(follower.Username, twits, stamp(follower.At.UnixMilli()))
		if f.due(follower.Username, twits) {
			full = append(full, follower.Username)
		}
	}
	if err := f.partly(ctx, twits, names...); err != nil {
		return err
	}
	if err := f.write(ctx, puts); err != nil {
		return err
	}
	return f.trim(ctx, full)
}

// entries puts twits into a timeline.
func entries(owner string, twits []tables.TwitKey, timestamp int64) hbase.Put {
	put := hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(owner, 0)}
	for _, twit := range twits {
		put.Cells = append(put.Cells, tables.Timelines.Cell(twit, timestamp))
	}
	return put
}

// stamp is the timestamp of the entries that are there for a follow of a time, which may be unknown.
func stamp(ms int64) int64 { return max(1, ms) }
