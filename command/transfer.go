package command

import (
	"context"
	"errors"
	"fmt"

	"twibase/hbase"
	"twibase/transfer"
)

type importCommand struct {
	storeFlag
	Paths   []string `arg:"" name:"path" help:"Files, such as users.csv or users.csv.gz, or folders of them."`
	SkipBad bool     `help:"Skip and count invalid rows instead of stopping at the first."`
}

// Run creates missing tables and imports the files.
func (c *importCommand) Run(ctx context.Context, p process) error {
	return c.with(ctx, p, func(store hbase.Store) error {
		if _, err := transfer.EnsureTables(ctx, store, c.regions()); err != nil {
			return fmt.Errorf("creating tables: %w", err)
		}
		progress := newProgress(p.stderr)
		summary, err := transfer.Import(ctx, store, c.Paths, transfer.Options{
			SkipBad: c.SkipBad,
			Read:    progress.read,
			Skipped: func(e *transfer.RowError) { fmt.Fprintf(p.stderr, "skipped: %v\n", e) },
		})
		if errors.Is(err, context.Canceled) {
			return errors.New("stopped; run the same import again to complete it")
		}
		if err != nil {
			return err
		}
		progress.end()
		if c.Store == "embedded:" {
			fmt.Fprintln(p.stderr, "twibase: --store embedded: is in memory, so this was a dry run: nothing is stored")
		}
		fmt.Fprintf(p.stdout, "%d rows imported, %d invalid and %d dangling rows skipped\n",
			summary.Rows-summary.Bad-summary.Dangling, summary.Bad, summary.Dangling)
		return nil
	})
}

type exportCommand struct {
	storeFlag
	Dir string `arg:"" name:"dir" help:"Folder to write to. It is created if needed; existing files are replaced."`
}

// Run exports the store.
func (c *exportCommand) Run(ctx context.Context, p process) error {
	return c.withTables(ctx, p, func(store hbase.Store) error {
		rows, err := transfer.Export(ctx, store, c.Dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%d rows exported\n", rows)
		return nil
	})
}
