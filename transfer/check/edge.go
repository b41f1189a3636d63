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
			edges, err := r.existing(ctx, x, r.related(x, rows))
			if err != nil {
				return err
			}
			return r.listed(ctx, x, edges)
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
		if err != nil {
			r.corrupt(x.Table, row.Key, "state", err)
			continue
		}
		related, at, err := x.Decode(row.Cells)
		if err != nil {
			r.corrupt(x.Table, row.Key, "state", err)
		}
		if related {
			edges = append(edges, edge{row.Key, a, b, at, rebuild.Youngest(row.Cells)})
		}
	}
	return edges
}

// existing returns the edges whose ends exist, and reports the others. The repair ends these.
func (r *run) existing(ctx context.Context, x *tables.Relation, edges []edge) (kept []edge, err error) {
	as, bs := make([]string, len(edges)), make([]string, len(edges))
	for i, e := range edges {
		as[i], bs[i] = e.a, e.b
	}
	from, err := r.which(ctx, x.From.Object(), as)
	if err != nil {
		return nil, err
	}
	to, err := r.which(ctx, x.To.Object(), bs)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		if from[e.a] && to[e.b] {
			kept = append(kept, e)
			continue
		}
		lost, key := x.From.Object(), e.a
		if from[e.a] {
			lost, key = x.To.Object(), e.b
		}
		r.report(violationOf(x.Table, e.row, tables.Attributes, "state", "1", "0", "there is no %s %q", lost.Name, lost.NameOf(key)),
			x.Put(e.a, e.b, false, e.at, e.timestamp+1))
	}
	return kept, nil
}

// listed reports the lists that lack an edge.
func (r *run) listed(ctx context.Context, x *tables.Relation, edges []edge) error {
	var entries []entry
	for _, e := range edges {
		entries = append(entries,
			entry{list: x.From.List, owner: e.a, cell: x.From.Member(e.b, e.at, e.timestamp)},
			entry{list: x.To.List, owner: e.b, cell: x.To.Member(e.a, e.at, e.timestamp)})
	}
	if err := r.find(ctx, entries); err != nil {
		return err
	}
	for i, s := range entries {
		if e := edges[i/2]; s.found == nil {
			r.missing(s, false, "%s%s", says(x, e.a, e.b), since(x, e.at))
		}
	}
	return nil
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

// explainFrom explains the lists of the objects from which a relation goes, and explainTo those to which it goes.
func explainFrom(x *tables.Relation) explainer {
	return func(ctx context.Context, r *run, owner string, members []hbase.Cell) ([]string, error) {
		return r.explainEdges(ctx, x, members, func(c hbase.Cell) (e edge, err error) {
			e.a = owner
			e.b, e.at, err = x.From.Counterpart(owner, c)
			return e, err
		})
	}
}

func explainTo(x *tables.Relation) explainer {
	return func(ctx context.Context, r *run, owner string, members []hbase.Cell) ([]string, error) {
		return r.explainEdges(ctx, x, members, func(c hbase.Cell) (e edge, err error) {
			e.b = owner
			e.a, e.at, err = x.To.Counterpart(owner, c)
			return e, err
		})
	}
}

// explainEdges says of members why they should not be there: because their edges say otherwise.
func (r *run) explainEdges(ctx context.Context, x *tables.Relation, members []hbase.Cell,
	of func(hbase.Cell) (edge, error)) ([]string, error) {
	edges, gets := make([]edge, len(members)), make([]hbase.Get, len(members))
	for i, c := range members {
		var err error
		if edges[i], err = of(c); err != nil {
			return nil, err
		}
		gets[i] = x.Get(edges[i].a, edges[i].b)
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	why := make([]string, len(members))
	for i, e := range edges {
		related, at, err := x.Decode(cells[i])
		switch {
		case err != nil: // reported with the edge
		case !related:
			why[i] = fmt.Sprintf("%s says that %s no longer, or never did", x.Table, says(x, e.a, e.b))
		case x.Dated() && !at.Equal(e.at):
			why[i] = says(x, e.a, e.b) + since(x, at)
		}
	}
	return why, nil
}
