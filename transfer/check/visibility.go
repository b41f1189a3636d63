package check

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// visibilities checks the stored visibility of all twits: it is PUBLIC or FOLLOWERS, and the copy in the
// album agrees. No repair publishes: of two copies that disagree, the one for followers counts, and so does
// one that is damaged and may have been for followers.
func (r *run) visibilities(ctx context.Context) error {
	for _, check := range []func() error{
		func() error {
			return r.spans(ctx, &tables.Twits.AnyList, r.restoreTwits(ctx, tables.Twits, tables.Albums))
		},
		func() error {
			return r.spans(ctx, &tables.Albums.AnyList, r.restoreTwits(ctx, tables.Albums, tables.Twits))
		},
		func() error { return r.spans(ctx, &tables.Albums.AnyList, r.restrictTwits(ctx)) },
	} {
		if err := check(); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// restoreTwits reports the columns of a list that hold no readable twit, such as one of an unknown
// visibility. They are repaired from the same twit in the other list if it is readable there.
func (r *run) restoreTwits(ctx context.Context, l, other *tables.List[*tables.Twit]) func(*rebuild.Span) error {
	return func(s *rebuild.Span) error {
		var damaged, copies []entry
		var causes []error
		for i, c := range s.Cells {
			if _, err := twitOf(l, s.Owner, c); err != nil && s.Covers(i) {
				damaged = append(damaged, entry{list: &l.AnyList, owner: s.Owner, cell: c, row: l.Row(s.Owner, s.Bucket)})
				copies, causes = append(copies, entryAt(&other.AnyList, s.Owner, c.Qualifier)), append(causes, err)
			}
		}
		if err := r.find(ctx, copies); err != nil {
			return err
		}
		for i, d := range damaged {
			b := violationOf(l.Table, d.row, l.Family, d.cell.Qualifier, text(d.cell.Value), "a twit that is PUBLIC or FOLLOWERS", "%v", causes[i])
			if restore := r.restoreTwit(l, other, d, copies[i]); restore != nil {
				r.report(b, restore)
			} else {
				r.report(b)
			}
			r.unreadable[d.of()] = true
		}
		return nil
	}
}

// restoreTwit returns what repairs a damaged twit of a list from its copy in the other list, nil if that is
// missing or unreadable. If the copy is public and the damaged one may have been for followers, the copy is
// reported too, and both become for followers.
func (r *run) restoreTwit(l, other *tables.List[*tables.Twit], damaged, copied entry) hbase.Mutation {
	if copied.found == nil {
		return nil
	}
	t, err := twitOf(other, damaged.owner, *copied.found)
	if err != nil {
		return nil
	}
	whole := *copied.found
	if t.Visibility == tables.Public && tables.MayBeForFollowers(damaged.cell.Value) {
		restricted := *t
		restricted.Visibility = tables.FollowersOnly
		whole = l.Cell(&restricted, copied.found.Timestamp)
		r.restrict(copied, whole, "the damaged copy in "+l.Table+" may have been for followers only")
	}
	return putCopy(damaged, whole)
}

// restrict reports a public twit that should be for followers only, as the other column has it, and repairs it.
func (r *run) restrict(s entry, whole hbase.Cell, why string) {
	b := violationOf(s.list.Table, s.row, s.list.Family, s.cell.Qualifier, text(s.found.Value), text(whole.Value), "%s", why)
	s.cell = *s.found
	if r.report(b, putCopy(s, whole)) && !r.Repair {
		r.restricted[tables.TwitKey{Author: s.owner, Position: s.cell.Qualifier}] = true
		r.fewerPublic(s)
	}
}

// restrictTwits reports the public twits whose copy in the album is for followers only, and repairs them
// from that: twits never change, so that one of the two is damaged.
func (r *run) restrictTwits(ctx context.Context) func(*rebuild.Span) error {
	return func(s *rebuild.Span) error {
		var entries []entry
		var copies []hbase.Cell
		for i, c := range s.Cells {
			t, err := twitOf(tables.Albums, s.Owner, c)
			if err == nil && s.Covers(i) && t.Visibility == tables.FollowersOnly {
				entries, copies = append(entries, entryAt(&tables.Twits.AnyList, s.Owner, c.Qualifier)), append(copies, c)
			}
		}
		if err := r.find(ctx, entries); err != nil {
			return err
		}
		for i, entry := range entries {
			if entry.found == nil {
				continue
			}
			if t, err := twitOf(tables.Twits, s.Owner, *entry.found); err != nil || t.Visibility != tables.Public {
				continue
			}
			r.restrict(entry, copies[i], "the album has it for followers only")
		}
		return nil
	}
}

// fewerPublic notes, while nothing is repaired, that a list has a public twit that is for followers.
func (r *run) fewerPublic(s entry) {
	if r.Repair {
		return
	}
	l := s.of()
	length := r.off[l]
	length.Public--
	r.off[l] = length
}

// asRestricted returns the twit as it is after the repair of its visibility.
func (r *run) asRestricted(t *tables.Twit) *tables.Twit {
	if !r.restricted[t.Key()] {
		return t
	}
	repaired := *t
	repaired.Visibility = tables.FollowersOnly
	return &repaired
}

// putCopy writes the value of another column into that of a entry.
func putCopy(s entry, whole hbase.Cell) hbase.Put {
	return hbase.Put{Table: s.list.Table, Row: s.row, Cells: []hbase.Cell{{Family: s.list.Family, Qualifier: s.cell.Qualifier,
		Timestamp: max(s.cell.Timestamp, whole.Timestamp), Value: whole.Value}}}
}

// twitOf reads the twit of a column. The error is [hbase.ErrCorrupt].
func twitOf(l *tables.List[*tables.Twit], author string, c hbase.Cell) (*tables.Twit, error) {
	c.Family = l.Family
	twits, _, _, err := l.Decode(author, []hbase.Cell{c})
	if err != nil {
		return nil, err
	}
	return twits[0], nil
}

func readable(l *tables.List[*tables.Twit], author string, c hbase.Cell) bool {
	_, err := twitOf(l, author, c)
	return err == nil
}
