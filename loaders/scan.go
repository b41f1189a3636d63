package loaders

import (
	"context"
	"iter"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func pageScan(r Range, scan hbase.Scan) hbase.Scan {
	scan.Limit, scan.Reversed = r.Limit+1, r.Backward
	if r.Backward {
		if scan.Start, scan.Stop = r.Before, r.After; r.Before != "" {
			scan.Limit++ // a reversed scan also returns its start
		}
	} else if scan.Stop = r.Before; r.After != "" {
		scan.Start = hbase.Next(r.After)
	}
	scan.PageSize = scan.Limit
	return scan
}

func scanned[E any](
	rows []hbase.Row, r Range, decode func(hbase.Row) (member E, position string, err error),
) (page Page[E], err error) {
	for _, row := range rows {
		member, position, err := decode(row)
		if err != nil {
			return Page[E]{}, err
		}
		if r.Backward && position == r.Before {
			continue
		}
		page.Members, page.Positions = append(page.Members, member), append(page.Positions, position)
	}
	n := min(len(page.Members), r.Limit)
	more := len(page.Members) > n
	page.Members, page.Positions = page.Members[:n], page.Positions[:n]
	page.HasNext, page.HasPrevious = more, r.After != ""
	if r.Backward {
		slices.Reverse(page.Members)
		slices.Reverse(page.Positions)
		page.HasPrevious, page.HasNext = more, r.Before != ""
	}
	return page, nil
}

func (l *Loaders) scan(ctx context.Context, loader string, scan hbase.Scan) (rows []hbase.Row, err error) {
	counted, r := l.beginRound(ctx)
	defer func() { l.endRound(ctx, r, err) }()
	if r != nil {
		r.span.SetName("scan " + loader)
		if r.reported {
			l.mu.Lock()
			l.trace.calls = append(l.trace.calls, call{field: l.trace.field(ctx), loader: loader, at: r.Begun, scan: r})
			l.mu.Unlock()
		}
	}
	hbase.StatsOf(counted).Rounds.Add(1)
	hbase.StatsOf(counted).Tables.Add(scan.Table)
	Blocking(ctx, func() { rows, err = rowsOf(l.unmasked.Scan(counted, scan)) })
	return rows, err
}

func rowsOf(scan iter.Seq2[hbase.Row, error]) (rows []hbase.Row, err error) {
	for row, err := range scan {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// CheckRow checks a position of [Object.Scan].
func CheckRow(position string) error {
	_, err := tables.OwnerOf(position)
	return err
}
