package transfer

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// pair has the names of two related objects, which [relations.imports] replaces by keys.
type pair struct{ a, b string }

func (p pair) key() string { return p.a + "\x00" + p.b }

type relation struct {
	pair
	at time.Time
}

type relations struct {
	*tables.Relation
	from, to *list
	newKeys  newKeys
}

// relationSchemas returns the schemas of the relations to an object or, if isSecond is false, of
// all others.
func relationSchemas(object *tables.AnyObject, isSecond bool) (schemas []schema) {
	for _, x := range tables.Relations() {
		if (x.To.Object() == object) != isSecond {
			continue
		}
		f := schema{
			name: x.File, required: []string{x.From.Column, x.To.Column},
			imports: func(im *importer, ctx context.Context) error {
				x := &relations{x, im.lists[x.From.List], im.lists[x.To.List], newKeys{blank: im.blank}}
				return x.imports(ctx, im)
			},
			exports: func(ctx context.Context, store hbase.Store, row emit) error {
				return exportRelations(ctx, store, x, row)
			},
		}
		if x.Dated() {
			f.optional = []string{x.DateColumn}
		}
		schemas = append(schemas, f)
	}
	return schemas
}

func (x *relations) parse(r *row) relation {
	rel := relation{at: tables.UnknownTime}
	rel.a, rel.b = r.checked(x.From.Column, x.From.Object().CheckName), r.checked(x.To.Column, x.To.Object().CheckName)
	if x.Dated() && r.has(x.DateColumn) {
		rel.at = r.time(x.DateColumn)
	}
	if x.Irreflexive && rel.a == rel.b {
		r.fail(x.To.Column, "%q can't %s themselves", rel.a, x.Name)
	}
	return rel
}

func (x *relations) imports(ctx context.Context, im *importer) error {
	from, to := x.From.Object(), x.To.Object()
	return pipe(ctx, im, x.File, x.parse, relation.key,
		func(ctx context.Context, batch []item[relation]) error {
			batch, err := known(ctx, im, batch,
				name[relation]{x.From.Column, from, func(r relation) string { return r.a }, []*tables.AnyList{x.From.List}},
				name[relation]{x.To.Column, to, func(r relation) string { return r.b }, []*tables.AnyList{x.To.List}})
			if err != nil {
				return err
			}
			for i := range batch {
				r := &batch[i].value
				r.a, _ = im.objects[from].of(r.a)
				r.b, _ = im.objects[to].of(r.b)
			}
			return x.write(ctx, im, batch)
		})
}

// edge is a stored edge.
type edge struct {
	related   bool
	at        time.Time
	timestamp int64
}

func (x *relations) write(ctx context.Context, im *importer, batch []item[relation]) error {
	rows := latest(batch)
	edges, err := x.read(ctx, im.store, rows)
	if err != nil {
		return err
	}
	derived := im.visibleWrites()
	sources := make([]hbase.Mutation, 0, len(rows))
	var added []relation
	for _, r := range rows {
		old := edges[r.pair]
		timestamp := stamp(r.at)
		if old.timestamp >= timestamp {
			continue
		}
		if old.related && x.Dated() { // members without a date are overwritten
			im.remove(derived, x.from, r.a, x.From.Member(r.b, old.at, old.timestamp))
			im.remove(derived, x.to, r.b, x.To.Member(r.a, old.at, old.timestamp))
		}
		if !old.related {
			x.from.count(r.a, false)
			x.to.count(r.b, false)
			added = append(added, r)
		}
		x.from.put(derived, r.a, x.From.Member(r.b, r.at, timestamp))
		x.to.put(derived, r.b, x.To.Member(r.a, r.at, timestamp))
		sources = append(sources, x.Put(r.a, r.b, true, r.at, timestamp))
	}
	if x.Job == tables.Followed {
		if err := im.fanIn(ctx, derived, added); err != nil {
			return err
		}
	}
	if err := derived.flush(ctx); err != nil {
		return err
	}
	return hbase.MutateAll(ctx, im.store, sources)
}

// latest returns one row per pair, because [writes.flush] reorders deletes and puts of a member.
func latest(batch []item[relation]) []relation {
	rows := make([]relation, 0, len(batch))
	at := make(map[pair]int, len(batch)) // index in rows
	for _, it := range batch {
		r := it.value
		if i, again := at[r.pair]; !again {
			at[r.pair] = len(rows)
			rows = append(rows, r)
		} else if stamp(rows[i].at) < stamp(r.at) {
			rows[i] = r
		}
	}
	return rows
}

func (x *relations) read(ctx context.Context, store hbase.Store, rows []relation) (map[pair]edge, error) {
	edges := make(map[pair]edge, len(rows))
	var mayExist []pair
	for _, r := range rows {
		if !x.newKeys.first(r.key()) {
			mayExist = append(mayExist, r.pair)
		}
	}
	cells, err := hbase.GetEach(ctx, store, mayExist, func(p pair) hbase.Get { return x.Get(p.a, p.b) })
	if err != nil {
		return nil, err
	}
	for i, p := range mayExist {
		related, at, err := x.Decode(cells[i])
		if err != nil {
			return nil, err
		}
		edges[p] = edge{related, at, hbase.LatestTimestamp(cells[i])}
	}
	return edges, nil
}

func exportRelations(ctx context.Context, store hbase.Store, x *tables.Relation, row emit) error {
	for r, err := range store.Scan(ctx, x.Edges()) {
		if err != nil {
			return err
		}
		a, b, err := x.Ends(r.Key)
		if err != nil {
			return err
		}
		related, at, err := x.Decode(r.Cells)
		if err != nil {
			return err
		}
		if !related {
			continue
		}
		fields := []string{x.From.Object().NameOf(a), x.To.Object().NameOf(b)}
		if x.Dated() {
			since := ""
			if !at.Equal(tables.UnknownTime) {
				since = instant(at)
			}
			fields = append(fields, since)
		}
		if err := row(fields...); err != nil {
			return err
		}
	}
	return nil
}
