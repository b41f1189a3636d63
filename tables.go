package main

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/tables"
	"twibase/transfer"
)

type tablesCommand struct {
	Create createCommand `cmd:"" help:"Make the tables that are missing, split into regions from the start."`
	List   listCommand   `cmd:"" help:"List twibase's tables in the store and, on a cluster, what of them is not as twibase would make it."`
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

// Run prints the names of the tables that there are and, on a cluster, what of each is not as twibase would make it.
func (c *listCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		present, missing, err := present(ctx, store)
		if err != nil {
			return err
		}
		for _, table := range tables.Definitions(1) {
			if !slices.Contains(present, table.Name) {
				continue
			}
			fmt.Fprintln(p.stdout, table.Name)
			if c, is := store.(*cluster.Store); is {
				differences, err := c.Differences(ctx, table)
				if err != nil {
					return fmt.Errorf("%s: its schema can't be read: %w", table.Name, err)
				}
				printDifferences(p, table.Name, differences)
			}
		}
		if len(missing) > 0 {
			fmt.Fprintf(p.stderr, "%d tables are missing: make them with twibase tables create\n", len(missing))
		}
		return nil
	})
}

// printDifferences prints what of a table twibase would make otherwise, and how to mend it.
func printDifferences(p process, table string, differences []cluster.Difference) {
	if len(differences) == 0 {
		return
	}
	lacks := ""
	for _, d := range differences {
		switch {
		case d.Is != "":
			fmt.Fprintf(p.stdout, "    family %s: %s is %s, and twibase would make it %s\n", d.Family, d.Attribute, d.Is, d.Would)
		case d.Family != lacks:
			lacks = d.Family
			fmt.Fprintf(p.stdout, "    family %s is missing\n", d.Family)
		}
	}
	fmt.Fprintf(p.stdout, "    in the HBase shell: %s\n", cluster.Mend(table, differences))
	fmt.Fprintf(p.stdout, "    and to change what is there already: major_compact '%s'\n", table)
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
