// Bench prints tables of ratios between programs that took turns on one machine.
//
//	go -C bench run . [memory] [served] [hbase] [growth] [fanout] [subscribers] [overload] [fairness] [tracing] [without]
//	go -C bench run . compare PROGRAM
//
// Without arguments it prints all tables of the first form. For the second form see [compareWith].
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
)

const seed = 1

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type section struct {
	name  string
	print func(ctx context.Context, w *dataset) error
}

var sections = []section{
	{"memory", inMemory},
	{"served", served},
	{"hbase", onHBase},
	{"growth", growth},
	{"fanout", fanOut},
	{"subscribers", subscribers},
	{"overload", overload},
	{"fairness", fairness},
	{"tracing", tracing},
	{"without", without},
}

func run(ctx context.Context, names []string) error {
	if len(names) == 2 && names[0] == serveCommand {
		return serveDataset(ctx, names[1])
	}
	if len(names) == 2 && names[0] == tracingCommand {
		rounds, err := strconv.Atoi(names[1])
		if err != nil {
			return err
		}
		return measureTracing(ctx, rounds)
	}
	if len(names) == 2 && names[0] == "compare" {
		return compareWith(ctx, newDataset(seed), names[1])
	}
	for _, name := range names {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return fmt.Errorf("unknown section %q", name)
		}
	}
	w := newDataset(seed)
	for _, s := range sections {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		if err := s.print(ctx, w); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}
