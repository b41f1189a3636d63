package main

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
)

// get reads rows at once.
func get(ctx context.Context, store hbase.Store, gets ...hbase.Get) ([]hbase.Result, error) {
	results, err := store.Get(ctx, gets)
	for _, r := range results {
		err = errors.Join(err, r.Err)
	}
	return results, err
}

// scan reads a range.
func scan(ctx context.Context, store hbase.Store, scan hbase.Scan) (rows []hbase.Row, err error) {
	for row, err := range store.Scan(ctx, scan) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// scanEach reads ranges, no more than so many side by side.
func scanEach(ctx context.Context, store hbase.Store, scans []hbase.Scan, together int) ([][]hbase.Row, error) {
	ranges := make([][]hbase.Row, len(scans))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(together)
	for i := range scans {
		group.Go(func() (err error) {
			ranges[i], err = scan(ctx, store, scans[i])
			return err
		})
	}
	return ranges, group.Wait()
}

// mutate writes rows at once.
func mutate(ctx context.Context, store hbase.Store, mutations []hbase.Mutation) error {
	errs, err := store.Mutate(ctx, mutations)
	return errors.Join(append(errs, err)...)
}

// under is the range of all rows that start with prefix.
func under(table, prefix string) hbase.Scan {
	return hbase.Scan{Table: table, Start: prefix, Stop: hbase.PrefixEnd(prefix)}
}

// firstOf is the page's length at most of rows: a scan that is limited reads as many in one RPC.
func firstOf(scan hbase.Scan, rows int) hbase.Scan {
	scan.Limit, scan.PageSize = rows, rows
	return scan
}

// qualifiers are those of cells.
func qualifiers(cells []hbase.Cell) (names []string) {
	for _, c := range cells {
		names = append(names, c.Qualifier)
	}
	return names
}

// answered is whether there is anything, as an answer.
func answered(yes bool) []string {
	if yes {
		return []string{"yes"}
	}
	return nil
}
