package resolvers

import (
	"context"

	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/loaders"
)

// pageArgs are the arguments of every connection.
type pageArgs struct {
	first  *int
	after  *string
	last   *int
	before *string
}

// read checks the arguments.
func (a pageArgs) read(kind relay.List, check func(string) error) (relay.Page, error) {
	return kind.Page(a.first, a.after, a.last, a.before, check)
}

func window(p relay.Page) loaders.Window {
	return loaders.Window{After: p.After, Before: p.Before, Limit: p.Size, Backward: p.Backward, Far: p.After != ""}
}

// entries is a page of a connection: what the list says of each entry, and the object that it names.
type entries[E, T any] struct {
	parts
	kind      relay.List
	members   []E
	positions []string
	nodes     []*T
	info      *model.PageInfo
	total     *int
}

// all returns the nodes: none are an empty list, for null would mean that they could not be read.
func (e *entries[E, T]) all() []*T {
	if e.nodes == nil {
		return []*T{}
	}
	return e.nodes
}

// edges makes the edges of a page, which fill completes: none if nobody selects them.
func edges[G, E, T any](e *entries[E, T], fill func(edge *G, i int)) []*G {
	if !e.parts.edges {
		return nil
	}
	all, list := make([]G, len(e.nodes)), make([]*G, len(e.nodes))
	for i := range list {
		list[i] = &all[i]
		fill(list[i], i)
	}
	return list
}

// cursor returns the cursor of entry i.
func (e *entries[E, T]) cursor(i int) string { return e.kind.EncodeCursor(e.positions[i]) }

// locate says where a page lies whose ends are at these positions, if anybody wants to know.
func (e *entries[E, T]) locate(previous, next bool, positions ...string) {
	if !e.parts.info {
		return
	}
	e.info = &model.PageInfo{HasPreviousPage: previous, HasNextPage: next}
	if n := len(positions); n > 0 {
		e.info.StartCursor, e.info.EndCursor = new(e.kind.EncodeCursor(positions[0])), new(e.kind.EncodeCursor(positions[n-1]))
	}
}

// edge is a kind of connection: a list, and the objects that its members name.
type edge[E, T any] struct {
	kind    relay.List
	noun    string
	list    loaders.List[E]
	objects loaders.Object[T]
	key     func(E) string
}

// pages answers the connection of each owner. The error is nil or index-aligned; where it is set there is no page.
func (e edge[E, T]) pages(ctx context.Context, owners []string, args pageArgs) ([]*entries[E, T], error) {
	p, err := args.read(e.kind, e.list.Check)
	if err != nil {
		return nil, err
	}
	want := wanted(ctx, e.noun)
	pages, all := make([]*entries[E, T], len(owners)), make([]entries[E, T], len(owners))
	for i := range pages {
		pages[i] = &all[i]
		pages[i].kind, pages[i].parts = e.kind, want.parts
	}
	errs := make(loaders.Errors, len(owners))
	lengths := func() ([]int, error) { return nil, nil }
	if want.total {
		lengths = e.list.Length.Ask(ctx, owners)
	}
	var keys []string
	if want.entries {
		keys = e.read(ctx, owners, window(p), pages, errs)
	}
	// Nothing is waited for once the objects are promised: their lists would miss the round of their rows.
	totals, err := lengths()
	if want.entries {
		name(ctx, e.objects, keys, want, pages)
	}
	return totalled(pages, pointers(totals), loaders.Join(len(owners), errs, err))
}

// totalled gives the pages their totals, if any were counted.
func totalled[E, T any](pages []*entries[E, T], totals []*int, err error) ([]*entries[E, T], error) {
	for i, total := range totals {
		if pages[i] != nil {
			pages[i].total = total
		}
	}
	return settle(pages, err)
}

// read fills the pages with the members of the lists, and returns the keys of the objects that these name.
func (e edge[E, T]) read(ctx context.Context, owners []string, w loaders.Window, pages []*entries[E, T], errs loaders.Errors) (keys []string) {
	spans := make([]loaders.Span, len(owners))
	for i, owner := range owners {
		spans[i] = loaders.Span{Owner: owner, Window: w}
	}
	lists, err := e.list.Page(ctx, spans)
	keys = make([]string, 0, membersOf(lists))
	for i, list := range lists {
		if errs[i] = loaders.At(err, i); errs[i] != nil {
			continue
		}
		pages[i].members, pages[i].positions = list.Members, list.Positions
		pages[i].locate(list.HasPrevious, list.HasNext, list.Positions...)
		for _, member := range list.Members {
			keys = append(keys, e.key(member))
		}
	}
	return keys
}

// membersOf counts the members of all lists.
func membersOf[E any](lists []loaders.Page[E]) (n int) {
	for i := range lists {
		n += len(lists[i].Members)
	}
	return n
}

// name gives the pages the objects of their members' keys, which come one page after the other. An object that does not exist, as
// one that is about to be removed from the list, is nil, and so is one that can't be read: that is an error of its own.
func name[E, T any](ctx context.Context, objects loaders.Object[T], keys []string, want wants, pages []*entries[E, T]) {
	nodes, err := objects.Named(ctx, keys, want.fields)
	n := 0
	for i, page := range pages {
		page.nodes = nodes[n : n+len(page.members) : n+len(page.members)]
		for j := range page.members {
			if failed := loaders.At(err, n); failed != nil {
				want.fail(ctx, i, j, failed)
			}
			n++
		}
	}
}

// keysOf returns the key of each parent. gqlgen's executor passes the holes of a list as nil; what is answered for them is not looked at.
func keysOf[T any](parents []*T, key func(*T) string) []string {
	keys := make([]string, len(parents))
	for i, parent := range parents {
		if parent != nil {
			keys[i] = key(parent)
		}
	}
	return keys
}

// settle takes away the pages of which there is an error.
func settle[P any](pages []*P, err error) ([]*P, error) {
	for i := range pages {
		if loaders.At(err, i) != nil {
			pages[i] = nil
		}
	}
	return pages, err
}

// convert makes the connections of a model from pages; where there is no page there is no connection.
func convert[P, C any](pages []*P, err error, of func(*P) C) ([]*C, error) {
	if pages == nil {
		return nil, err
	}
	connections, all := make([]*C, len(pages)), make([]C, len(pages))
	for i, page := range pages {
		if page != nil {
			all[i] = of(page)
			connections[i] = &all[i]
		}
	}
	return connections, err
}

// scanned answers a connection of all objects of a noun. Those that were deleted leave a page short: it begins and ends with what was looked at.
func scanned[T any](ctx context.Context, kind relay.List, noun string, objects loaders.Object[T], args pageArgs) (*entries[struct{}, T], error) {
	p, err := args.read(kind, loaders.CheckRow)
	if err != nil {
		return nil, err
	}
	want := wanted(ctx, noun)
	e := &entries[struct{}, T]{kind: kind, parts: want.parts}
	if !want.entries {
		return e, nil
	}
	page, err := objects.Scan(ctx, window(p), want.fields)
	if err != nil {
		return nil, err
	}
	e.locate(page.HasPrevious, page.HasNext, page.Positions...)
	for i, object := range page.Members {
		if object != nil {
			e.nodes, e.positions = append(e.nodes, object), append(e.positions, page.Positions[i])
		}
	}
	e.members = make([]struct{}, len(e.nodes))
	return e, nil
}
