package resolvers

import (
	"context"

	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// search is a [scan] or, with a query, a search of [tables.Search] for keys that begin with it.
type search[T, C any] struct{ scan[T, C] }

func (s search[T, C]) resolve(ctx context.Context, query *string, args pageArgs) (*C, error) {
	if query == nil || *query == "" {
		return s.scan.resolve(ctx, args)
	}
	r, err := args.request(ctx, s.searchCursors())
	if err != nil {
		return nil, err
	}
	p, keys := &page[struct{}, T]{request: &r}, loaders.Page[string]{}
	if prefix, ok := s.index().Prefix(*query); ok && r.entries {
		if keys, err = s.objects.Search(ctx, prefix, r.pageRange()); err != nil {
			return nil, err
		}
	}
	p.locate(keys.HasPrevious, keys.HasNext, keys.Positions...)
	// Objects may be deleted, so the rows are read even if the keys are enough.
	p.nodes, p.positions = s.objects.Roots(ctx, keys.Members, r.node), keys.Positions
	return new(s.as(p)), nil
}

func (s search[T, C]) index() *tables.Search { return s.objects.Kind().Search }

func (s search[T, C]) searchCursors() relay.Cursors {
	return relay.Cursors{Letter: s.index().Cursor, Check: s.objects.Kind().CheckKey}
}

// cost declares a search also if the query is open, because a scan costs no more. But then it
// declares a scan if the cursors are invalid for a search.
func (s search[T, C]) cost(call *costCall) error {
	query, open := argument[*string](call, "query"), call.Open("query")
	requests, err := call.requests(s.searchCursors())
	if !open && (query == nil || *query == "") || open && err != nil {
		return s.scan.cost(call)
	}
	r := requests[len(requests)-1] // forward costs no more than backward
	if err != nil || !r.entries {
		return err
	}
	if !open {
		if _, ok := s.index().Prefix(*query); !ok {
			return nil
		}
	}
	o, rows := s.objects.SearchShape(r.pageRange())
	nodes := call.Set(call.Parents, int64(r.Size), call.Scan(call.Begin(), readOf(o), rows))
	call.read(nodes.Ready, nodes, s.objects.RootShape(r.node))
	call.Returns("", nodes)
	return nil
}
