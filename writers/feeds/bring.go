package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// brings does a job of those that bring twits into timelines, of which a returned one has something to do when it has rested. Before it is removed
// everybody else who may be at it is kept from writing more.
func (e *job) brings(ctx context.Context, do func(context.Context) error) error {
	if err := e.resume(ctx); err != nil {
		return err
	}
	if e.hold.Cursor != resting || e.Kind == tables.Returned {
		if err := do(ctx); err != nil {
			return err
		}
	}
	if e.Kind == tables.Returned {
		// The author may still come to wait for it: only when all was brought it has rested.
		e.hold.Noted = ""
		return e.keep(ctx, 0)
	}
	return e.rest(ctx, 0)
}

// resume settles what whoever had the job before noted.
func (e *job) resume(ctx context.Context) error {
	noted, err := tables.DecodeBatch(e.Author, e.hold.Noted)
	if err != nil || len(noted.Followers) == 0 {
		return err
	}
	b := batch{Batch: noted}
	for _, follower := range b.Followers {
		b.places = append(b.places, tables.Followers.Position(follower))
	}
	if err := e.keep(ctx, leased); err != nil {
		return err
	}
	if err := e.put(ctx, b); err != nil {
		return err
	}
	_, err = e.lookBehind(ctx, b)
	return err
}

// bring writes all batches of a course. Each is noted from before it is written until it was looked at: so whoever goes on with the job knows
// all that may have been written, and may still come, but was not looked at since. While one is written, that before it is looked at, and then the
// next one is noted together with it, if both are of the same twits.
func (e *job) bring(ctx context.Context, c *course) error {
	b, err := c.next(ctx)
	if err != nil {
		return err
	}
	var before batch
	for noted := false; len(b.Followers) > 0; {
		if !noted {
			if err := c.behind(ctx, before); err != nil {
				return err
			}
			before = batch{}
			if err := e.note(ctx, b, b.Followers); err != nil {
				return err
			}
		}
		var next batch
		g, both := errgroup.WithContext(ctx)
		g.Go(func() error { return e.put(both, b) })
		g.Go(func() (err error) {
			if err := c.behind(both, before); err != nil {
				return err
			}
			if next, err = c.next(both); err != nil {
				return err
			}
			if noted = slices.Equal(next.Twits, b.Twits); !noted {
				return nil
			}
			return e.note(both, next, slices.Concat(b.Followers, next.Followers))
		})
		if err := g.Wait(); err != nil {
			return err
		}
		before, b = b, next
	}
	return c.behind(ctx, before)
}

// note notes that the twits of a batch may be written to these followers from now on.
func (e *job) note(ctx context.Context, b batch, followers []tables.Follow) error {
	e.hold.Noted = tables.Batch{Followers: followers, Twits: b.Twits}.Encode()
	if b.last {
		e.hold.Cursor = b.places[len(b.places)-1]
	}
	return e.keep(ctx, leased)
}

// put writes a batch that is noted. What is the same for all followers is made once.
func (e *job) put(ctx context.Context, b batch) error {
	entries := make([]hbase.Cell, len(b.Twits))
	for i, twit := range b.Twits {
		entries[i] = tables.Timelines.Cell(twit, 0)
	}
	cells := slices.Repeat(entries, len(b.Followers))
	puts := make([]hbase.Mutation, len(b.Followers))
	var rows tables.Memory
	for i, follower := range b.Followers {
		own := cells[:len(entries):len(entries)]
		cells = cells[len(entries):]
		for j := range own {
			own[j].Timestamp = stamp(follower)
		}
		puts[i] = hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.RowIn(&rows, follower.Username), Cells: own}
	}
	return e.write(ctx, puts)
}

// stamp is the timestamp of the entries that are there for a follow.
func stamp(f tables.Follow) int64 { return max(1, f.At.UnixMilli()) }
