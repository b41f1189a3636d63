package check

import (
	"context"
	"maps"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

const batchTimelines = 32

// timelines reports missing entries that are later than the owner's timelineSince, and among the
// newest TimelineBound entries. It omits busy authors and broadcasters.
func (r *run) timelines(ctx context.Context) error {
	return r.owners(ctx, &tables.Following.AnyList, func(owners []string) error {
		for some := range slices.Chunk(owners, batchTimelines) {
			if err := r.missingEntries(ctx, some); err != nil {
				return err
			}
		}
		return nil
	})
}

// entries checks that the twit of each entry exists, and the owner follows its author.
func (r *run) entries(ctx context.Context) error {
	return membersOf(ctx, r, tables.Timelines, r.explainEntries)
}

// timeline has the positions of all entries that sort before its field end.
type timeline struct {
	entries map[string]bool
	end     string
}

func (r *run) missingEntries(ctx context.Context, owners []string) error {
	timelines, err := r.readTimelines(ctx, owners)
	if err != nil {
		return err
	}
	followers := map[string][]tables.Follow{}
	err = rebuild.BucketPages(ctx, r.Store, &tables.Following.AnyList, owners, func(s *rebuild.BucketPage) error {
		members, _, err := tables.Following.Decode(s.Owner, s.Cells)
		for _, f := range members {
			if !r.busy[f.Username] && !r.merged[f.Username] {
				followers[f.Username] = append(followers[f.Username], tables.Follow{Username: s.Owner, At: f.At})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for authors := range slices.Chunk(slices.Sorted(maps.Keys(followers)), batchRows) {
		err := rebuild.BucketPages(ctx, r.Store, &tables.Twits.AnyList, authors, func(s *rebuild.BucketPage) error {
			for _, c := range s.Cells {
				r.expectEntry(timelines, followers[s.Owner], tables.TwitKey{Author: s.Owner, Position: c.Qualifier})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) readTimelines(ctx context.Context, owners []string) (map[string]*timeline, error) {
	timelines := make(map[string]*timeline, len(owners))
	cells, err := hbase.GetEach(ctx, r.Store, owners, tables.TimelineSince)
	if err != nil {
		return nil, err
	}
	for i, owner := range owners {
		t := &timeline{entries: map[string]bool{}, end: tables.MembersEnd}
		since, trimmed, err := tables.DecodeTimelineSince(cells[i])
		if err != nil {
			r.unreadable(attribute(tables.Users.Table, tables.RowKey(owner), tables.SinceColumn), err)
			t.end = ""
		} else if trimmed {
			t.end = tables.LaterThan(since)
		}
		timelines[owner] = t
	}
	list := &tables.Timelines.AnyList
	return timelines, rebuild.BucketPages(ctx, r.Store, list, owners, func(s *rebuild.BucketPage) error {
		t := timelines[s.Owner]
		for _, c := range s.Cells[:min(len(s.Cells), r.TimelineBound-len(t.entries))] {
			if t.entries[c.Qualifier] = true; len(t.entries) == r.TimelineBound {
				t.end = min(t.end, c.Qualifier)
			}
		}
		return nil
	})
}

func (r *run) expectEntry(timelines map[string]*timeline, followers []tables.Follow, twit tables.TwitKey) {
	position := tables.Timelines.Position(twit)
	for _, f := range followers {
		if t := timelines[f.Username]; !t.entries[position] && position < t.end {
			why := f.Username + " follows " + twit.Author
			e := entryOf(tables.Timelines, f.Username, twit, max(1, f.At.UnixMilli()), "", why)
			e.row = tables.Timelines.Row(f.Username, 0)
			r.missing(e)
		}
	}
}

func (r *run) explainEntries(ctx context.Context, owner string, members []tables.TwitKey) ([]string, error) {
	twits, err := hbase.GetEach(ctx, r.Store, members, func(k tables.TwitKey) hbase.Get {
		return tables.PostedTwits.ExistenceOf(k.String())
	})
	if err != nil {
		return nil, err
	}
	follows, err := hbase.GetEach(ctx, r.Store, members, func(k tables.TwitKey) hbase.Get {
		return tables.Follows.Related(owner, k.Author)
	})
	if err != nil {
		return nil, err
	}
	why := make([]string, len(members))
	for i, twit := range members {
		exists, err := tables.PostedTwits.Exists(twit.String(), twits[i])
		related, _, corrupt := tables.Follows.Decode(follows[i])
		switch {
		case r.busy[twit.Author] || err != nil || corrupt != nil: // twitNames or edges report the error
		case !exists && !r.unnamed[twit]:
			why[i] = noObject(tables.PostedTwits, twit.String())
		case !related:
			why[i] = owner + " does not follow " + twit.Author
		}
	}
	return why, nil
}
