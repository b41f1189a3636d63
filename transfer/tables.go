package transfer

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// making is for how long tables may be made: a busy cluster opens hundreds of regions for that, and has more to do
// than to answer one call.
const making = 3 * time.Minute

// EnsureTables creates those of twibase's tables that the store lacks, each pre-split into so many regions, at least
// 1. It returns their names. Several may call it at the same time.
func EnsureTables(ctx context.Context, store hbase.Store, regions int) (created []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, making)
	defer cancel()
	names, err := store.Tables(ctx)
	if err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(tables.Definitions(regions), func(t hbase.Table) bool { return slices.Contains(names, t.Name) })
	created = make([]string, len(missing))
	var group errgroup.Group // a table takes a cluster a second, and several at a time hardly longer
	for i, table := range missing {
		group.Go(func() error {
			err := store.CreateTable(ctx, table)
			if errors.Is(err, hbase.ErrTableExists) {
				return nil
			}
			if err == nil {
				created[i] = table.Name
			}
			return err
		})
	}
	err = group.Wait()
	return slices.DeleteFunc(created, func(name string) bool { return name == "" }), err
}
