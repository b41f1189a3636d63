package minihbase

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
)

func ready(ctx context.Context, master *process, url string, options []cluster.Option) error {
	select {
	case <-master.log.initialized:
	case <-master.done:
		return errors.New("HBase ended before it was up")
	case <-ctx.Done():
		return fmt.Errorf("HBase's master is not up: %w", ctx.Err())
	}
	store, err := cluster.Open(ctx, url, zerolog.Nop(), options...)
	if err != nil {
		return err
	}
	defer store.Close()
	return canary(ctx, store)
}

func canary(ctx context.Context, store hbase.Store) error {
	const table = "minihbase_canary"
	err := store.CreateTable(ctx, hbase.Table{Name: table, Families: []hbase.FamilySchema{{Name: "f"}}})
	if err != nil && !errors.Is(err, hbase.ErrTableExists) {
		return err
	}
	song := []byte("tweet")
	errs, err := store.Mutate(ctx, []hbase.Mutation{
		hbase.Put{Table: table, Row: "r", Cells: []hbase.Cell{{Family: "f", Qualifier: "q", Value: song}}},
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	results, err := store.Get(ctx, []hbase.Get{{Table: table, Row: "r"}})
	switch {
	case err != nil:
		return err
	case results[0].Err != nil:
		return results[0].Err
	case len(results[0].Cells) != 1 || !bytes.Equal(results[0].Cells[0].Value, song):
		return fmt.Errorf("HBase does not return the cell that was put: %v", results[0].Cells)
	}
	return store.DropTable(ctx, table)
}
