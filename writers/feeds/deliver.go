package feeds

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// deliver delivers all batches. The package comment shows how their steps overlap.
func (f *fanout) deliver(ctx context.Context, batches *batches) error {
	current, err := batches.next(ctx)
	if err != nil {
		return err
	}
	var unverified batch
	for recorded := false; len(current.Followers) > 0; {
		if !recorded {
			if err := batches.verify(ctx, unverified); err != nil {
				return err
			}
			unverified = batch{}
			if err := f.record(ctx, current, current.Followers); err != nil {
				return err
			}
		}
		var next batch
		g, ctx := errgroup.WithContext(ctx)
		g.Go(func() error { return f.put(ctx, current) })
		g.Go(func() (err error) {
			if err := batches.verify(ctx, unverified); err != nil {
				return err
			}
			next, recorded, err = f.prepare(ctx, batches, current)
			return err
		})
		if err := g.Wait(); err != nil {
			return err
		}
		unverified, current = current, next
	}
	return batches.verify(ctx, unverified)
}

// prepare reads the batch after the current one, and records both together if they are of the same twits.
// Otherwise the next one is recorded when the current one is verified.
func (f *fanout) prepare(ctx context.Context, batches *batches, current batch) (next batch, recorded bool, err error) {
	next, err = batches.next(ctx)
	if err != nil || !slices.Equal(next.Twits, current.Twits) {
		return next, false, err
	}
	return next, true, f.record(ctx, next, slices.Concat(current.Followers, next.Followers))
}

// record stores that the twits of a batch may be written to these followers from now on.
func (f *fanout) record(ctx context.Context, b batch, followers []tables.Follow) error {
	f.Unverified = tables.Batch{Followers: followers, Twits: b.Twits}.Encode()
	if b.last {
		f.Cursor = b.positions[len(b.positions)-1]
	}
	return f.renew(ctx)
}

// redeliver puts and verifies the batch that the previous holder of the lease recorded, if there is one.
func (f *fanout) redeliver(ctx context.Context) error {
	recorded, err := tables.DecodeBatch(f.Author, f.Unverified)
	if err != nil || len(recorded.Followers) == 0 {
		return err
	}
	b := batch{Batch: recorded}
	for _, follower := range b.Followers {
		b.positions = append(b.positions, tables.Followers.Position(follower))
	}
	if err := f.renew(ctx); err != nil {
		return err
	}
	if err := f.put(ctx, b); err != nil {
		return err
	}
	_, err = f.verify(ctx, b)
	return err
}

// put writes the entries of a batch that is recorded. What all followers have in common is encoded once.
func (f *fanout) put(ctx context.Context, b batch) error {
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
			own[j].Timestamp = entryTime(follower)
		}
		row := tables.Timelines.RowIn(&rows, follower.Username)
		puts[i] = hbase.Put{Table: tables.Timelines.Table, Row: row, Cells: own}
	}
	return f.write(ctx, puts...)
}

// entryTime is the timestamp of the entries that are there because of a follow.
func entryTime(f tables.Follow) int64 { return max(1, f.At.UnixMilli()) }
