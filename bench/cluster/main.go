// Cluster compares twibase, with each setting of the store, and a gateway in Java on a real HBase:
// see docs/HBASE.md.
//
//	TWIBASE_DATA=FOLDER go -C bench run ./cluster
//
// Except for CPU times, compare only figures of the same run.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"twibase/e2e/loadtest"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

var settings = []string{"", "?flush=1ms"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	data := os.Getenv("TWIBASE_DATA")
	if data == "" {
		return errors.New("TWIBASE_DATA is not set: set it to the folder of the data")
	}
	dir, err := os.MkdirTemp("", "bench-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(ctx, time.Hour)
	defer stop()
	twibase := filepath.Join(dir, "twibase")
	build := exec.CommandContext(ctx, "go", "-C", "..", "build", "-trimpath", "-o", twibase, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	java, err := buildSpring(ctx, filepath.Join(dir, "spring"))
	if err != nil {
		return err
	}
	h, err := minihbase.Start(ctx, filepath.Join(dir, "hbase"))
	if err != nil {
		return err
	}
	defer h.Kill()
	if err := measure(ctx, h, twibase, java, data); err != nil {
		return fmt.Errorf("%w\n%s", err, h.Log())
	}
	return nil
}

func measure(ctx context.Context, h *minihbase.HBase, twibase string, java spring, data string) error {
	if err := load(ctx, twibase, h.URL(), data); err != nil {
		return err
	}
	var sides []side
	for _, setting := range settings {
		g, err := loadtest.Start(ctx, twibase, "serve", "--listen", "127.0.0.1:0", "--store", h.URL()+setting)
		if err != nil {
			return err
		}
		defer func() { _ = g.Stop() }()
		sides = append(sides, side{"`hbase://…" + setting + "`", g, loadtest.Request{Body: nestedQuery("{nodes", "}")}})
	}
	g, err := java.start(ctx, h.URL(), data)
	if err != nil {
		return err
	}
	defer func() { _ = g.Stop() }()
	return compare(h, append(sides, side{"Spring for GraphQL", g, loadtest.Request{Body: nestedQuery("", "")}}))
}

func load(ctx context.Context, twibase, url, data string) (err error) {
	if out, err := exec.CommandContext(ctx, twibase, "import", "--store", url, data).CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w\n%s", err, out)
	}
	store, err := cluster.Open(ctx, url, zerolog.Nop())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, table := range tables.Definitions(1) { // together they can exceed the call timeout
		if err := store.Flush(ctx, table.Name); err != nil {
			return err
		}
	}
	return nil
}
