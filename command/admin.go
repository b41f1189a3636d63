package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/resolvers/permission"
	"twibase/transfer"
	"twibase/writers"
)

type adminCommand struct {
	Grant grantCommand `cmd:"" help:"Make a user an administrator: assign the role admin, and create it if needed."`
}

type grantCommand struct {
	storeFlag
	Username string `arg:"" help:"Existing user."`
}

// Run makes the first administrator: a mutation that assigns roles needs one. On a cluster,
// gateways may be running.
func (c *grantCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		if _, err := transfer.EnsureTables(ctx, store, c.regions()); err != nil {
			return fmt.Errorf("creating tables: %w", err)
		}
		w := writers.New(store, writers.Options{Log: slog.New(zerolog.NewSlogHandler(p.log))})
		defer w.Close(ctx)
		if err := grantAdmin(ctx, w, c.Username); err != nil {
			return fmt.Errorf("cannot make %q an administrator: %w", c.Username, err)
		}
		fmt.Fprintf(p.stdout, "%s is an administrator\n", c.Username)
		return nil
	})
}

func grantAdmin(ctx context.Context, w *writers.Writers, username string) error {
	err := w.Relate(ctx, tables.Assignments, username, permission.AdminRole)
	var userErrors writers.UserErrors
	if !errors.As(err, &userErrors) {
		return err
	}
	if i := slices.IndexFunc(userErrors, func(e writers.UserError) bool { return e.Field == "username" }); i >= 0 {
		return errors.New(userErrors[i].Message)
	}
	name := "Administrator"
	_, err = w.CreateRole(ctx, username, writers.NewRole{Code: permission.AdminRole, Name: &name})
	createdConcurrently := errors.As(err, &userErrors) && userErrors[0].Code == writers.AlreadyExists
	if err != nil && !createdConcurrently {
		return err
	}
	return w.Relate(ctx, tables.Assignments, username, permission.AdminRole)
}
