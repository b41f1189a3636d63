package main

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
)

func get(ctx context.Context, store hbase.Store, gets ...hbase.Get) ([]hbase.Result, error) {
	results, err := store.Get(ctx, gets)
	for _, r := range results {
		err = errors.Join(err, r.Err)
	}
	return results, err
}

func scan(ctx context.Context, store hbase.Store, scan hbase.Scan) (rows []hbase.Row, err error) {
	for row, err := range store.Scan(ctx, scan) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func scanEach(ctx context.Context, store hbase.Store, scans []hbase.Scan, concurrent int) ([][]hbase.Row, error) {
	ranges := make([][]hbase.Row, len(scans))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrent)
	for i := range scans {
		group.Go(func() (err error) {
			ranges[i], err = scan(ctx, store, scans[i])
			return err
		})
	}
	return ranges, group.Wait()
}

func mutate(ctx context.Context, store hbase.Store, mutations []hbase.Mutation) error {
	errs, err := store.Mutate(ctx, mutations)
	return errors.Join(append(errs, err)...)
}

func withPrefix(table, prefix string) hbase.Scan {
	return hbase.Scan{Table: table, Start: prefix, Stop: hbase.PrefixEnd(prefix)}
}

// A limited scan takes one RPC.
func limited(scan hbase.Scan, rows int) hbase.Scan {
	scan.Limit, scan.PageSize = rows, rows
	return scan
}

func qualifiers(cells []hbase.Cell) (names []string) {
	for _, c := range cells {
		names = append(names, c.Qualifier)
	}
	return names
}

func yesOrNothing(yes bool) []string {
	if yes {
		return []string{"yes"}
	}
	return nil
}
