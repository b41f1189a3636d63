package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
	"twibase/writers"
	"twibase/writers/feeds"
)

const (
	// completionTime bounds the completion of a dead gateway's operations, except those that change
	// long lists.
	completionTime = 10 * time.Second
	// sweepTimeout bounds the completion of intents. A split takes almost a minute.
	sweepTimeout = 2 * time.Minute
)

type repairCommand struct {
	storeFlag
	Check       bool `help:"Report differences only. On a cluster, gateways may run."`
	FanoutLimit int  `default:"10000" placeholder:"N" help:"The --fanout-limit of the gateways, for their pending fan-out jobs (default: ${default})."`
}

func (c *repairCommand) Validate() error {
	return cmp.Or(c.storeFlag.Validate(), require(c.FanoutLimit >= 1, "--fanout-limit must be at least 1"))
}

func (c *repairCommand) Run(ctx context.Context, p process) error {
	run := c.repair
	if c.Check {
		run = c.check
	}
	return c.withTables(ctx, p, func(store hbase.Store) error {
		err := run(ctx, p, store)
		if errors.Is(err, context.Canceled) {
			return errors.New("stopped; run the same command again")
		}
		return err
	})
}

func (c *repairCommand) check(ctx context.Context, p process, store hbase.Store) (err error) {
	progress, violations := newProgress(p.stderr), 0
	checker := violationChecker(p, store, progress)
	checker.Report = func(v check.Violation) {
		violations++
		fmt.Fprintln(p.stdout, v)
	}
	var changing []check.Violation
	if c.embedded() {
		err = checker.Run(ctx)
	} else {
		changing, err = checker.RunLive(ctx)
	}
	if err != nil {
		return err
	}
	progress.end()
	for _, v := range changing {
		fmt.Fprintf(p.stderr, "not counted, because gateways keep changing it: %s\n", v)
	}
	if violations > 0 {
		return fmt.Errorf("%d violations; twibase repair without --check repairs those that can be repaired", violations)
	}
	return nil
}

func (c *repairCommand) repair(ctx context.Context, p process, store hbase.Store) error {
	if err := c.sweep(ctx, p, store); err != nil {
		return err
	}
	progress := newProgress(p.stderr)
	result, err := violationChecker(p, store, progress).RepairAll(ctx)
	if err != nil {
		return err
	}
	progress.end()
	fmt.Fprintf(p.stdout, "%d violations found, %d repaired\n", result.Found, result.Found-result.Left)
	if result.Left > 0 {
		return fmt.Errorf("%d violations cannot be repaired", result.Left)
	}
	return nil
}

func violationChecker(p process, store hbase.Store, progress *progress) check.Checker {
	return check.Checker{
		Store:  store,
		Grace:  completionTime,
		Read:   progress.read,
		Report: func(v check.Violation) { fmt.Fprintln(p.stdout, v) },
		Waiting: func(jobs int) {
			if jobs > 0 {
				fmt.Fprintf(p.stderr, "%d fan-out jobs are pending: "+
					"timelines are not checked for missing or surplus twits of the authors of these jobs\n", jobs)
			}
		},
	}
}

// sweep has no timeout for fan-out jobs, which may be long.
func (c *repairCommand) sweep(ctx context.Context, p process, store hbase.Store) error {
	log := slog.New(zerolog.NewSlogHandler(p.log))
	if err := sweepIntents(ctx, p, store, log); err != nil {
		return fmt.Errorf("completing stale intents: %w", err)
	}
	if err := feeds.New(store, feeds.Options{Limit: c.FanoutLimit, Log: log}).Sweep(ctx); err != nil {
		return fmt.Errorf("completing fan-out jobs: %w", err)
	}
	return nil
}

func sweepIntents(ctx context.Context, p process, store hbase.Store, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	w := writers.New(store, writers.Options{Log: log})
	defer w.Close(ctx)
	for first := true; ; first = false {
		if err := w.Sweep(ctx); err != nil {
			return err
		}
		open, err := countIntents(ctx, store)
		if err != nil || open == 0 {
			return err
		}
		if first {
			fmt.Fprintf(p.stderr, "completing %d intents\n", open)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func countIntents(ctx context.Context, store hbase.Store) (n int, err error) {
	for _, err := range store.Scan(ctx, hbase.Scan{Table: tables.Intents.Table}) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
