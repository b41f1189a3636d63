package transfer

import (
	"context"
	"errors"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// EnsureTables creates those of twibase's tables that the store lacks, each pre-split into so many regions, at least 1. It returns their names.
// Several may call it at the same time.
func EnsureTables(ctx context.Context, store hbase.Store, regions int) (created []string, err error) {
	names, err := store.Tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, table := range tables.Definitions(regions) {
		if slices.Contains(names, table.Name) {
			continue
		}
		switch err := store.CreateTable(ctx, table); {
		case err == nil:
			created = append(created, table.Name)
		case !errors.Is(err, hbase.ErrTableExists):
			return created, err
		}
	}
	return created, nil
}
