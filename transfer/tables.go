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
	definitions := tables.Definitions(regions)
	made := make([]bool, len(definitions))
	var group errgroup.Group // a table takes a cluster a second, and several at a time hardly longer
	for i, table := range definitions {
		if slices.Contains(names, table.Name) {
			continue
		}
		group.Go(func() error {
			err := store.CreateTable(ctx, table)
			if made[i] = err == nil; errors.Is(err, hbase.ErrTableExists) {
				return nil
			}
			return err
		})
	}
	err = group.Wait()
	for i, table := range definitions {
		if made[i] {
			created = append(created, table.Name)
		}
	}
	return created, err
}
