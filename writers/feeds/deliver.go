package feeds

import (
	"context"
	"slices"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

func (f *fanout) deliverToAll(ctx context.Context, twits newest) error {
	r := listscan.Range{After: f.Cursor, Far: f.Cursor != "", Limit: max(1, f.o.BatchSize/max(1, len(twits.keys)))}
	for followers, err := range pages(ctx, f.Feeds, tables.Followers, f.Author, r) {
		if err != nil {
			return err
		}
		if err := f.deliver(ctx, followers.members, &twits); err != nil || len(twits.keys) == 0 {
			return err
		}
	}
	return nil
}

// deliver drops deleted twits from twits.keys.
func (f *fanout) deliver(ctx context.Context, followers []tables.Follow, twits *newest) error {
	if err := f.putSince(ctx, followers, twits.since); err != nil {
		return err
	}
	for rest := twits.keys; len(rest) > 0; {
		n := min(f.o.BatchSize, len(rest))
		b := tables.Batch{Followers: followers, Twits: rest[:n]}
		if rest = rest[n:]; len(rest) == 0 {
			f.Cursor = tables.Followers.Position(followers[len(followers)-1])
		}
		f.Unverified = b.Encode()
		if err := f.renew(ctx); err != nil {
			return err
		}
		deleted, err := f.putAndVerify(ctx, b)
		if err != nil {
			return err
		}
		if len(deleted) > 0 {
			isDeleted := func(t tables.TwitKey) bool { return slices.Contains(deleted, t) }
			twits.keys = slices.DeleteFunc(slices.Clone(twits.keys), isDeleted)
			rest = slices.DeleteFunc(slices.Clone(rest), isDeleted)
		}
	}
	return nil
}

// redeliver delivers the recorded batch, if any.
func (f *fanout) redeliver(ctx context.Context) error {
	b, err := tables.DecodeBatch(f.Author, f.Unverified)
	if err != nil || len(b.Followers) == 0 {
		return err
	}
	if err := f.renew(ctx); err != nil {
		return err
	}
	_, err = f.putAndVerify(ctx, b)
	return err
}

func (f *fanout) putAndVerify(ctx context.Context, b tables.Batch) (deleted []tables.TwitKey, err error) {
	puts := make([]hbase.Mutation, len(b.Followers))
	for i, follower := range b.Followers {
		entries := make([]hbase.Cell, len(b.Twits))
		for j, twit := range b.Twits {
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

// entryTime returns the timestamp of a follower's entries: see docs/FEEDS.md.
func entryTime(f tables.Follow) int64 { return max(1, f.At.UnixMilli()) }

// putSince stores in each follower's timelineSince that twits up to since may be missing. It stores
// nothing if since is zero.
func (f *fanout) putSince(ctx context.Context, followers []tables.Follow, since time.Time) error {
	if since.IsZero() {
		return nil
	}
	puts := make([]hbase.Mutation, len(followers))
	for i, follower := range followers {
		puts[i] = tables.PutTimelineSince(follower.Username, since)
	}
	return f.write(ctx, puts...)
}

type newest struct {
	keys []tables.TwitKey
	// since is the time of the oldest key if the author may have older twits, otherwise zero.
	since time.Time
}

func (f *fanout) newestTwits(ctx context.Context) (twits newest, err error) {
	for list, err := range pages(ctx, f.Feeds, tables.Twits, f.Author, listscan.Range{Limit: f.o.BatchSize}) {
		if err != nil {
			return newest{}, err
		}
		for _, t := range list.members {
			if twits.keys = append(twits.keys, t.Key()); len(twits.keys) == f.o.TimelineBound {
				twits.since = t.PostedAt
				return twits, nil
			}
		}
	}
	return twits, nil
}
