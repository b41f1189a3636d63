package writers

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// page is how many items of an each are read at a time.
const page = 128

// eachMember does a step for each member of an owner's list. Who adds a member meanwhile looks afterwards whether the owner is still
// there, so none is left out for good.
func eachMember[E any](l *tables.List[E], owner string, item func(E) step) step {
	return each{l.Table + ":" + l.Family, func(ctx context.Context, p port, after string) ([]step, string, error) {
		position := ""
		if after != "" {
			position = hbase.Next(after)
		}
		for {
			directory, err := p.one(ctx, "each", l.Directory(owner, hbase.Next(position), 1))
			if err != nil {
				return nil, "", err
			}
			_, _, next, err := l.Decode(owner, directory)
			if err != nil {
				return nil, "", err
			}
			bucket, stop := uint32(0), ""
			switch {
			case len(next) > 0 && next[0].Start <= position:
				bucket, stop = next[0].Number, next[0].Stop
			case len(next) > 0:
				stop = next[0].Start
			}
			end := stop
			if end == "" {
				end = tables.MembersEnd
			}
			cells, err := p.one(ctx, "each", l.Get(owner, bucket, hbase.Page{Start: position, Stop: end, Limit: page}))
			if err != nil {
				return nil, "", err
			}
			// If the bucket was cut meanwhile, its end may have gone elsewhere before it was read.
			again, err := p.one(ctx, "each", l.Directory(owner, hbase.Next(position), 1))
			if err != nil {
				return nil, "", err
			}
			if !slices.EqualFunc(directory, again, sameCell) {
				continue
			}
			members, positions, _, err := l.Decode(owner, cells)
			if err != nil {
				return nil, "", err
			}
			var items []step
			for _, m := range members {
				items = append(items, item(m))
			}
			switch {
			case len(members) == page:
				return items, positions[page-1], nil
			case stop == "":
				return items, "", nil
			case len(items) > 0:
				return items, positions[len(positions)-1], nil
			}
			position = stop
		}
	}}
}

func sameCell(a, b hbase.Cell) bool {
	return a.Qualifier == b.Qualifier && a.Timestamp == b.Timestamp && string(a.Value) == string(b.Value)
}

// eachRow does a step for each row of a range that item finds to need one.
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
