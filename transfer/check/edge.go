package check

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type pair struct {
	a, b string
	// entries are the members that the lists of a and b must have.
	entries [2]entry
	// dangling reports a missing object. The repair ends the relation, or deletes the plays.
	dangling func(why string)
}

// decode returns nil for rows that are unreadable or without a relation.
func (r *run) pairs(
	ctx context.Context, scan hbase.Scan, from, to *tables.AnyObject, decode func(hbase.Row) *pair,
) error {
	return r.rows(ctx, scan, func(rows []hbase.Row) error {
		var pairs []*pair
		var as, bs []string
		for _, row := range rows {
			if p := decode(row); p != nil {
				pairs, as, bs = append(pairs, p), append(as, p.a), append(bs, p.b)
			}
		}
		froms, err := r.existing(ctx, from, as)
		if err != nil {
			return err
		}
		tos, err := r.existing(ctx, to, bs)
		if err != nil {
			return err
		}
		var entries []entry
		for _, p := range pairs {
			switch {
			case !froms[p.a] && !r.isUnnamed(from, p.a):
				p.dangling(noObject(from, p.a))
			case !tos[p.b] && !r.isUnnamed(to, p.b):
				p.dangling(noObject(to, p.b))
			default:
				entries = append(entries, p.entries[:]...)
			}
		}
		return r.expect(ctx, entries)
	})
}

// An unnamed twit exists, although a run without repairs does not add its row to twit_ids.
func (r *run) isUnnamed(o *tables.AnyObject, key string) bool {
	if o != tables.PostedTwits {
		return false
	}
	twit, err := tables.ParseTwitKey(key)
	return err == nil && r.unnamed[twit]
}

func (r *run) edges(ctx context.Context) error {
	for _, x := range tables.Relations() {
		decode := func(row hbase.Row) *pair { return r.edge(x, row) }
		if err := r.pairs(ctx, x.Edges(), x.From.Object(), x.To.Object(), decode); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) edge(x *tables.Relation, row hbase.Row) *pair {
	state := attribute(x.Table, row.Key, "state")
	a, b, err := x.Ends(row.Key)
	var related bool
	var at time.Time
	if err == nil {
		related, at, err = x.Decode(row.Cells)
	}
	if err != nil {
		r.unreadable(state, err)
	}
	if err != nil || !related {
		return nil
	}
	timestamp, why := hbase.LatestTimestamp(row.Cells), statement(x, a, b)+since(x, at)
	return &pair{a, b, [2]entry{
		{list: x.From.List, owner: a, cell: x.From.Member(b, at, timestamp), source: x.Table, why: why},
		{list: x.To.List, owner: b, cell: x.To.Member(a, at, timestamp), source: x.Table, why: why},
	}, func(why string) { r.report(state, "1", "0", why, x.Put(a, b, false, at, timestamp+1)) }}
}

func statement(x *tables.Relation, a, b string) string {
	return x.From.Object().NameOf(a) + " " + x.Verb + " " + x.To.Object().NameOf(b)
}

func since(x *tables.Relation, at time.Time) string {
	if !x.Dated() || at.Equal(tables.UnknownTime) {
		return ""
	}
	return " since " + at.Format(time.RFC3339Nano)
}

// listed is the member's time if x is dated.
func sourceOfRelated(x *tables.Relation, a, b string, listed time.Time) source {
	return source{row: x.Get(a, b), why: func(cells []hbase.Cell) string {
		related, at, err := x.Decode(cells)
		switch {
		case err != nil: // reported with the edge
		case !related:
			return fmt.Sprintf("%s has no edge for: %s", x.Table, statement(x, a, b))
		case x.Dated() && !at.Equal(listed):
			return statement(x, a, b) + since(x, at)
		}
		return ""
	}}
}
