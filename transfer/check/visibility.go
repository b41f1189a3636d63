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
	restore := func(l, other *tables.List[*tables.Twit]) func(context.Context) error {
		return func(ctx context.Context) error {
			return r.spans(ctx, &l.AnyList, func(s *rebuild.Span) error { return r.restoreTwits(ctx, l, other, s) })
		}
	}
	return r.inOrder(ctx, restore(tables.Twits, tables.Albums), restore(tables.Albums, tables.Twits),
		func(ctx context.Context) error {
			return r.spans(ctx, &tables.Albums.AnyList, func(s *rebuild.Span) error { return r.restrictTwits(ctx, s) })
		})
}

// restoreTwits reports the columns of a list that hold no readable twit, such as one of an unknown
// visibility. They are repaired from the same twit in the other list if it is readable there.
func (r *run) restoreTwits(ctx context.Context, l, other *tables.List[*tables.Twit], s *rebuild.Span) error {
	var damaged, copies []entry
	var causes []error
	for i, c := range s.Cells {
		if _, err := decoded(l)(s.Owner, c); err != nil && s.Covers(i) {
			damaged = append(damaged, entry{list: &l.AnyList, owner: s.Owner, cell: c, row: l.Row(s.Owner, s.Bucket)})
			copies, causes = append(copies, entryAt(&other.AnyList, s.Owner, c.Qualifier)), append(causes, err)
		}
	}
	if err := r.find(ctx, copies); err != nil {
		return err
	}
	for i, d := range damaged {
		r.report(columnOf(l.Table, d.row, d.cell), text(d.cell.Value), "a twit that is PUBLIC or FOLLOWERS", causes[i].Error(),
			r.restoreTwit(l, other, d, copies[i])...)
		r.damaged[d.of()] = true
	}
	return nil
}

// restoreTwit returns what repairs a damaged twit of a list from its copy in the other list: nothing if that is
// missing or unreadable. If the copy is public and the damaged one may have been for followers, the copy is
// reported too, and both become for followers.
func (r *run) restoreTwit(l, other *tables.List[*tables.Twit], damaged, copied entry) []hbase.Mutation {
	if copied.found == nil {
		return nil
	}
	t, err := decoded(other)(damaged.owner, *copied.found)
	if err != nil {
		return nil
	}
	whole := *copied.found
	if t.Visibility == tables.Public && tables.MayBeForFollowers(damaged.cell.Value) {
		whole = l.Cell(forFollowers(t), copied.found.Timestamp)
		r.restrict(copied, whole, "the damaged copy in "+l.Table+" may have been for followers only")
	}
	return []hbase.Mutation{replaced(damaged, damaged.cell, whole).Mutation()}
}

// restrict reports a public twit that should be for followers only, as the other column has it, and repairs it.
func (r *run) restrict(e entry, whole hbase.Cell, why string) {
	if r.differs(replaced(e, *e.found, whole), why) && !r.Repair {
		r.restricted[tables.TwitKey{Author: e.owner, Position: e.cell.Qualifier}] = true
		r.grow(e.of(), 0, -1)
	}
}

// replaced returns the change of a stored column into one that has the value of the same twit in the other list.
func replaced(e entry, old, whole hbase.Cell) rebuild.Change {
	return rebuild.Change{Table: e.list.Table, Row: e.row, Old: &old, New: &hbase.Cell{Family: e.list.Family,
		Qualifier: old.Qualifier, Timestamp: max(old.Timestamp, whole.Timestamp), Value: whole.Value}}
}

// restrictTwits reports the public twits whose copy in the album is for followers only, and repairs them
// from that: twits never change, so that one of the two is damaged.
func (r *run) restrictTwits(ctx context.Context, s *rebuild.Span) error {
	var entries []entry
	var copies []hbase.Cell
	for i, c := range s.Cells {
		t, err := decoded(tables.Albums)(s.Owner, c)
		if err == nil && s.Covers(i) && t.Visibility == tables.FollowersOnly {
			entries, copies = append(entries, entryAt(&tables.Twits.AnyList, s.Owner, c.Qualifier)), append(copies, c)
		}
	}
	if err := r.find(ctx, entries); err != nil {
		return err
	}
	for i, e := range entries {
		if e.found != nil && r.isPublic(e.of(), *e.found).public {
			r.restrict(e, copies[i], "the album has it for followers only")
		}
	}
	return nil
}

// asRestricted returns the twit as it is after the repair of its visibility.
func (r *run) asRestricted(t *tables.Twit) *tables.Twit {
	if r.restricted[t.Key()] {
		return forFollowers(t)
	}
	return t
}

// forFollowers returns a copy of a twit that is for followers only.
func forFollowers(t *tables.Twit) *tables.Twit {
	restricted := *t
	restricted.Visibility = tables.FollowersOnly
	return &restricted
}
