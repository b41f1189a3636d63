package writers

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// page is the number of items of an each that are read at a time.
const page = 128

// eachMember applies a step to each member of an owner's list. A write that adds a member at the
// same time checks afterwards whether the owner still exists, so no member is left out for good.
func eachMember[E any](l *tables.List[E], owner string, item func(E) step) step {
	return eachPage(&l.AnyList, owner, func(cells []hbase.Cell) (items []step, err error) {
		members, _, _, err := l.Decode(owner, cells)
		for _, m := range members {
			items = append(items, item(m))
		}
		return items, err
	})
}

// eachCounterpart is eachMember for a list of an end of a relation.
func eachCounterpart(e *tables.End, owner string, item func(counterpart string) step) step {
	return eachPage(e.List, owner, func(cells []hbase.Cell) (items []step, err error) {
		for _, c := range cells {
			counterpart, _, err := e.Counterpart(owner, c)
			if err != nil {
				return nil, err
			}
			items = append(items, item(counterpart))
		}
		return items, nil
	})
}

// eachPage applies the steps that a page of members needs, page by page.
func eachPage(l *tables.AnyList, owner string, steps func(members []hbase.Cell) ([]step, error)) step {
	return each{l.String(), func(ctx context.Context, p port, after string) ([]step, string, error) {
		r := listscan.Range{After: after, Limit: page, Far: after != ""}
		scan, err := p.scan(ctx, "each", l, owner, &r)
		if err != nil {
			return nil, "", err
		}
		members := scan.Cells()
		items, err := steps(members)
		if err != nil || !scan.HasNext() {
			return items, "", err
		}
		return items, members[len(members)-1].Qualifier, nil
	}}
}

// scan reads a page of a list. A split deletes old copies when grace is over, so a scan that took
// long may have missed members: it is repeated.
func (p port) scan(ctx context.Context, what string, l *tables.AnyList, owner string, r *listscan.Range) (listscan.Scan, error) {
	for {
		began, scan := time.Now(), listscan.New(l, owner, r)
		err := scan.Run(func(gets []hbase.Get) ([][]hbase.Cell, error) { return p.get(ctx, what, gets) })
		if err != nil || time.Since(began) < grace/2 {
			return scan, err
		}
	}
}

// eachRow applies a step to each row of a range for which item returns one.
func eachRow(rows hbase.Scan, item func(hbase.Row) (st step, needed bool, err error)) step {
	return each{rows.Table, func(ctx context.Context, p port, after string) (items []step, cursor string, err error) {
		scan := rows
		scan.Limit, scan.PageSize = page, page
		if after != "" {
			scan.Start = hbase.Next(after)
		}
		n := 0
		ctx, over := p.call(ctx, "each")
		defer over()
		for row, err := range p.w.store.Scan(ctx, scan) {
			if err != nil {
				return nil, "", err
			}
			st, needed, err := item(row)
			if err != nil {
				return nil, "", err
			}
			if needed {
				items = append(items, st)
			}
			n, cursor = n+1, row.Key
		}
		if n < page {
			cursor = ""
		}
		return items, cursor, nil
	}}
}
