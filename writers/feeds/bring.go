package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// batch is what is written together.
type batch struct {
	tables.Batch
	// places are the followers' positions in the author's list.
	places []string
}

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

// toAll brings the twits of a batch to its followers and to all that are found on the way. While it writes to some it reads the next ones, and
// looks behind those before.
func (e *errand) toAll(ctx context.Context, way *walk[tables.Follow], b batch) error {
	var before batch
	for len(b.Followers) > 0 && len(b.Twits) > 0 {
		var next batch
		share := e.share(b.Twits)
		g, both := errgroup.WithContext(ctx)
		g.Go(func() (err error) {
			next.Followers, next.places, err = way.next(both, share)
			return err
		})
		g.Go(func() (err error) {
			before, next.Twits, err = e.spread(both, before, b)
			return err
		})
		if err := g.Wait(); err != nil {
			return err
		}
		b = next
	}
	_, err := e.lookBehind(ctx, before)
	return err
}

// share is to how many followers so many twits are brought together.
func (e *errand) share(twits []tables.TwitKey) int { return max(1, e.o.Chunk/max(1, len(twits))) }

// spread writes all these twits, in one batch or several, to followers who are done then. It returns the last batch, behind which nobody has
// looked, and those of the twits that are not known to be gone.
func (e *errand) spread(ctx context.Context, before, all batch) (last batch, left []tables.TwitKey, err error) {
	if err := e.partly(ctx, all.Twits, all.Followers); err != nil {
		return batch{}, nil, err
	}
	last, left = before, all.Twits
	for n := 0; n < len(all.Twits); n += e.o.Chunk {
		b := all
		if b.Twits = all.Twits[n:min(n+e.o.Chunk, len(all.Twits))]; n+e.o.Chunk >= len(all.Twits) {
			e.hold.Cursor = all.places[len(all.places)-1]
		}
		gone, err := e.step(ctx, last, b)
		if err != nil {
			return batch{}, nil, err
		}
		if last = b; len(gone) > 0 {
			left = slices.DeleteFunc(slices.Clone(left), func(t tables.TwitKey) bool { return slices.Contains(gone, t) })
		}
	}
	return last, left, nil
}

// step writes a batch, and looks behind the one before: meanwhile, if that is of the same twits. Each is noted from before it is written until it
// was looked at: so whoever goes on with the errand knows all that may have been written, and may still come, but was not looked at since.
func (e *errand) step(ctx context.Context, before, b batch) (gone []tables.TwitKey, err error) {
	noted := b.Batch
	if slices.Equal(before.Twits, b.Twits) {
		noted.Followers = slices.Concat(before.Followers, b.Followers)
	} else if gone, err = e.lookBehind(ctx, before); err != nil {
		return nil, err
	} else {
		before = batch{}
	}
	g, both := errgroup.WithContext(ctx)
	g.Go(func() error {
		e.hold.Noted = noted.Encode()
		if err := e.keep(both, leased); err != nil {
			return err
		}
		return e.put(both, b)
	})
	g.Go(func() error {
		more, err := e.lookBehind(both, before)
		gone = append(gone, more...)
		return err
	})
	err = g.Wait()
	return gone, err
}

// put writes a batch that is noted. What is the same for all followers is made once.
func (e *errand) put(ctx context.Context, b batch) error {
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
