package feeds

import (
	"context"
	"iter"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

type page[E any] struct {
	members   []E
	positions []string
}

func (p page[E]) last() string { return p.positions[len(p.positions)-1] }

// pages returns pages of at most r.Limit members, fewer if they may be large. The iteration misses
// members that are added before its position.
func pages[E any](
	ctx context.Context, f *Feeds, list *tables.List[E], owner string, r listscan.Range,
) iter.Seq2[page[E], error] {
	return func(yield func(page[E], error) bool) {
		r.Limit = list.PageSize(r.Limit)
		for more := true; more; {
			var p page[E]
			scan := listscan.New(&list.AnyList, owner, &r)
			err := listscan.Run(func(gets ...hbase.Get) ([][]hbase.Cell, error) { return f.read(ctx, gets...) }, scan)
			if err == nil {
				p.members, p.positions, err = list.Decode(owner, scan.Cells())
			}
			if err == nil && len(p.members) == 0 || !yield(p, err) || err != nil {
				return
			}
			more = scan.HasNext()
			r.From, r.After, r.Far = "", p.last(), true
		}
	}
}

// members must be in the list's order, and not empty.
func missing[E, M any](
	ctx context.Context, f *Feeds, list *tables.List[E], owner string, members []M, position func(M) string,
) (missing []M, err error) {
	found := map[string]bool{}
	first, last := position(members[0]), position(members[len(members)-1])
	r := listscan.Range{From: first, Before: hbase.Next(last), Far: true, Limit: len(members)}
	for present, err := range pages(ctx, f, list, owner, r) {
		if err != nil {
			return nil, err
		}
		for _, position := range present.positions {
			found[position] = true
		}
	}
	for _, member := range members {
		if !found[position(member)] {
			missing = append(missing, member)
		}
	}
	return missing, nil
}
