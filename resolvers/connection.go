package resolvers

import (
	"context"

	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/loaders"
)

// connection is a field that pages through a list of each parent.
type connection[P, E, T, C any] struct {
	owners  func(parents []*P) []string
	list    loaders.List[E]
	objects loaders.Object[T]
	key     func(member E) string // the key of the object that a member refers to
	as      func(*page[E, T]) C
}

// connectionOf returns a connection that shows its pages as a C.
func connectionOf[P, E, T, C any](
	owners func(parents []*P) []string, list loaders.List[E], objects loaders.Object[T],
	key func(member E) string, as func(*page[E, T]) C,
) connection[P, E, T, C] {
	return connection[P, E, T, C]{owners, list, objects, key, as}
}

// resolve returns the connection of each parent. The error is nil or index-aligned.
func (c connection[P, E, T, C]) resolve(ctx context.Context, parents []*P, args pageArgs) ([]*C, error) {
	r, err := args.request(ctx, relay.CursorsOf(c.list.Kind()))
	if err != nil {
		return nil, err
	}
	owners := c.owners(parents)
	pages := newPages[E, T](len(owners), &r)
	var keys []string
	err = fill(ctx, pages, &r, length{c.list.Length}, owners, func() (err error) {
		keys, err = c.read(ctx, owners, r.window(), pages)
		return err
	})
	// The objects are asked for after the totals were read: they are lazy, and their lists would miss
	// the round of their rows.
	if r.entries {
		setNodes(pages, c.objects.Named(ctx, keys, r.node))
	}
	return convert(pages, err, c.as)
}

// read fills the pages with the members of the lists, and returns the keys of the objects that
// these refer to.
func (c connection[P, E, T, C]) read(
	ctx context.Context, owners []string, w loaders.Range, pages []*page[E, T],
) (keys []string, err error) {
	lists, err := c.list.Page(ctx, spansOf(owners, w))
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
	r, err := call.request(relay.CursorsOf(c.list.Kind()))
	if err != nil {
		return err
	}
	at := totalCost(call, &r, length{c.list.Length}, call.Begin())
	if r.entries {
		page := c.list.PageShapes(r.window(), r.After == "", call.minMembers)
		at = explain.Latest(at, call.reads(call.Begin(), call.Parents, page, 1, ""))
		returnNamed(call, at, c.objects, r.node, r.Size)
	}
	return nil
}

func spansOf(owners []string, w loaders.Range) []loaders.PageKey {
	spans := make([]loaders.PageKey, len(owners))
	for i, owner := range owners {
		spans[i] = loaders.PageKey{Owner: owner, Range: w}
	}
	return spans
}

// membersOf counts the members of all lists.
func membersOf[E any](lists []loaders.Page[E]) (n int) {
	for i := range lists {
		n += len(lists[i].Members)
	}
	return n
}

// setNodes gives the pages the objects of their members, which are those of one page after the other.
func setNodes[E, T any](pages []*page[E, T], nodes []*T) {
	for _, p := range pages {
		n := len(p.members)
		p.nodes, nodes = nodes[:n:n], nodes[n:]
	}
}
