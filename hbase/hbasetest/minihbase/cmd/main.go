// Command cmd runs an HBase on this machine until it is interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"twibase/hbase/hbasetest/minihbase"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	data := flag.String("data", "", "`folder` of the data (default: a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir := *data
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "minihbase-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	fmt.Fprintln(os.Stderr, "starting HBase in", dir, "(the first start downloads its jars, which takes a minute) …")
	h, err := minihbase.Start(ctx, dir)
	if err != nil {
		return err
	}
	defer h.Kill()
	fmt.Println(h.URL())
	fmt.Fprintln(os.Stderr, "press Ctrl-C to stop it")
	select {
	case <-ctx.Done():
		return nil
	case <-h.Done():
		return fmt.Errorf("HBase ended unexpectedly\n%s", h.Log())
	}
}
