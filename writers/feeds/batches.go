package feeds

import (
	"context"
	"slices"

	"twibase/hbase/tables"
)

// batch is what is written together: each of the twits to each of the followers.
type batch struct {
	tables.Batch
	// positions are those of the followers in the author's list.
	positions []string
	// last is whether these followers get no further twits.
	last bool
}

// batches iterates over the batches of a job: all its twits to one page of followers, then to the next page.
type batches struct {
	*fanout
	// page has the followers that get twits now, and all twits that are not known to be deleted.
	page batch
	// twits are those of the page's that these followers have not got yet.
	twits []tables.TwitKey
	// bound is the position of the oldest twit if the author may have older ones that are not delivered;
	// empty if all are delivered.
	bound string
	// followers reads further pages; nil if there are none.
	followers *members[tables.Follow]
}

// batches returns the batches for a first page of followers, and for those that rest reads after it.
func (f *fanout) batches(
	first []tables.Follow, positions []string, twits []tables.TwitKey, rest *members[tables.Follow],
) *batches {
	page := batch{Batch: tables.Batch{Followers: first, Twits: twits}, positions: positions}
	b := &batches{fanout: f, page: page, twits: twits, followers: rest}
	if n := len(twits); n > 0 && n >= f.o.TimelineBound {
		b.bound = tables.Timelines.Position(twits[n-1])
	}
	return b
}

// pageSize is how many followers get the twits together.
func (f *fanout) pageSize(twits []tables.TwitKey) int {
	return max(1, f.o.BatchSize/max(1, len(twits)))
}

// next returns the next batch. It has no followers if there is none.
func (b *batches) next(ctx context.Context) (next batch, err error) {
	if len(b.twits) == 0 && len(b.page.Twits) > 0 && b.followers != nil {
		b.page.Followers, b.page.positions, err = b.followers.next(ctx, b.pageSize(b.page.Twits))
		if err != nil {
			return batch{}, err
		}
		b.twits = b.page.Twits
	}
	if len(b.twits) == 0 || len(b.page.Followers) == 0 {
		return batch{}, nil
	}
	if len(b.twits) == len(b.page.Twits) {
		if err := b.recordBound(ctx); err != nil {
			return batch{}, err
		}
	}
	next = b.page
	n := min(b.o.BatchSize, len(b.twits))
	next.Twits, b.twits = b.twits[:n], b.twits[n:]
	next.last = len(b.twits) == 0
	return next, nil
}

// recordBound notes in the page's timelines that they lack the author's oldest twits, if so. That stays true
// when some of the twits are deleted before they are delivered.
func (b *batches) recordBound(ctx context.Context) error {
	if b.bound == "" {
		return nil
	}
	owners := make([]string, len(b.page.Followers))
	for i, follower := range b.page.Followers {
		owners[i] = follower.Username
	}
	return b.recordTrimmed(ctx, b.bound, owners...)
}

// verify verifies a batch, and leaves deleted twits out of the batches to come.
func (b *batches) verify(ctx context.Context, written batch) error {
	deleted, err := b.fanout.verify(ctx, written)
	if len(deleted) > 0 {
		is := func(t tables.TwitKey) bool { return slices.Contains(deleted, t) }
		b.page.Twits = slices.DeleteFunc(slices.Clone(b.page.Twits), is)
		b.twits = slices.DeleteFunc(slices.Clone(b.twits), is)
	}
	return err
}
