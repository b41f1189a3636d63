package feeds

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// batch is what is written together: each of the twits to each of the followers.
type batch struct {
	followers page[tables.Follow]
	twits     []tables.TwitKey
}

// deliverToAll delivers twits to the author's followers behind the cursor.
func (f *fanout) deliverToAll(ctx context.Context, twits newest) error {
	r := listscan.Range{After: f.Cursor, Far: f.Cursor != "", Limit: max(1, f.o.BatchSize/max(1, len(twits.keys)))}
	for followers, err := range pages(ctx, f.Feeds, tables.Followers, f.Author, r) {
		if err != nil {
			return err
		}
		if err := f.deliver(ctx, followers, &twits); err != nil || len(twits.keys) == 0 {
			return err
		}
	}
	return nil
}

// deliver delivers twits to a page of followers, and leaves out those that it finds deleted.
func (f *fanout) deliver(ctx context.Context, followers page[tables.Follow], twits *newest) error {
	if err := f.recordBound(ctx, followers.members, twits.bound); err != nil {
		return err
	}
	for rest := twits.keys; len(rest) > 0; {
		n := min(f.o.BatchSize, len(rest))
		b := batch{followers, rest[:n]}
		if rest = rest[n:]; len(rest) == 0 {
			f.Cursor = followers.last()
		}
		f.Unverified = tables.Batch{Followers: followers.members, Twits: b.twits}.Encode()
		if err := f.renew(ctx); err != nil {
			return err
		}
		deleted, err := f.put(ctx, b)
		if err != nil {
			return err
		}
		if len(deleted) > 0 {
			is := func(t tables.TwitKey) bool { return slices.Contains(deleted, t) }
			twits.keys, rest = slices.DeleteFunc(slices.Clone(twits.keys), is), slices.DeleteFunc(slices.Clone(rest), is)
		}
	}
	return nil
}

// redeliver puts and verifies the batch that the previous holder of the lease recorded, if there is one.
func (f *fanout) redeliver(ctx context.Context) error {
	recorded, err := tables.DecodeBatch(f.Author, f.Unverified)
	if err != nil || len(recorded.Followers) == 0 {
		return err
	}
	b := batch{page[tables.Follow]{members: recorded.Followers}, recorded.Twits}
	for _, follower := range recorded.Followers {
		b.followers.positions = append(b.followers.positions, tables.Followers.Position(follower))
	}
	if err := f.renew(ctx); err != nil {
		return err
	}
	_, err = f.put(ctx, b)
	return err
}

// put writes the entries of a batch that is recorded, and verifies it. It returns the twits that were deleted.
func (f *fanout) put(ctx context.Context, b batch) (deleted []tables.TwitKey, err error) {
	puts := make([]hbase.Mutation, len(b.followers.members))
	for i, follower := range b.followers.members {
		entries := make([]hbase.Cell, len(b.twits))
		for j, twit := range b.twits {
			entries[j] = tables.Timelines.Cell(twit, entryTime(follower))
		}
		row := tables.Timelines.Row(follower.Username, 0)
		puts[i] = hbase.Put{Table: tables.Timelines.Table, Row: row, Cells: entries}
	}
	if err := f.write(ctx, puts...); err != nil {
		return nil, err
	}
	return f.verify(ctx, b)
}

// entryTime is the timestamp of the entries that are there because of a follow.
func entryTime(f tables.Follow) int64 { return max(1, f.At.UnixMilli()) }

// recordBound notes in the timelines of followers that they lack the author's twits before a position, if that is not
// empty. It stays true when some of the twits are deleted before they are delivered.
func (f *fanout) recordBound(ctx context.Context, followers []tables.Follow, bound string) error {
	if bound == "" {
		return nil
	}
	owners := make([]string, len(followers))
	for i, follower := range followers {
		owners[i] = follower.Username
	}
	return f.recordTrimmed(ctx, bound, owners...)
}

// newest are the author's newest twits, as many as a timeline keeps.
type newest struct {
	keys []tables.TwitKey
	// bound is the position of the oldest one in timelines if the author may have older ones, and empty otherwise.
	bound string
}

func (f *fanout) newestTwits(ctx context.Context) (twits newest, err error) {
	for list, err := range pages(ctx, f.Feeds, tables.Twits, f.Author, listscan.Range{Limit: f.o.BatchSize}) {
		if err != nil {
			return newest{}, err
		}
		for _, t := range list.members {
			if twits.keys = append(twits.keys, t.Key()); len(twits.keys) == f.o.TimelineBound {
				twits.bound = tables.Timelines.Position(t.Key())
				return twits, nil
			}
		}
	}
	return twits, nil
}
