package feeds

import (
	"context"
	"slices"

	"twibase/hbase/tables"
)

// batch is what is written together.
type batch struct {
	tables.Batch
	// places are the followers' positions in the author's list.
	places []string
	// last is whether the followers are done with it.
	last bool
}

// course is all that a job brings: twits to followers, a page of those after the other.
type course struct {
	*job
	// page has the followers whose turn it is, and all twits that are not known to be gone; rest are those of them that are still to come.
	page batch
	rest []tables.TwitKey
	// cut is the position of the oldest twit, if so many are brought that older ones may be left out; empty if all are brought.
	cut string
	// way is that to further followers; nil if there are none.
	way *walk[tables.Follow]
}

// course returns the course that begins with these followers, and goes on with those on the way, if there is one.
func (e *job) course(followers []tables.Follow, places []string, twits []tables.TwitKey, way *walk[tables.Follow]) *course {
	c := &course{job: e, page: batch{Batch: tables.Batch{Followers: followers, Twits: twits}, places: places}, rest: twits, way: way}
	if n := len(twits); n > 0 && n >= e.o.TimelineBound {
		c.cut = tables.Timelines.Position(twits[n-1])
	}
	return c
}

// share is to how many followers so many twits are brought together.
func (e *job) share(twits []tables.TwitKey) int { return max(1, e.o.Chunk/max(1, len(twits))) }

// next returns the next batch: one without followers if there is none.
func (c *course) next(ctx context.Context) (b batch, err error) {
	if len(c.rest) == 0 && len(c.page.Twits) > 0 && c.way != nil {
		c.page.Followers, c.page.places, err = c.way.next(ctx, c.share(c.page.Twits))
		if err != nil {
			return batch{}, err
		}
		c.rest = c.page.Twits
	}
	if len(c.rest) == 0 || len(c.page.Followers) == 0 {
		return batch{}, nil
	}
	if len(c.rest) == len(c.page.Twits) {
		if err := c.partly(ctx); err != nil {
			return batch{}, err
		}
	}
	b = c.page
	n := min(c.o.Chunk, len(c.rest))
	b.Twits, c.rest = c.rest[:n], c.rest[n:]
	b.last = len(c.rest) == 0
	return b, nil
}

// partly notes of those whose turn it is that they are not brought the author's oldest twits, if so. That some were deleted since the course began
// brings none of those back.
func (c *course) partly(ctx context.Context) error {
	if c.cut == "" {
		return nil
	}
	owners := make([]string, len(c.page.Followers))
	for i, follower := range c.page.Followers {
		owners[i] = follower.Username
	}
	return c.cutAt(ctx, c.cut, owners...)
}

// behind looks behind a batch that was written, and leaves out the twits that are gone.
func (c *course) behind(ctx context.Context, b batch) error {
	gone, err := c.lookBehind(ctx, b)
	if len(gone) > 0 {
		is := func(t tables.TwitKey) bool { return slices.Contains(gone, t) }
		c.page.Twits = slices.DeleteFunc(slices.Clone(c.page.Twits), is)
		c.rest = slices.DeleteFunc(slices.Clone(c.rest), is)
	}
	return err
}
