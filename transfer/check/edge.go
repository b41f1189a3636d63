package check

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// pairs are the rows of a table that are each about two objects, and say what the lists of both have.
type pairs struct {
	scan     hbase.Scan
	from, to *tables.AnyObject
	// decode returns false for a row that says nothing.
	decode func(row hbase.Row) (pair, bool, error)
	// column is the one that is reported if a row can't be read.
	column func(row hbase.Row) column
	// end reports a row if one of the objects does not exist. The repair removes what the row says.
	end func(r *run, p pair, why string)
}

// pair is such a row.
type pair struct {
	hbase.Row
	a, b string
	// entries are the members that the lists of both objects have.
	entries [2]entry
}

// pairs checks that both objects of each row exist, and that both lists have what the row says.
func (r *run) pairs(ctx context.Context, x pairs) error {
	return r.rows(ctx, x.scan, func(rows []hbase.Row) error {
		var some []pair
		var as, bs []string
		for _, row := range rows {
			p, ok, err := x.decode(row)
			if err != nil {
				r.unreadable(x.column(row), err)
			} else if ok {
				p.Row = row
				some, as, bs = append(some, p), append(as, p.a), append(bs, p.b)
			}
		}
		from, err := r.existing(ctx, x.from, as)
		if err != nil {
			return err
		}
		to, err := r.existing(ctx, x.to, bs)
		if err != nil {
			return err
		}
		var entries []entry
		for _, p := range some {
			switch {
			case !from[p.a]:
				x.end(r, p, noObject(x.from, p.a))
			case !to[p.b]:
				x.end(r, p, noObject(x.to, p.b))
			default:
				entries = append(entries, p.entries[:]...)
			}
		}
		return r.expect(ctx, entries)
	})
}

// edges checks the edges of all relations.
func (r *run) edges(ctx context.Context) error {
	for _, x := range tables.Relations() {
		if err := r.pairs(ctx, edgesOf(x)); err != nil {
			return err
		}
	}
	return nil
}

func edgesOf(x *tables.Relation) pairs {
	return pairs{
		scan: x.Edges(), from: x.From.Object(), to: x.To.Object(),
		decode: func(row hbase.Row) (p pair, related bool, err error) {
			if p.a, p.b, err = x.Ends(row.Key); err != nil {
				return p, false, err
			}
			related, at, err := x.Decode(row.Cells)
			timestamp, why := rebuild.Youngest(row.Cells), says(x, p.a, p.b)+since(x, at)
			p.entries = [2]entry{
				{list: x.From.List, owner: p.a, cell: x.From.Member(p.b, at, timestamp), source: x.Table, why: why},
				{list: x.To.List, owner: p.b, cell: x.To.Member(p.a, at, timestamp), source: x.Table, why: why},
			}
			return p, related, err
		},
		column: func(row hbase.Row) column { return attribute(x.Table, row.Key, "state") },
		end: func(r *run, p pair, why string) {
			_, at, _ := x.Decode(p.Cells)
			r.report(attribute(x.Table, p.Key, "state"), "1", "0", why, x.Put(p.a, p.b, false, at, rebuild.Youngest(p.Cells)+1))
		},
	}
}

// edge is what a member of a list says of two objects.
type edge struct {
	a, b string
	at   time.Time
}

// says says that a is related to b.
func says(x *tables.Relation, a, b string) string {
	return x.From.Object().NameOf(a) + " " + x.Verb + " " + x.To.Object().NameOf(b)
}

// since says since when two objects are related, if that is known.
func since(x *tables.Relation, at time.Time) string {
	if !x.Dated() || at.Equal(tables.Unknown) {
		return ""
	}
	return " since " + at.Format(time.RFC3339Nano)
}

// explainEdges explains the lists of one end of a relation by the edges. edgeOf returns the edge of a member.
func explainEdges(x *tables.Relation, edgeOf func(owner string, member hbase.Cell) (edge, error)) explainer {
	return explain(edgeOf,
		func(_ string, e edge) hbase.Get { return x.Get(e.a, e.b) },
		func(_ string, e edge, cells []hbase.Cell) string {
			related, at, err := x.Decode(cells)
			switch {
			case err != nil: // reported with the edge
			case !related:
				return fmt.Sprintf("%s says that %s no longer, or never did", x.Table, says(x, e.a, e.b))
			case x.Dated() && !at.Equal(e.at):
				return says(x, e.a, e.b) + since(x, at)
			}
			return ""
		})
}
