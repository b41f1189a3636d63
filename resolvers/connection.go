package resolvers

import (
	"context"

	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/loaders"
)

// connection is a field with pages of a list: parents P, members E, objects T, connections C.
type connection[P, E, T, C any] struct {
	owners  func(parents []*P) []string
	list    loaders.List[E]
	objects loaders.Object[T]
	key     func(member E) string // of the object that a member refers to
	as      func(*page[E, T]) C
}

func connectionOf[P, E, T, C any](
	owners func(parents []*P) []string, list loaders.List[E], objects loaders.Object[T],
	key func(member E) string, as func(*page[E, T]) C,
) connection[P, E, T, C] {
	return connection[P, E, T, C]{owners, list, objects, key, as}
}

func (c connection[P, E, T, C]) resolve(ctx context.Context, parents []*P, args pageArgs) ([]*C, error) {
	r, err := args.request(ctx, relay.CursorsOf(c.list.Kind()))
	if err != nil {
		return nil, err
	}
	owners := c.owners(parents)
	pages := newPages[E, T](len(owners), &r)
	awaitTotals := func() error { return nil }
	if r.total {
		awaitTotals = c.enqueueTotals(ctx, owners, pages)
	}
	var keys []string
	if r.entries {
		keys, err = c.read(ctx, owners, r.pageRange(), pages)
	}
	err = loaders.Join(len(owners), err, awaitTotals())
	// Named comes after the totals, so that the nodes are read in one round with the lists of the
	// next level.
	if r.entries {
		setNodes(pages, c.objects.Named(ctx, keys, r.node))
	}
	return convert(pages, err, c.as)
}

func (c connection[P, E, T, C]) enqueueTotals(
	ctx context.Context, owners []string, pages []*page[E, T],
) func() error {
	await := c.list.Length.Enqueue(ctx, owners)
	return func() error {
		totals, err := await()
		for i, p := range pages {
			p.total = &totals[i]
		}
		return err
	}
}

func (c connection[P, E, T, C]) read(
	ctx context.Context, owners []string, w loaders.Range, pages []*page[E, T],
) (keys []string, err error) {
	pageKeys := make([]loaders.PageKey, len(owners))
	for i, owner := range owners {
		pageKeys[i] = loaders.PageKey{Owner: owner, Range: &w}
	}
	lists, err := c.list.Page(ctx, pageKeys)
	keys = make([]string, 0, membersOf(lists))
	for i, list := range lists {
		if loaders.At(err, i) != nil {
			continue
		}
		pages[i].members, pages[i].positions = list.Members, list.Positions
		pages[i].locate(list.HasPrevious, list.HasNext, list.Positions...)
		for _, member := range list.Members {
			keys = append(keys, c.key(member))
		}
	}
	return keys, err
}

func (c connection[P, E, T, C]) cost(call *costCall) error {
	requests, err := call.requests(relay.CursorsOf(c.list.Kind()))
	if err != nil {
		return err
	}
	at := totalCost(call, &requests[0], length{c.list.Length}, call.Begin())
	if !requests[0].entries {
		return nil
	}
	for _, r := range requests {
		page := c.list.PageShapes(r.pageRange(), r.After == "", call.minMembers)
		at = explain.Latest(at, call.reads(call.Begin(), call.Parents, page, 1, ""))
	}
	returnNamed(call, at, c.objects, requests[0].node, requests[0].Size)
	return nil
}

func membersOf[E any](lists []loaders.Page[E]) (n int) {
	for i := range lists {
		n += len(lists[i].Members)
	}
	return n
}

func setNodes[E, T any](pages []*page[E, T], nodes []*T) {
	for _, p := range pages {
		n := len(p.members)
		p.nodes, nodes = nodes[:n:n], nodes[n:]
	}
}
