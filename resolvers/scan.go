package resolvers

import (
	"context"

	"twibase/graph/relay"
	"twibase/loaders"
)

// scan is a root field with all objects of a noun, in the order of their row keys.
type scan[T, C any] struct {
	objects loaders.Object[T]
	as      func(*page[struct{}, T]) C
}

// resolve may return a short page, because it omits deleted objects.
func (s scan[T, C]) resolve(ctx context.Context, args pageArgs) (*C, error) {
	r, err := args.request(ctx, s.cursors())
	if err != nil {
		return nil, err
	}
	p := &page[struct{}, T]{request: &r}
	if r.entries {
		rows, err := s.objects.Scan(ctx, r.pageRange(), r.node)
		if err != nil {
			return nil, err
		}
		p.locate(rows.HasPrevious, rows.HasNext, rows.Positions...)
		for i, object := range rows.Members {
			if object != nil {
				p.nodes, p.positions = append(p.nodes, object), append(p.positions, rows.Positions[i])
			}
		}
	}
	return new(s.as(p)), nil
}

func (s scan[T, C]) cursors() relay.Cursors {
	return relay.Cursors{Letter: byte(s.objects.Kind().Noun), Check: loaders.CheckRow}
}

func (s scan[T, C]) cost(call *costCall) error {
	requests, err := call.requests(s.cursors())
	if err != nil {
		return err
	}
	if r := requests[len(requests)-1]; r.entries { // forward costs no more than backward
		o, rows := s.objects.ScanShape(r.pageRange(), r.node)
		at := call.Scan(call.Begin(), readOf(o), rows)
		call.Returns("", call.Set(call.Parents, int64(r.Size), at))
	}
	return nil
}
