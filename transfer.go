package main

import (
	"context"
	"errors"
	"fmt"

	"twibase/hbase"
	"twibase/transfer"
)

type importCommand struct {
	storeFlag
	Paths   []string `arg:"" name:"path" help:"Files such as users.csv or users.csv.gz, or folders of them."`
	SkipBad bool     `help:"Leave out the rows that are wrong and count them, instead of ending at the first."`
}

// Run imports, and makes the tables first if there are none.
func (c *importCommand) Run(ctx context.Context, p process) error {
	return c.with(ctx, p, func(store hbase.Store) error {
		if _, err := transfer.EnsureTables(ctx, store, c.regions()); err != nil {
			return fmt.Errorf("the tables can't be made: %w", err)
		}
		summary, err := transfer.Import(ctx, store, c.Paths, transfer.Options{SkipBad: c.SkipBad, Output: p.stderr})
		if errors.Is(err, context.Canceled) {
			return errors.New("stopped before the end; the same import again completes it")
		}
		if err != nil {
			return err
		}
		if c.Store == "embedded:" {
			fmt.Fprintln(p.stderr, "twibase: --store embedded: is memory alone, so this was a trial: nothing of it is kept")
		}
		fmt.Fprintf(p.stdout, "%d rows imported, %d bad and %d that point nowhere left out\n",
			summary.Rows-summary.Bad-summary.Nowhere, summary.Bad, summary.Nowhere)
		return nil
	})
}

type exportCommand struct {
	storeFlag
	Dir string `arg:"" name:"dir" help:"The folder to write to. It is made if there is none, and its files of these names are replaced."`
}

// Run exports.
func (c *exportCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		rows, err := transfer.Export(ctx, store, c.Dir)
		switch {
		case errors.Is(err, hbase.ErrTableNotFound):
			return fmt.Errorf("--store %s holds nothing of twibase's: %w", c.Store, err)
		case err != nil:
			return err
		}
		fmt.Fprintf(p.stdout, "%d rows exported\n", rows)
		return nil
	})
}
