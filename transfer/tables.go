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

// createTimeout bounds the creation of all tables. A busy cluster opens hundreds of regions.
const createTimeout = 3 * time.Minute

// EnsureTables creates the missing tables, each pre-split into a number of regions, at least 1, and
// returns their names. It completes the tables in which objects are found, for objects that an
// earlier version stored. It is safe to call concurrently, also by several processes.
func EnsureTables(ctx context.Context, store hbase.Store, regions int) (created []string, err error) {
	if created, err = createTables(ctx, store, regions); err != nil {
		return created, err
	}
	for _, o := range searchable() {
		complete, err := isComplete(ctx, store, o)
		if err == nil && !complete {
			err = completeSearch(ctx, store, o)
		}
		if err != nil {
			return created, err
		}
	}
	return created, nil
}

func createTables(ctx context.Context, store hbase.Store, regions int) (created []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	names, err := store.Tables(ctx)
	if err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(tables.Definitions(regions), func(t hbase.Table) bool {
		return slices.Contains(names, t.Name)
	})
	created = make([]string, len(missing))
	var group errgroup.Group // concurrently: a cluster takes a second per table
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
