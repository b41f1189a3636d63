package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/tables"
	"twibase/transfer"
)

type tablesCommand struct {
	Create createCommand `cmd:"" help:"Create missing tables, split into regions."`
	List   listCommand   `cmd:"" help:"List tables and, on a cluster, differences of their schemas."`
	Drop   dropCommand   `cmd:"" help:"Drop twibase's tables and their data. Other tables are kept."`
}

type createCommand struct {
	storeFlag
	Regions int `default:"${regions}" help:"Regions per table (default: ${default}). Three per region server is a good start."`
}

func (c *createCommand) Validate() error {
	return cmp.Or(c.storeFlag.Validate(),
		require(c.Regions >= 1 && c.Regions <= 1000, "--regions must be from 1 to 1000, not %d", c.Regions))
}

func (c *createCommand) Run(ctx context.Context, p process) error {
	return c.with(ctx, p, func(store hbase.Store) error {
		created, err := transfer.EnsureTables(ctx, store, c.Regions)
		for _, name := range created {
			fmt.Fprintln(p.stdout, name)
		}
		if err != nil {
			return fmt.Errorf("creating tables: %w", err)
		}
		// Gateways of an earlier version may have added objects after the search tables were
		// created.
		if err := transfer.CompleteSearch(ctx, store); err != nil {
			return err
		}
		existing := len(tables.Definitions(1)) - len(created)
		fmt.Fprintf(p.stderr, "%d tables created, %d existed already\n", len(created), existing)
		if !c.embedded() {
			fmt.Fprintf(p.stderr, "If HBase checks rights, the user of a gateway needs, in the HBase shell:\n%s\n", c.grants("USER"))
		}
		return nil
	})
}

type listCommand struct{ storeFlag }

func (c *listCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		found, err := transfer.FindTables(ctx, store)
		if foreign := (*transfer.ForeignError)(nil); err != nil && !errors.As(err, &foreign) {
			return err
		}
		for _, table := range found.Present {
			fmt.Fprintln(p.stdout, table.Name)
			if c, ok := store.(*cluster.Store); ok {
				differences, failed := c.Differences(ctx, table)
				if failed != nil {
					return fmt.Errorf("reading the schema of table %s: %w", table.Name, failed)
				}
				printDifferences(p, c.FullName(table.Name), differences)
			}
		}
		if len(found.Missing) > 0 {
			fmt.Fprintf(p.stderr, "%d tables are missing: create them with twibase tables create\n", len(found.Missing))
		}
		return err
	})
}

func printDifferences(p process, table string, differences []cluster.Difference) {
	if len(differences) == 0 {
		return
	}
	missing := ""
	for _, d := range differences {
		switch {
		case d.Actual != "":
			fmt.Fprintf(p.stdout, "    family %s: %s is %s, and twibase would make it %s\n",
				d.Family, d.Attribute, d.Actual, d.Expected)
		case d.Family != missing:
			missing = d.Family
			fmt.Fprintf(p.stdout, "    family %s is missing\n", d.Family)
		}
	}
	fmt.Fprintf(p.stdout, "    in the HBase shell: %s\n", cluster.AlterCommand(table, differences))
	fmt.Fprintf(p.stdout, "    to rewrite existing data: major_compact '%s'\n", table)
}

type dropCommand struct{ storeFlag }

func (c *dropCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		dropped, err := transfer.DropTables(ctx, store)
		for _, name := range dropped {
			fmt.Fprintln(p.stdout, name)
		}
		return err
	})
}
