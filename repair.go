package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/invariant"
	"twibase/writers"
	"twibase/writers/feeds"
)

const (
	// wholeWithin is after how long what was acknowledged is whole, even if a gateway died.
	wholeWithin = 10 * time.Second
	// sweepPatience is for how long repair waits for writes that were left behind: a list that is being cut takes almost a minute.
	sweepPatience = 2 * time.Minute
)

type repairCommand struct {
	storeFlag
	Check       bool `help:"Only look, and change nothing."`
	FanoutLimit int  `default:"10000" placeholder:"N" help:"That of the gateways of the store: repair brings to their end the timelines that they left behind (default: ${default})."`
}

// Validate is called by kong.
func (c *repairCommand) Validate() error {
	if c.FanoutLimit < 1 {
		return errors.New("--fanout-limit must be at least 1")
	}
	return nil
}

// Run prints each breach of an invariant and, unless it only looks, mends it.
func (c *repairCommand) Run(ctx context.Context, p process) error {
	return c.withExisting(ctx, p, func(store hbase.Store) error {
		err := c.repair(ctx, p, store)
		if errors.Is(err, hbase.ErrTableNotFound) {
			return fmt.Errorf("--store %s lacks tables of twibase's: %w; twibase tables create makes them, but what they held has to be restored", c.Store, err)
		}
		if errors.Is(err, context.Canceled) {
			return errors.New("stopped before the end; the same repair again goes on")
		}
		return err
	})
}

func (c *repairCommand) repair(ctx context.Context, p process, store hbase.Store) error {
	if !c.Check {
		if err := c.sweep(ctx, p, store); err != nil {
			return err
		}
	}
	progress := newProgress(p.stderr)
	breaches := 0
	checker := invariant.Checker{Store: store, Grace: wholeWithin, Read: progress.read, Report: func(b invariant.Breach) {
		breaches++
		progress.above(func() { fmt.Fprintln(p.stdout, b) })
	}, Waiting: func(errands int) {
		if errands > 0 {
			progress.above(func() {
				fmt.Fprintf(p.stderr, "%d errands wait: the timelines are not looked at for what their authors posted\n", errands)
			})
		}
	}}
	if c.Check {
		err := checker.Run(ctx)
		progress.end(err)
		if err == nil && breaches > 0 {
			err = fmt.Errorf("%d breaches; twibase repair without --check mends them", breaches)
		}
		return err
	}
	result, err := checker.MendAll(ctx)
	progress.end(err)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%d breaches found, %d mended\n", result.Found, result.Found-result.Left)
	if result.Left > 0 {
		return fmt.Errorf("%d breaches can't be mended", result.Left)
	}
	return nil
}

// sweep brings the writes and the errands to their end that gateways left behind. An errand may take as long as it has entries to write.
func (c *repairCommand) sweep(ctx context.Context, p process, store hbase.Store) error {
	log := slog.New(zerolog.NewSlogHandler(p.log))
	if err := sweepWrites(ctx, p, store, log); err != nil {
		return fmt.Errorf("writes that were left behind can't be finished: %w", err)
	}
	if err := feeds.New(store, feeds.Options{Limit: c.FanoutLimit, Log: log}).Sweep(ctx); err != nil {
		return fmt.Errorf("timelines can't be brought up to date: %w", err)
	}
	return nil
}

func sweepWrites(ctx context.Context, p process, store hbase.Store, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, sweepPatience)
	defer cancel()
	w := writers.New(store, writers.Options{Log: log})
	defer w.Close(ctx)
	told := false
	for {
		if err := w.Sweep(ctx); err != nil {
			return err
		}
		open, err := intents(ctx, store)
		if err != nil || open == 0 {
			return err
		}
		if !told {
			fmt.Fprintf(p.stderr, "%d writes were left behind, and are finished now\n", open)
			told = true
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// intents is how many writes are on their way.
func intents(ctx context.Context, store hbase.Store) (n int, err error) {
	for _, err := range store.Scan(ctx, hbase.Scan{Table: tables.Intents.Table}) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
