package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// followed brings the author's twits into the follower's timeline. Readers find those of a broadcaster without.
func (e *errand) followed(ctx context.Context) error {
	there, err := e.still(ctx)
	if err != nil {
		return err
	}
	if !there {
		return e.clean(ctx)
	}
	cells, err := e.read(ctx, tables.Broadcasters.Of(e.Author))
	if err != nil {
		return err
	}
	state, _, err := tables.Broadcasters.State(cells[0])
	if err != nil || state == tables.Merged {
		return err
	}
	twits, err := e.newest(ctx, e.o.TimelineBound)
	if err != nil || len(twits) == 0 {
		return err
	}
	if err := e.partly(ctx, twits, e.Follower); err != nil {
		return err
	}
	if err := e.write(ctx, []hbase.Mutation{entries(e.Follower, twits, e.At)}); err != nil {
		return err
	}
	if e.due(e.Follower, twits) {
		if err := e.trim(ctx, []string{e.Follower}); err != nil {
			return err
		}
	}
	// Who unfollowed meanwhile may have cleaned before this was written.
	if there, err = e.still(ctx); err != nil || there {
		return err
	}
	return e.clean(ctx)
}

// unfollowed takes the author's twits out of the follower's timeline. A broadcaster whom nobody follows any more, who may have been deleted, is
// none.
func (e *errand) unfollowed(ctx context.Context) error {
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
	return e.give(ctx, tables.Errand{ID: e.newOp(), Kind: tables.Returned, At: e.At, Author: e.Author})
}

// still reports whether the follow is there that the errand is about.
func (e *errand) still(ctx context.Context) (bool, error) {
	cells, err := e.read(ctx, tables.Follows.Get(e.Follower, e.Author))
	if err != nil {
		return false, err
	}
	related, since, err := tables.Follows.Decode(cells[0])
	return related && since.UnixMilli() == e.At, err
}

// masked is how many of an author's newest twits clean keeps away from a timeline that does not have them.
const masked = 100

// clean takes the author's twits out of the follower's timeline, as far as they are there for a follow before the errand. The newest are also
// masked where they are not there yet: another gateway may be about to write them.
func (e *errand) clean(ctx context.Context) error {
	newest, err := e.newest(ctx, masked)
	if err != nil {
		return err
	}
	gone := make([]hbase.Deletion, 0, len(newest))
	for _, twit := range newest {
		gone = append(gone, without(tables.Timelines.Position(twit), e.At))
	}
	for start := ""; ; {
		cells, err := e.read(ctx, tables.Timelines.Get(e.Follower, 0, hbase.Page{Start: start, Limit: e.o.Chunk}))
		if err != nil {
			return err
		}
		for _, c := range cells[0] {
			if twit, err := tables.EntryOf(c.Qualifier); err == nil && twit.Author == e.Author && c.Timestamp <= e.At {
				gone = append(gone, without(c.Qualifier, e.At))
			}
		}
		if len(gone) > 0 {
			if err := e.write(ctx, []hbase.Mutation{deleteFrom(e.Follower, gone)}); err != nil {
				return err
			}
			gone = gone[:0]
		}
		if len(cells[0]) < e.o.Chunk {
			return nil
		}
		start = hbase.Next(cells[0][len(cells[0])-1].Qualifier)
	}
}

// deleted takes a twit out of the timelines of all followers, for ever: also what another gateway is about to write. Who follows
// from now on does not find it in the author's list any more.
func (e *errand) deleted(ctx context.Context) error {
	for way := walkAfter(e.Feeds, tables.Followers, e.Author, e.cursor); ; {
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

// takeFrom takes the errand's twit out of these followers' timelines for ever.
func (e *errand) takeFrom(ctx context.Context, followers []tables.Follow) error {
	position := tables.Timelines.Position(tables.TwitKey{Author: e.Author, Position: e.Position})
	deletes := make([]hbase.Mutation, len(followers))
	for i, f := range followers {
		deletes[i] = deleteFrom(f.Username, []hbase.Deletion{without(position, tables.Forever)})
	}
	return e.write(ctx, deletes)
}
