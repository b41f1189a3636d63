package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// together is how many timelines are in memory at the same time: each may be long.
const together = 32

// timelines shows that timelines have the newest twits of all whom their owners follow, down to where they were cut, and no others. Of authors of whom something is still on its
// way nothing is known, and those whom readers look for elsewhere need not be there.
func (r *run) timelines(ctx context.Context) error {
	err := r.owners(ctx, &tables.Following.AnyList, func(owners []string) error {
		for some := range slices.Chunk(owners, together) {
			if err := r.incomplete(ctx, some); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	return r.walk(ctx, &tables.Timelines.AnyList, typed(tables.Timelines, explainEntries))
}

// timeline is what one holds: its entries, whether it is full, and the position before which it must have all.
type timeline struct {
	entries map[string]bool
	full    bool
	end     string
}

// incomplete reports the entries that timelines should have.
func (r *run) incomplete(ctx context.Context, owners []string) error {
	held := make(map[string]*timeline, len(owners))
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = tables.TimelineSince(owner)
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		end := tables.MembersEnd
		since, cut, err := tables.DecodeTimelineSince(cells[i])
		if err != nil {
			r.corrupt(tables.Users.Table, tables.RowKey(owner), tables.SinceColumn, err)
			end = "" // nothing is known
		} else if cut {
			end = tables.LaterThan(since)
		}
		held[owner] = &timeline{entries: map[string]bool{}, end: end}
	}
	err = rebuild.Spans(ctx, r.Store, &tables.Timelines.AnyList, owners, func(s *rebuild.Span) error {
		t := held[s.Owner]
		for _, c := range s.Cells {
			if !t.full {
				if t.entries[c.Qualifier] = true; len(t.entries) == r.TimelineBound {
					t.full, t.end = true, min(t.end, c.Qualifier)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	type follower struct {
		name string
		at   time.Time
	}
	followers := map[string][]follower{}
	err = rebuild.Spans(ctx, r.Store, &tables.Following.AnyList, owners, func(s *rebuild.Span) error {
		members, err := rebuild.Covered(tables.Following, s)
		for _, f := range members {
			if !r.busy[f.Username] && !r.elsewhere[f.Username] {
				followers[f.Username] = append(followers[f.Username], follower{s.Owner, f.At})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	authors := make([]string, 0, len(followers))
	for author := range followers {
		authors = append(authors, author)
	}
	slices.Sort(authors)
	for some := range slices.Chunk(authors, some) {
		err := rebuild.Spans(ctx, r.Store, &tables.Twits.AnyList, some, func(s *rebuild.Span) error {
			for i, c := range s.Cells {
				if !s.Covers(i) {
					continue
				}
				twit := tables.TwitKey{Author: s.Owner, Position: c.Qualifier}
				position := tables.Timelines.Position(twit)
				for _, f := range followers[s.Owner] {
					if t := held[f.name]; !t.entries[position] && position < t.end {
						entry := entryOf(tables.Timelines, f.name, twit, max(1, f.at.UnixMilli()))
						entry.row = tables.Timelines.Row(f.name, 0)
						r.missing(entry, false, "%s follows %s", f.name, s.Owner)
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// explainEntries says of entries why they should not be there.
func explainEntries(ctx context.Context, r *run, owner string, members []tables.TwitKey) ([]string, error) {
	why := make([]string, len(members))
	follows := map[string]int{}
	var gets []hbase.Get
	names := make([]string, len(members))
	for i, twit := range members {
		_, names[i], _ = twit.Parts()
		gets = append(gets, tables.TwitNames.Get(names[i]))
	}
	for _, twit := range members {
		if _, asked := follows[twit.Author]; !asked {
			follows[twit.Author] = len(gets)
			gets = append(gets, tables.Follows.Related(owner, twit.Author))
		}
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, twit := range members {
		if r.busy[twit.Author] {
			continue
		}
		key, ok, err := r.twit(names[i], cells[i])
		if err != nil {
			continue // reported with the row
		}
		related, _, err := tables.Follows.Decode(cells[follows[twit.Author]])
		switch {
		case err != nil: // reported with the edge
		case !ok || key != twit:
			why[i] = fmt.Sprintf("there is no twit %q", names[i])
		case !related:
			why[i] = fmt.Sprintf("%s does not follow %s", owner, twit.Author)
		}
	}
	return why, nil
}
