package main

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
)

type tablesCommand struct {
	Create createCommand `cmd:"" help:"Make the tables that are missing, split into regions from the start."`
	List   listCommand   `cmd:"" help:"List twibase's tables in the store."`
	Drop   dropCommand   `cmd:"" help:"Drop twibase's tables with all that they hold."`
}

type createCommand struct {
	storeFlag
	Regions int `default:"${regions}" help:"Into how many regions to split each table (default: ${default}). About three for each region server is a good start."`
}

// Validate is called by kong.
func (c *createCommand) Validate() error {
	if c.Regions < 1 || c.Regions > 1000 {
		return fmt.Errorf("--regions: write a number from 1 to 1000, not %d", c.Regions)
	}
	return nil
}

// Run makes the tables and prints the names of those it made.
func (c *createCommand) Run(ctx context.Context, p process) error {
	return c.with(ctx, p, func(store hbase.Store) error {
		created, err := transfer.EnsureTables(ctx, store, c.Regions)
		printLines(p, created)
		if err != nil {
			return fmt.Errorf("the tables can't be made: %w", err)
		}
		fmt.Fprintf(p.stderr, "%d tables made, %d were there\n", len(created), len(tables.Definitions(1))-len(created))
		return nil
	})
}

type listCommand struct{ storeFlag }

// Run prints the names of the tables that there are.
func (c *listCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		present, missing, err := present(ctx, store)
		printLines(p, present)
		if err == nil && len(missing) > 0 {
			fmt.Fprintf(p.stderr, "%d tables are missing: make them with twibase tables create\n", len(missing))
		}
		return err
	})
}

type dropCommand struct{ storeFlag }

// Run drops the tables that there are, and prints their names.
func (c *dropCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		present, _, err := present(ctx, store)
		if err != nil {
			return err
		}
		for _, name := range present {
			if err := store.DropTable(ctx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintln(p.stdout, name)
		}
		return nil
	})
}

// present tells which of twibase's tables there are, and which not.
func present(ctx context.Context, store hbase.Store) (present, missing []string, err error) {
	names, err := store.Tables(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("the tables can't be listed: %w", err)
	}
	for _, table := range tables.Definitions(1) {
		if slices.Contains(names, table.Name) {
			present = append(present, table.Name)
		} else {
			missing = append(missing, table.Name)
		}
	}
	return present, missing, nil
}

func printLines(p process, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(p.stdout, line)
	}
}
