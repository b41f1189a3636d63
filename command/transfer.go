package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"twibase/hbase"
	"twibase/transfer"
)

type importCommand struct {
	storeFlag
	Paths       []string `arg:"" name:"path" help:"Files, such as users.csv or users.csv.gz, or folders of them."`
	SkipBad     bool     `help:"Skip invalid rows, instead of stopping at the first."`
	FanoutLimit int      `default:"10000" placeholder:"N" help:"The --fanout-limit of the gateways: the twits of authors with more followers are not written to timelines (default: ${default})."`
}

func (c *importCommand) Validate() error {
	return cmp.Or(c.storeFlag.Validate(), require(c.FanoutLimit >= 1, "--fanout-limit must be at least 1"))
}

const importMemory = 2 << 30

func (c *importCommand) Run(ctx context.Context, p process) error {
	if err := transfer.CheckPaths(c.Paths); err != nil {
		return err
	}
	// Fewer garbage collections save a tenth of an import's time. The memory limit bounds the
	// garbage.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(importMemory))
	return c.with(ctx, p, func(store hbase.Store) error {
		if _, err := transfer.EnsureTables(ctx, store, c.regions()); err != nil {
			return fmt.Errorf("creating tables: %w", err)
		}
		progress := newProgress(p.stderr)
		summary, err := transfer.Import(ctx, store, c.Paths, transfer.Options{
			SkipBad:     c.SkipBad,
			FanoutLimit: c.FanoutLimit,
			Read:        progress.read,
			Skipped:     func(e *transfer.RowError) { fmt.Fprintf(p.stderr, "skipped: %v\n", e) },
		})
		switch {
		case errors.Is(err, context.Canceled):
			return errors.New("stopped; run the same import again to complete it")
		case errors.Is(err, transfer.ErrDangling): // complete
			return err
		case errors.As(err, new(*transfer.RowError)):
			return fmt.Errorf("%w; the import is incomplete: correct the file, and run the same import again", err)
		case err != nil:
			return fmt.Errorf("%w; the import is incomplete: run the same import again", err)
		}
		progress.end()
		if c.Store == "embedded:" {
			fmt.Fprintln(p.stderr, "twibase: --store embedded: is in memory, so this was a dry run: nothing is stored")
		}
		fmt.Fprintf(p.stdout, "%d rows imported; skipped: %d invalid rows, and %d that name missing objects\n",
			summary.Rows-summary.Bad-summary.Dangling, summary.Bad, summary.Dangling)
		return nil
	})
}

type exportCommand struct {
	storeFlag
	Dir string `arg:"" name:"dir" help:"Folder to write to. Existing files are replaced."`
}

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

const progressInterval = 10 * time.Second

type progress struct {
	out         io.Writer
	table       string
	rows, total int
	start, last time.Time
}

func newProgress(out io.Writer) *progress {
	now := time.Now()
	return &progress{out: out, start: now, last: now}
}

func (p *progress) read(table string, rows int) {
	if table != p.table {
		p.table, p.rows = table, 0
	}
	p.rows += rows
	p.total += rows
	if time.Since(p.last) > progressInterval {
		p.last = time.Now()
		fmt.Fprintf(p.out, "%s: %d rows\n", table, p.rows)
	}
}

func (p *progress) end() {
	fmt.Fprintf(p.out, "%d rows read in %.1f s\n", p.total, time.Since(p.start).Seconds())
}
