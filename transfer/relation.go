package transfer

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// relation is a row that relates a to b.
type relation struct {
	a, b string
	// at is since when, tables.Unknown if the row does not say.
	at time.Time
}

func (r relation) key() string { return r.a + "\x00" + r.b }

// relations write the edges of one kind, and both lists that follow from each.
type relations struct {
	edge *tables.Relation
	// touch announces whose lists are written.
	touch func(ctx context.Context, as, bs []string) error
	put   func(w *writes, r relation, timestamp int64)
	// count notes that both lists have a new member.
	count func(r relation)
	// remove takes out of both lists what an older relation of the two put there.
	remove func(w *writes, r relation, timestamp int64)
	// fresh knows of which relations there can't be an edge, by their keys.
	fresh *fresh
	// before writes what else must be there before an edge may be; nil is nothing.
	before func(ctx context.Context, w *writes, fresh []relation) error
}

// edge is what the store says of a relation.
type edge struct {
	related   bool
	at        time.Time
	timestamp int64
}

// write writes relations whose names exist. An edge comes last: one that is there has all that follows from it.
func (k *relations) write(ctx context.Context, im *importer, batch []item[relation]) error {
	edges, err := k.read(ctx, im.store, batch)
	if err != nil {
		return err
	}
	derived := im.derived(2 * len(batch))
	truth := make([]hbase.Mutation, 0, len(batch))
	var fresh []relation
	for i, it := range batch {
		r, old := it.value, edges[i]
		timestamp := stamp(r.at)
		if old.timestamp >= timestamp {
			continue
		}
		if old.related {
			gone := old.timestamp
			if im.repaired { // a repair may have made it younger
				gone = time.Now().UnixMilli()
			}
			k.remove(derived, relation{r.a, r.b, old.at}, gone)
		} else {
			k.count(r)
			fresh = append(fresh, r)
		}
		k.put(derived, r, timestamp)
		truth = append(truth, k.edge.Put(r.a, r.b, true, r.at, timestamp))
		*old = edge{true, r.at, timestamp}
	}
	if k.before != nil {
		if err := k.before(ctx, derived, fresh); err != nil {
			return err
		}
	}
	if err := derived.flush(ctx); err != nil {
		return err
	}
	return settle.Write(ctx, im.store, truth)
}

// read returns the edge of each row; rows of the same two share one.
func (k *relations) read(ctx context.Context, store hbase.Store, batch []item[relation]) ([]*edge, error) {
	as, bs := make([]string, len(batch)), make([]string, len(batch))
	edges, shared := make([]*edge, len(batch)), make(map[relation]*edge, len(batch))
	var gets []hbase.Get
	var sought []*edge
	for i, it := range batch {
		r := it.value
		as[i], bs[i] = r.a, r.b
		pair := relation{a: r.a, b: r.b}
		if shared[pair] == nil {
			shared[pair] = new(edge)
			if !k.fresh.first(r.key()) {
				gets, sought = append(gets, k.edge.Get(r.a, r.b)), append(sought, shared[pair])
			}
		}
		edges[i] = shared[pair]
	}
	if err := k.touch(ctx, as, bs); err != nil {
		return nil, err
	}
	cells, err := settle.Read(ctx, store, gets)
	if err != nil {
		return nil, err
	}
	for i, e := range sought {
		related, at, err := k.edge.Decode(cells[i])
		if err != nil {
			return nil, err
		}
		*e = edge{related, at, settle.Youngest(cells[i])}
	}
	return edges, nil
}
