package check

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// twitVisibilities and albumVisibilities compare twits with their copies in the album. No repair
// publishes a twit: if the copies differ, or a damaged copy may have been for followers, the
// repaired twit is for followers.
func (r *run) twitVisibilities(ctx context.Context) error {
	return r.bucketPages(ctx, &tables.Twits.AnyList, func(s *rebuild.BucketPage) error {
		return r.restoreTwits(ctx, tables.Twits, tables.Albums, s)
	})
}

func (r *run) albumVisibilities(ctx context.Context) error {
	return r.bucketPages(ctx, &tables.Albums.AnyList, func(s *rebuild.BucketPage) error {
		if err := r.restoreTwits(ctx, tables.Albums, tables.Twits, s); err != nil {
			return err
		}
		return r.restrictTwits(ctx, s)
	})
}

// restoreTwits reports damaged twits of l. The repair is the copy in the other list, if any.
func (r *run) restoreTwits(ctx context.Context, l, other *tables.List[*tables.Twit], s *rebuild.BucketPage) error {
	var damaged []hbase.Cell
	var copies []entry
	var causes []error
	for _, c := range s.Cells {
		if _, err := decode(l, s.Owner, c); err != nil {
			damaged, causes = append(damaged, c), append(causes, err)
			copies = append(copies, entryAt(&other.AnyList, s.Owner, c.Qualifier))
		}
	}
	if err := r.find(ctx, copies); err != nil {
		return err
	}
	row := l.Row(s.Owner, s.Bucket)
	for i, c := range damaged {
		var repair []hbase.Mutation
		if t := r.copyOf(l, c, other, copies[i]); t != nil {
			repair = append(repair, hbase.PutCells(l.Table, row, l.Cell(t, max(c.Timestamp, copies[i].found.Timestamp))))
		}
		r.report(columnOf(l.Table, row, c), text(c.Value), "a readable twit", causes[i].Error(), repair...)
		r.damaged[listOf{&l.AnyList, s.Owner}] = true
	}
	return nil
}

// copyOf returns the other copy of a damaged twit or nil, restricted if the damaged twit may have
// been for followers.
func (r *run) copyOf(
	l *tables.List[*tables.Twit], damaged hbase.Cell, other *tables.List[*tables.Twit], e entry,
) *tables.Twit {
	if e.found == nil {
		return nil
	}
	t, err := decode(other, e.owner, *e.found)
	switch {
	case err != nil:
		return nil
	case t.Visibility == tables.Public && tables.MayBeForFollowers(damaged.Value):
		return r.restrict(other, e, t, "the damaged copy in "+l.Table+" may have been for followers only")
	}
	return t
}

func (r *run) restrict(l *tables.List[*tables.Twit], e entry, t *tables.Twit, why string) *tables.Twit {
	r.restricted[t.Key()] = true
	t = r.asRestricted(t)
	if r.compareColumn(e.get(), e.found, l.Cell(t, e.found.Timestamp), why) {
		r.unpublish(e.of())
	}
	return t
}

func (r *run) asRestricted(t *tables.Twit) *tables.Twit {
	if !r.restricted[t.Key()] {
		return t
	}
	restricted := *t
	restricted.Visibility = tables.FollowersOnly
	return &restricted
}

// restrictTwits restricts public twits whose copy in the album is for followers. Twits never
// change, so one of the two is damaged.
func (r *run) restrictTwits(ctx context.Context, s *rebuild.BucketPage) error {
	var entries []entry
	for _, c := range s.Cells {
		t, err := decode(tables.Albums, s.Owner, c)
		if err == nil && t.Visibility == tables.FollowersOnly {
			entries = append(entries, entryAt(&tables.Twits.AnyList, s.Owner, c.Qualifier))
		}
	}
	if err := r.find(ctx, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if e.found == nil {
			continue
		}
		if t, err := decode(tables.Twits, e.owner, *e.found); err == nil && t.Visibility == tables.Public {
			r.restrict(tables.Twits, e, t, "the album has it for followers only")
		}
	}
	return nil
}
