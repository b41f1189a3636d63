package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/resolvers/permission"
	"twibase/transfer"
	"twibase/writers"
)

type adminCommand struct {
	Grant grantCommand `cmd:"" help:"Make a user an administrator: who holds the role admin, which is made if there is none."`
}

type grantCommand struct {
	storeFlag
	Username string `arg:"" help:"Who has signed up, or was made otherwise."`
}

// Run makes the first administrator, before there is anybody who may; on a cluster it may run beside gateways.
func (c *grantCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		if _, err := transfer.EnsureTables(ctx, store, c.regions()); err != nil {
			return fmt.Errorf("the tables can't be made: %w", err)
		}
		w := writers.New(store, writers.Options{Log: slog.New(zerolog.NewSlogHandler(p.log))})
		defer w.Close(ctx)
		if err := grantAdmin(ctx, w, c.Username); err != nil {
			return fmt.Errorf("%q can't be made an administrator: %w", c.Username, err)
		}
		fmt.Fprintf(p.stdout, "%s is an administrator\n", c.Username)
		return nil
	})
}

func grantAdmin(ctx context.Context, w *writers.Writers, username string) error {
	err := w.AssignRole(ctx, username, permission.AdminRole)
	var problems writers.Problems
	if !errors.As(err, &problems) {
		return err
	}
	if of := slices.IndexFunc(problems, func(p writers.Problem) bool { return p.Field == "username" }); of >= 0 {
		return errors.New(problems[of].Message)
	}
	// So it is the role that is missing. Another may make it meanwhile.
	name := "Administrator"
	_, err = w.CreateRole(ctx, username, writers.NewRole{Code: permission.AdminRole, Name: &name})
	if err != nil && (!errors.As(err, &problems) || problems[0].Code != writers.AlreadyExists) {
		return err
	}
	return w.AssignRole(ctx, username, permission.AdminRole)
}
