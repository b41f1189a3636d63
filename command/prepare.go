package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/tables"
	"twibase/sample"
	"twibase/transfer"
)

const warmTimeout = 5 * time.Second

// prepare needs an HBase master only to create tables.
func (s *serveCommand) prepare(ctx context.Context, store hbase.Store, log zerolog.Logger) error {
	if s.embedded() || s.CreateTables {
		created, err := transfer.EnsureTables(ctx, store, s.regions())
		if err != nil {
			return fmt.Errorf("creating tables: %w", err)
		}
		if len(created) > 0 {
			log.Info().Strs("tables", created).Int("regions", s.regions()).Msg("created missing tables")
		}
	} else if err := s.requireTables(ctx, store, log); err != nil {
		return err
	}
	if c, ok := store.(*cluster.Store); ok {
		if err := checkRights(ctx, c); err != nil {
			return err
		}
		locateRegions(ctx, c, log)
	}
	if !s.embedded() {
		return nil
	}
	return loadSample(ctx, store, log)
}

func (s *serveCommand) requireTables(ctx context.Context, store hbase.Store, log zerolog.Logger) error {
	found, err := transfer.FindTables(ctx, store)
	create := "twibase tables create --store " + s.Store
	if s.Namespace != cluster.DefaultNamespace {
		create += " --namespace " + s.Namespace
	}
	switch {
	case err != nil:
		return err
	case len(found.Missing) == 0:
		incomplete, err := transfer.IncompleteSearch(ctx, store)
		switch {
		case errors.Is(err, hbase.ErrUnavailable): // most requests can be served
			log.Warn().Err(err).Msg("starting without the check of the search tables, which may lack objects: a region does not answer")
			return nil
		case err == nil && len(incomplete) > 0:
			err = fmt.Errorf("--store %s: the search tables %s may lack objects that an earlier version stored: complete them with %s",
				s.Store, strings.Join(incomplete, ", "), create)
		}
		return err
	case len(found.Present) == 0:
		return fmt.Errorf("--store %s has no twibase tables: create them with %s, or start with --create-tables", s.Store, create)
	default:
		return fmt.Errorf("--store %s lacks the tables %s: restore them from a backup. Create them with %s "+
			"only if this version of twibase adds them, or if you can do without their data",
			s.Store, strings.Join(found.Missing, ", "), create)
	}
}

func loadSample(ctx context.Context, store hbase.Store, log zerolog.Logger) error {
	empty, err := sample.NeedsLoad(ctx, store)
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

// locateRegions only logs failures, because requests look regions up again.
func locateRegions(ctx context.Context, store *cluster.Store, log zerolog.Logger) {
	var names []string
	for _, table := range tables.Definitions(1) {
		names = append(names, table.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, warmTimeout)
	defer cancel()
	if err := store.Warm(ctx, names...); err != nil {
		log.Warn().Err(err).Msg("some regions do not answer yet")
	}
}
