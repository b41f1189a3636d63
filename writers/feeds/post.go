package feeds

import (
	"context"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// posted brings a twit into the timelines of its author's followers, unless readers take it from the author's own list.
func (e *errand) posted(ctx context.Context) error {
	first := walkAfter(e.Feeds, tables.Followers, e.Author, e.cursor)
	gets := append(first.gets(e.o.Chunk), tables.Broadcasters.Of(e.Author), tables.Followers.Length(e.Author))
	for {
		// The state is read after the twit is in the author's list: whoever ends the merging says so first and reads the list then.
		cells, err := e.read(ctx, gets...)
		if err != nil {
			return err
		}
		state, stored, err := tables.Broadcasters.State(cells[2])
		if err != nil {
			return err
		}
		followers, err := tables.DecodeCount(cells[3])
		if err != nil {
			return err
		}
		if state == tables.Merged {
			if followers < e.o.Limit/2 {
				return e.give(ctx, tables.Errand{ID: tables.NewOp(e.o.Now(), random()), Kind: tables.Returned, At: e.At, Author: e.Author})
			}
			return nil
		}
		if state == tables.Pushed && followers > e.o.Limit {
			done, err := e.change(ctx, state, stored, tables.Merged)
			if done || err != nil {
				return err
			}
			continue
		}
		members, positions, err := first.take(ctx, cells[:2], e.o.Chunk)
		if err == nil && len(members) == 0 {
			members, positions, err = first.next(ctx, e.o.Chunk)
		}
		if err != nil {
			return err
		}
		return e.spread(ctx, first, members, positions, []tables.TwitKey{{Author: e.Author, Position: e.Position}})
	}
}

// change brings the author into the next state, and reports whether it was in the one before.
func (e *errand) change(ctx context.Context, from tables.Broadcast, stored bool, to tables.Broadcast) (bool, error) {
	check, put := tables.Broadcasters.Change(e.Author, from, stored, to)
	return e.store.CheckAndPut(ctx, check, put)
}

// give puts another errand into the store.
func (e *errand) give(ctx context.Context, another tables.Errand) error {
	if err := e.write(ctx, []hbase.Mutation{tables.Errands.Put(another)}); err != nil {
		return err
	}
	e.Give(another)
	return nil
}

// returned brings all twits of an author who has few followers again into their timelines, and then lets readers find them there. Other errands
// of the kind, and an author who became a broadcaster again meanwhile, are left as they are.
func (e *errand) returned(ctx context.Context) error {
	cells, err := e.read(ctx, tables.Broadcasters.Of(e.Author))
	if err != nil {
		return err
	}
	state, _, err := tables.Broadcasters.State(cells[0])
	if err != nil {
		return err
	}
	mine := tables.Leaving(e.ID)
	if state == tables.Merged {
		if done, err := e.change(ctx, state, true, mine); !done || err != nil {
			return err
		}
	} else if state != mine {
		return nil
	}
	twits, err := e.newest(ctx, e.o.TimelineBound)
	if err != nil {
		return err
	}
	way := walkAfter(e.Feeds, tables.Followers, e.Author, e.cursor)
	followers, positions, err := way.next(ctx, e.share(twits))
	if err == nil {
		err = e.spread(ctx, way, followers, positions, twits)
	}
	if err != nil {
		return err
	}
	_, err = e.change(ctx, mine, true, tables.Pushed)
	return err
}

// share is to how many followers so many twits are brought together.
func (e *errand) share(twits []tables.TwitKey) int { return max(1, e.o.Chunk/max(1, len(twits))) }

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
func (e *errand) spread(ctx context.Context, way *walk[tables.Follow], followers []tables.Follow, positions []string, twits []tables.TwitKey) error {
	for len(followers) > 0 && len(twits) > 0 {
		var next []tables.Follow
		var after []string
		g, both := errgroup.WithContext(ctx)
		g.Go(func() (err error) {
			next, after, err = way.next(both, e.share(twits))
			return err
		})
		g.Go(func() error { return e.bring(both, followers, twits) })
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
	for i, follower := range followers {
		puts[i] = entries(follower.Username, twits, stamp(follower.At.UnixMilli()))
		if f.due(follower.Username, twits) {
			full = append(full, follower.Username)
		}
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
