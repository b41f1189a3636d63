package check

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// edge is a row that relates a to b.
type edge struct {
	row, a, b string
	at        time.Time
	timestamp int64
}

// edges checks that both ends of each edge exist, and that both lists have it.
func (r *run) edges(ctx context.Context) error {
	for _, x := range tables.Relations() {
		err := r.rows(ctx, x.Edges(), func(rows []hbase.Row) error {
			edges, err := r.withEnds(ctx, x, r.related(x, rows))
			if err != nil {
				return err
			}
			var entries []entry
			for _, e := range edges {
				why := says(x, e.a, e.b) + since(x, e.at)
				entries = append(entries,
					entry{list: x.From.List, owner: e.a, cell: x.From.Member(e.b, e.at, e.timestamp), source: x.Table, why: why},
					entry{list: x.To.List, owner: e.b, cell: x.To.Member(e.a, e.at, e.timestamp), source: x.Table, why: why})
			}
			return r.expect(ctx, entries)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// related returns the edges whose ends are related, and reports those that can't be read.
func (r *run) related(x *tables.Relation, rows []hbase.Row) (edges []edge) {
	for _, row := range rows {
		a, b, err := x.Ends(row.Key)
		var related bool
		var at time.Time
		if err == nil {
			related, at, err = x.Decode(row.Cells)
		}
		if err != nil {
			r.unreadable(attribute(x.Table, row.Key, "state"), err)
		} else if related {
			edges = append(edges, edge{row.Key, a, b, at, rebuild.Youngest(row.Cells)})
		}
	}
	return edges
}

// withEnds returns the edges whose ends exist, and reports the others. The repair ends these.
func (r *run) withEnds(ctx context.Context, x *tables.Relation, edges []edge) (kept []edge, err error) {
	as, bs := make([]string, len(edges)), make([]string, len(edges))
	for i, e := range edges {
		as[i], bs[i] = e.a, e.b
	}
	from, err := r.existing(ctx, x.From.Object(), as)
	if err != nil {
		return nil, err
	}
	to, err := r.existing(ctx, x.To.Object(), bs)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		if from[e.a] && to[e.b] {
			kept = append(kept, e)
			continue
		}
		why := noObject(x.From.Object(), e.a)
		if from[e.a] {
			why = noObject(x.To.Object(), e.b)
		}
		r.report(attribute(x.Table, e.row, "state"), "1", "0", why, x.Put(e.a, e.b, false, e.at, e.timestamp+1))
	}
	return kept, nil
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
