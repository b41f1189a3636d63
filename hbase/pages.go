package hbase

import (
	"cmp"
	"context"
	"iter"
)

// defaultPageSize is in rows.
const defaultPageSize = 256

// Pages implements [Store.Scan] for an engine. open begins the scan. The function that it returns
// reads the next page of at most size rows, and reports whether more may follow.
func Pages(
	ctx context.Context, scan Scan, open func() func(size int) (page []Row, more bool, err error),
) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if err := scan.Validate(); err != nil {
			yield(Row{}, err)
			return
		}
		stats := StatsOf(ctx)
		stats.Scans.Add(1)
		if scan.Empty() {
			return
		}
		next := open()
		for rows, more := 0, true; more; {
			size := cmp.Or(scan.PageSize, defaultPageSize)
			if scan.Limit > 0 {
				size = min(size, scan.Limit-rows)
			}
			var page []Row
			var err error
			page, more, err = next(size)
			for _, row := range page {
				stats.CountRow(row)
				if rows++; !yield(row, nil) || rows == scan.Limit {
					return
				}
			}
			if err != nil {
				yield(Row{}, err)
				return
			}
		}
	}
}
