package resolvers

import (
	"cmp"
	"context"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/loaders"
)

type pageArgs struct {
	first  *int
	after  *string
	last   *int
	before *string
}

type request struct {
	cursors relay.Cursors
	relay.Page
	connectionSelection
	within bounds
	// reversed is true if the client sees the list in reverse. Backward, After and Before refer to
	// the stored order.
	reversed bool
}

func (r *request) reverse() {
	r.reversed, r.Backward, r.After, r.Before = true, !r.Backward, r.Before, r.After
}

// bounds limits a connection to the members between two positions, both exclusive. An empty
// position is no limit. hasPreviousPage and hasNextPage ignore members outside the bounds, but
// always count the member at the cursor, without a read: hasPreviousPage of a forward page with an
// after is true without a read, as is hasNextPage of a backward page with a before.
type bounds struct{ after, before string }

func (a pageArgs) request(ctx context.Context, cursors relay.Cursors) (request, error) {
	p, err := cursors.Page(a.first, a.after, a.last, a.before)
	if err != nil {
		return request{}, err
	}
	return request{cursors: cursors, Page: p, connectionSelection: selectedConnection(ctx)}, nil
}

func (r request) pageRange() loaders.Range {
	after, before := max(r.After, r.within.after), cmp.Or(r.Before, r.within.before)
	if r.within.before != "" {
		before = min(before, r.within.before)
	}
	return loaders.Range{After: after, Before: before, Limit: r.Size, Backward: r.Backward, Far: after != ""}
}

type page[E, T any] struct {
	request   *request
	members   []E // unused if E is struct{}
	positions []string
	nodes     []*T
	info      *model.PageInfo
	total     *int
}

func newPages[E, T any](n int, r *request) []*page[E, T] {
	pages, all := make([]*page[E, T], n), make([]page[E, T], n)
	for i := range pages {
		all[i].request = r
		pages[i] = &all[i]
	}
	return pages
}

// all never returns nil, which would mean that the page could not be read.
func (p *page[E, T]) all() []*T {
	if p.nodes == nil {
		return []*T{}
	}
	return p.nodes
}

func (p *page[E, T]) cursor(i int) string { return p.request.cursors.Encode(p.positions[i]) }

func (p *page[E, T]) locate(hasPrevious, hasNext bool, positions ...string) {
	if !p.request.info {
		return
	}
	p.info = &model.PageInfo{HasPreviousPage: hasPrevious, HasNextPage: hasNext}
	if n := len(positions); n > 0 {
		p.info.StartCursor = new(p.request.cursors.Encode(positions[0]))
		p.info.EndCursor = new(p.request.cursors.Encode(positions[n-1]))
	}
}

func edges[G, E, T any](p *page[E, T], fill func(edge *G, i int)) []*G {
	if !p.request.edges {
		return nil
	}
	list := pointers(make([]G, len(p.nodes)))
	for i := range list {
		fill(list[i], i)
	}
	return list
}

func convert[P, C any](pages []*P, err error, as func(*P) C) ([]*C, error) {
	connections, all := make([]*C, len(pages)), make([]C, len(pages))
	for i, p := range pages {
		if p != nil && loaders.At(err, i) == nil {
			all[i] = as(p)
			connections[i] = &all[i]
		}
	}
	return connections, err
}

type total interface {
	read(ctx context.Context, owners []string) ([]*int, error)
	cost(call *costCall, at explain.Stage) explain.Stage
}

func totalCost(call *costCall, r *request, t total, at explain.Stage) explain.Stage {
	if !r.total || t == nil {
		return at
	}
	return t.cost(call, at)
}

type length struct{ loaders.Loader[string, int] }

func (l length) read(ctx context.Context, owners []string) ([]*int, error) {
	lengths, err := l.Load(ctx, owners)
	return pointers(lengths), err
}

func (l length) cost(call *costCall, at explain.Stage) explain.Stage {
	return call.read(at, call.Parents, l.Shape(""))
}
