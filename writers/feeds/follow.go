package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// followed brings the author's twits into the follower's timeline. Readers find those of a broadcaster without.
func (e *job) followed(ctx context.Context) error {
	cells, err := e.read(ctx, tables.Follows.Get(e.Follower, e.Author), tables.Broadcasters.Of(e.Author))
	if err != nil {
		return err
	}
	related, since, err := tables.Follows.Decode(cells[0])
	if err != nil || !related || since.UnixMilli() != e.At {
		return err
	}
	state, _, err := tables.Broadcasters.State(cells[1])
	if err != nil || state == tables.Merged {
		return err
	}
	twits, err := e.newest(ctx, e.o.TimelineBound)
	if err != nil {
		return err
	}
	follower := tables.Follow{Username: e.Follower, At: since}
	return e.bring(ctx, e.course([]tables.Follow{follower}, []string{tables.Followers.Position(follower)}, twits, nil))
}

// unfollowed takes the author's twits out of the follower's timeline. A broadcaster whom nobody follows any more, who may have been deleted, is
// none.
func (e *job) unfollowed(ctx context.Context) error {
	if err := e.keep(ctx, leased); err != nil {
		return err
	}
	if err := e.clean(ctx); err != nil {
		return err
	}
	cells, err := e.read(ctx, tables.Broadcasters.Of(e.Author), tables.Followers.Length(e.Author))
	if err != nil {
		return err
	}
	s, err := e.state(ctx, cells[0], cells[1])
	if err != nil || s.state != tables.Merged || s.followers > 0 {
		return err
	}
	_, err = e.unmerge(ctx, s)
	return err
}

// clean takes the author's twits out of the follower's timeline, as far as they are there for a follow before the job. What is written from now on
// is taken back by whoever writes it, since the follower is not in the author's list any more.
func (e *job) clean(ctx context.Context) error {
	for start := ""; ; {
		cells, err := e.read(ctx, tables.Timelines.Get(e.Follower, 0, hbase.Page{Start: start, Limit: e.o.Chunk}))
		if err != nil {
			return err
		}
		var gone []hbase.Deletion
		for _, c := range cells[0] {
			if twit, err := tables.EntryOf(c.Qualifier); err == nil && twit.Author == e.Author && c.Timestamp <= e.At {
				gone = append(gone, without(c.Qualifier, e.At))
			}
		}
		if len(gone) > 0 {
			if err := e.write(ctx, []hbase.Mutation{deleteFrom(e.Follower, gone)}); err != nil {
				return err
			}
		}
		if len(cells[0]) < e.o.Chunk {
			return nil
		}
		start = hbase.Next(cells[0][len(cells[0])-1].Qualifier)
	}
}

// deleted takes a twit out of the timelines of all followers, for ever: also what another gateway is about to write. Who follows
// from now on does not find it in the author's list any more.
func (e *job) deleted(ctx context.Context) error {
	if err := e.keep(ctx, leased); err != nil {
		return err
	}
	for way := walkAfter(e.Feeds, tables.Followers, e.Author, e.hold.Cursor); ; {
		followers, positions, err := way.next(ctx, e.o.Chunk)
		if err != nil || len(followers) == 0 {
			return err
		}
		if err := e.takeFrom(ctx, followers); err != nil {
			return err
		}
		if err := e.reached(ctx, positions[len(positions)-1]); err != nil {
			return err
		}
	}
}

// takeFrom takes the job's twit out of these followers' timelines for ever.
func (e *job) takeFrom(ctx context.Context, followers []tables.Follow) error {
	position := tables.Timelines.Position(tables.TwitKey{Author: e.Author, Position: e.Position})
	deletes := make([]hbase.Mutation, len(followers))
	for i, f := range followers {
		deletes[i] = deleteFrom(f.Username, []hbase.Deletion{without(position, tables.Forever)})
	}
	return e.write(ctx, deletes)
}
