package command

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/tables"
	"twibase/sample"
	"twibase/transfer"
)

// prepare creates missing tables, loads the sample into an empty embedded store, and locates the
// regions of a cluster.
func (s *serveCommand) prepare(ctx context.Context, store hbase.Store, log zerolog.Logger) error {
	created, err := transfer.EnsureTables(ctx, store, s.regions())
	if err != nil {
		return fmt.Errorf("creating tables: %w", err)
	}
	if len(created) > 0 {
		log.Info().Strs("tables", created).Int("regions", s.regions()).Msg("created missing tables")
	}
	if c, ok := store.(*cluster.Store); ok {
		locateRegions(ctx, c, log)
	}
	if !s.embedded() {
		return nil
	}
	return loadSample(ctx, store, log)
}

func loadSample(ctx context.Context, store hbase.Store, log zerolog.Logger) error {
	empty, err := sample.Wanted(ctx, store)
	if err == nil && empty {
		err = sample.Load(ctx, store)
	}
	if err != nil {
		return fmt.Errorf("loading the sample: %w", err)
	}
	if empty {
		log.Info().Msg("the store was empty: loaded a small sample")
	}
	return nil
}

// locateRegions looks up the regions of all tables. Failures are only logged: requests try again.
func locateRegions(ctx context.Context, store *cluster.Store, log zerolog.Logger) {
	var names []string
	for _, table := range tables.Definitions(1) {
		names = append(names, table.Name)
	}
	if err := store.Warm(ctx, names...); err != nil {
		log.Warn().Err(err).Msg("some regions do not answer yet")
	}
}
