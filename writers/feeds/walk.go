package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// walk is the way along an owner's list, page by page. Who joins the list at its beginning meanwhile is not met.
type walk[E any] struct {
	f     *Feeds
	list  *tables.List[E]
	owner string
	// start is the first position of the next page.
	start string
	done  bool
}

// walkAfter begins behind a position, or at the list's beginning if it is empty.
func walkAfter[E any](f *Feeds, list *tables.List[E], owner, position string) *walk[E] {
	w := &walk[E]{f: f, list: list, owner: owner}
	if position != "" {
		w.start = hbase.Next(position)
	}
	return w
}

// gets are what next needs: the bucket that covers the start, and the page if that is bucket 0.
func (w *walk[E]) gets(limit int) []hbase.Get {
	return []hbase.Get{
		w.list.Directory(w.owner, hbase.Next(w.start), 1),
		w.list.Get(w.owner, 0, hbase.Page{Start: w.start, Stop: tables.MembersEnd, Limit: limit}),
	}
}

// next returns the next members and their positions: at most limit, and none only if there are no more.
func (w *walk[E]) next(ctx context.Context, limit int) (members []E, positions []string, err error) {
	for len(members) == 0 && !w.done {
		cells, err := w.f.read(ctx, w.gets(limit)...)
		if err != nil {
			return nil, nil, err
		}
		if members, positions, err = w.take(ctx, cells, limit); err != nil {
			return nil, nil, err
		}
	}
	return members, positions, nil
}

// take makes a page of what gets brought.
func (w *walk[E]) take(ctx context.Context, cells [][]hbase.Cell, limit int) (members []E, positions []string, err error) {
	_, _, buckets, err := w.list.Decode(w.owner, cells[0])
	if err != nil {
		return nil, nil, err
	}
	page, stop := cells[1], ""
	if len(buckets) > 0 {
		if b := buckets[0]; b.Start <= w.start {
			if stop = b.Stop; stop == "" {
				stop = tables.MembersEnd
			}
			brought, err := w.f.read(ctx, w.list.Get(w.owner, b.Number, hbase.Page{Start: w.start, Stop: stop, Limit: limit}))
			if err != nil {
				return nil, nil, err
			}
			page, stop = brought[0], b.Stop
		} else {
			stop = b.Start
		}
	}
	if members, positions, _, err = w.list.Decode(w.owner, page); err != nil {
		return nil, nil, err
	}
	full := len(members) == limit
	// Bucket 0 may still hold what a later bucket has by now.
	for n := len(positions); n > 0 && stop != "" && positions[n-1] >= stop; n-- {
		members, positions, full = members[:n-1], positions[:n-1], false
	}
	switch {
	case full:
		w.start = hbase.Next(positions[len(positions)-1])
	case stop == "":
		w.done = true
	default:
		w.start = stop
	}
	return members, positions, nil
}

// absent returns those of some members, in the order of the owner's list and with their positions, who are not in it any more.
func absent[E, M any](ctx context.Context, f *Feeds, list *tables.List[E], owner string, members []M, positions []string) (gone []M, err error) {
	i, last := 0, positions[len(positions)-1]
	for way := (&walk[E]{f: f, list: list, owner: owner, start: positions[0]}); !way.done && way.start <= last; {
		_, there, err := way.next(ctx, len(members))
		if err != nil {
			return nil, err
		}
		for _, p := range there {
			for ; i < len(members) && positions[i] < p; i++ {
				gone = append(gone, members[i])
			}
			if i < len(members) && positions[i] == p {
				i++
			}
		}
	}
	return append(gone, members[i:]...), nil
}
