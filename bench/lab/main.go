// Command lab compares table designs, and writes the results into docs/lab and docs/LAB.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: lab [-docs FOLDER] [COMPARISON…]\n\ncomparisons: plays owners object relation inbox (default: all)")
		flag.PrintDefaults()
	}
	docs := flag.String("docs", "../docs", "the `folder` of LAB.md, from bench/")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *docs, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}
