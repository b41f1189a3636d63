package transfer

import (
	"context"
	"errors"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

func searchable() (all []*tables.AnyObject) {
	for _, o := range tables.Objects() {
		if o.Search != nil {
			all = append(all, o)
		}
	}
	return all
}

// IncompleteSearch returns the search tables that this version has not completed. They may lack
// objects that an earlier version stored, or have names that the earlier version folded
// differently.
func IncompleteSearch(ctx context.Context, store hbase.Store) (incomplete []string, err error) {
	for _, o := range searchable() {
		cells, err := retried(ctx, func(ctx context.Context) ([]hbase.Cell, error) {
			return hbase.GetOne(ctx, store, o.Search.Complete())
		})
		if err != nil {
			return nil, err
		}
		if !o.Search.IsComplete(cells) {
			incomplete = append(incomplete, o.Search.Table)
		}
	}
	return incomplete, nil
}

// CompleteSearch adds all objects to their search tables, and removes outdated rows. Gateways may
// run: a row has the timestamp of its object, so the deletion of the object masks it.
func CompleteSearch(ctx context.Context, store hbase.Store) error {
	for _, o := range searchable() {
		if err := addAll(ctx, store, o); err != nil {
			return fmt.Errorf("completing the table %s: %w", o.Search.Table, err)
		}
		if err := removeOutdated(ctx, store, o); err != nil {
			return fmt.Errorf("removing outdated rows of the table %s: %w", o.Search.Table, err)
		}
		if err := hbase.MutateAll(ctx, store, []hbase.Mutation{o.Search.PutComplete()}); err != nil {
			return err
		}
	}
	return nil
}

// addAll skips unreadable objects, which a repair reports.
func addAll(ctx context.Context, store hbase.Store, o *tables.AnyObject) error {
	scan := hbase.Scan{Table: o.Table, Columns: tables.Existence}
	for rows, err := range rebuild.Batches(store.Scan(ctx, scan), batchRows) {
		if err != nil {
			return err
		}
		var puts []hbase.Mutation
		for _, row := range rows {
			key, err := tables.OwnerOf(row.Key)
			exists := false
			if err == nil {
				exists, err = o.Exists(key, row.Cells)
			}
			if err != nil && !errors.Is(err, hbase.ErrCorrupt) {
				return err
			}
			if exists {
				puts = append(puts, o.Search.Put(key, hbase.LatestTimestamp(row.Cells)))
			}
		}
		if err := hbase.MutateAll(ctx, store, puts); err != nil {
			return err
		}
	}
	return nil
}

func removeOutdated(ctx context.Context, store hbase.Store, o *tables.AnyObject) error {
	for rows, err := range rebuild.Batches(store.Scan(ctx, o.Search.Scan()), batchRows) {
		if err != nil {
			return err
		}
		var deletes []hbase.Mutation
		for _, row := range rows {
			if _, err := o.Search.Decode(row.Key); err != nil {
				deletes = append(deletes, hbase.DeleteCells(o.Search.Table, row.Key, row.Cells...))
			}
		}
		if err := hbase.MutateAll(ctx, store, deletes); err != nil {
			return err
		}
	}
	return nil
}

// addToSearch omits deleted objects, which an import does not restore.
func addToSearch[T any](ctx context.Context, im *importer, w *writes, o *tables.Object[T], batch []item[*T]) error {
	if o.Search == nil {
		return nil
	}
	stored := make([][]hbase.Cell, len(batch))
	if !im.blank {
		var err error
		existence := func(it item[*T]) hbase.Get { return o.ExistenceOf(o.Key(it.value)) }
		if stored, err = hbase.GetEach(ctx, im.store, batch, existence); err != nil {
			return err
		}
	}
	for i, it := range batch {
		key := o.Key(it.value)
		exists, err := o.Exists(key, stored[i])
		if err != nil {
			return err
		}
		if exists || len(stored[i]) == 0 {
			w.put(o.Search.Put(key, timeless))
		}
	}
	return nil
}
