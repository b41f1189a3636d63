package resolvers

import (
	"context"
	"slices"

	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// payloadEdge is a field of a payload P: the edge of a member of a list. It is null if the list
// does not have the member, or the payload has user errors.
type payloadEdge[P, E, T, G any] struct {
	cursors relay.Cursors
	entry   payloadEntry[P, E]
	node    payloadNode[P, T]
	edges   func(*page[E, T]) []*G
}

type payloadEntry[P, E any] interface {
	// find returns nil if the list does not have the object.
	find(ctx context.Context, payload *P) (*listEntry[E], error)
	// shapes are those of find's reads.
	shapes() []loaders.ReadShape
}

type listEntry[E any] struct {
	member   E
	position string
}

type payloadNode[P, T any] interface {
	// read may return a lazy object.
	read(ctx context.Context, payload *P) *T
	readCost(call *costCall, at explain.Stage)
}

func (e payloadEdge[P, E, T, G]) resolve(ctx context.Context, payloads []*P) ([]*G, error) {
	edges, errs := make([]*G, len(payloads)), make(loaders.Errors, len(payloads))
	for i, payload := range payloads { // only one payload, because no field returns a list of them
		var found *listEntry[E]
		if found, errs[i] = e.entry.find(ctx, payload); found == nil {
			continue
		}
		node := e.node.read(ctx, payload)
		edges[i] = e.edges(&page[E, T]{
			request: &request{cursors: e.cursors, connectionSelection: connectionSelection{edges: true}},
			members: []E{found.member}, positions: []string{found.position}, nodes: []*T{node},
		})[0]
	}
	return edges, loaders.Join(len(payloads), errs)
}

func (e payloadEdge[P, E, T, G]) cost(call *costCall) error {
	e.node.readCost(call, call.reads(call.Begin(), call.Parents, elsewhere(e.entry.shapes()), 1, ""))
	return nil
}

// keyOf returns the key of the viewer or of an object in the payload, "" if the object is missing.
type keyOf[P any] func(ctx context.Context, payload *P) string

func viewerKey[P any](ctx context.Context, _ *P) string {
	viewer, _ := auth.ViewerOf(ctx)
	return viewer.Username
}

func keyIn[P, T any](keys func([]*T) []string, field func(*P) *T) keyOf[P] {
	return func(_ context.Context, payload *P) string { return keys([]*T{field(payload)})[0] }
}

type namedNode[P, T any] struct {
	objects loaders.Object[T]
	key     keyOf[P]
}

func (n namedNode[P, T]) read(ctx context.Context, payload *P) *T {
	return n.objects.Named(ctx, []string{n.key(ctx, payload)}, nodeFields(ctx))[0]
}

func (n namedNode[P, T]) readCost(call *costCall, at explain.Stage) {
	returnNamed(call, at, n.objects, nodeFields(call.Ctx), 1)
}

func nodeFields(ctx context.Context) []string { return selected(ctx).below(ctx, "node").names() }

type ownNode[P, T any] func(*P) *T

func (n ownNode[P, T]) read(_ context.Context, payload *P) *T { return n(payload) }

func (n ownNode[P, T]) readCost(call *costCall, at explain.Stage) {
	call.Returns("", call.Set(call.Parents, 1, at))
}

type relatedEntry[P, E any] struct {
	list     loaders.List[E]
	relation *tables.Relation
	from, to keyOf[P]
}

func (e relatedEntry[P, E]) find(ctx context.Context, payload *P) (*listEntry[E], error) {
	key := loaders.EdgeKey{Relation: e.relation, From: e.from(ctx, payload), To: e.to(ctx, payload)}
	if key.From == "" || key.To == "" {
		return nil, nil
	}
	member, position, err := e.list.Related(ctx, key)
	return entryAt(member, position), err
}

func (e relatedEntry[P, E]) shapes() []loaders.ReadShape {
	return []loaders.ReadShape{loaders.RelatedAt.Shape(loaders.EdgeKey{Relation: e.relation})}
}

func entryAt[E any](member loaders.Member[E], position string) *listEntry[E] {
	if !member.Found {
		return nil
	}
	return &listEntry[E]{member.Value, position}
}

func edgeOfRelation[P, O, E, T, C, G any](
	in connection[O, E, T, C], edges func(C) []*G, relation *tables.Relation, from, to keyOf[P],
) payloadEdge[P, E, T, G] {
	node := namedNode[P, T]{in.objects, from}
	if relation.From.List == in.list.Kind() {
		node.key = to
	}
	return payloadEdge[P, E, T, G]{
		relay.CursorsOf(in.list.Kind()), relatedEntry[P, E]{in.list, relation, from, to}, node,
		func(p *page[E, T]) []*G { return edges(in.as(p)) },
	}
}

// memberEntry is for lists whose positions are keys of objects.
type memberEntry[P, E any] struct {
	list       loaders.List[E]
	owner, key keyOf[P]
}

func (e memberEntry[P, E]) find(ctx context.Context, payload *P) (*listEntry[E], error) {
	key := loaders.MemberKey{Owner: e.owner(ctx, payload), Position: e.key(ctx, payload)}
	if key.Owner == "" || key.Position == "" {
		return nil, nil
	}
	members, err := e.list.Members(ctx, []loaders.MemberKey{key})
	return entryAt(members[0], key.Position), loaders.At(err, 0)
}

func (e memberEntry[P, E]) shapes() []loaders.ReadShape { return e.list.MemberShapes() }

func edgeOfMember[P, O, E, T, C, G any](
	in connection[O, E, T, C], edges func(C) []*G, owner, key keyOf[P],
) payloadEdge[P, E, T, G] {
	return payloadEdge[P, E, T, G]{
		relay.CursorsOf(in.list.Kind()), memberEntry[P, E]{in.list, owner, key}, namedNode[P, T]{in.objects, key},
		func(p *page[E, T]) []*G { return edges(in.as(p)) },
	}
}

type rowEntry[P any] struct{ key keyOf[P] }

func (e rowEntry[P]) find(ctx context.Context, payload *P) (*listEntry[struct{}], error) {
	if key := e.key(ctx, payload); key != "" {
		return &listEntry[struct{}]{position: tables.RowKey(key)}, nil
	}
	return nil, nil
}

func (rowEntry[P]) shapes() []loaders.ReadShape { return nil }

func edgeOfScan[P, T, C, G any](in scan[T, C], edges func(C) []*G, key keyOf[P]) payloadEdge[P, struct{}, T, G] {
	return payloadEdge[P, struct{}, T, G]{
		in.cursors(), rowEntry[P]{key}, namedNode[P, T]{in.objects, key},
		func(p *page[struct{}, T]) []*G { return edges(in.as(p)) },
	}
}

type storedEntry[P, T any] struct {
	list loaders.List[*T]
	node func(*P) *T
}

func (e storedEntry[P, T]) find(_ context.Context, payload *P) (*listEntry[*T], error) {
	if object := e.node(payload); object != nil {
		return &listEntry[*T]{object, e.list.Position(object)}, nil
	}
	return nil, nil
}

func (storedEntry[P, T]) shapes() []loaders.ReadShape { return nil }

func edgeOfEntry[P, T, C, G any](
	list loaders.List[*T], as func(*page[*T, T]) C, edges func(C) []*G, node func(*P) *T,
) payloadEdge[P, *T, T, G] {
	return payloadEdge[P, *T, T, G]{
		relay.CursorsOf(list.Kind()), storedEntry[P, T]{list, node}, ownNode[P, T](node),
		func(p *page[*T, T]) []*G { return edges(as(p)) },
	}
}

type payloadViewer[P any] struct{ viewer }

func (v payloadViewer[P]) resolve(ctx context.Context, payloads []*P) ([]*tables.User, error) {
	user, err := v.viewer.resolve(ctx)
	return slices.Repeat([]*tables.User{user}, len(payloads)), err
}
