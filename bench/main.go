// Bench prints what twibase costs, as ratios within one run: each table compares things that took turns on the same machine.
//
//	go -C bench run . [memory] [served] [hbase] [growth] [fanout] [subscribers] [overload]
//	go -C bench run . beside PROGRAM
//
// Without an argument it makes all tables but the last, which compares this tree with
// another twibase program: see [beside]. The data are made from a seed; world.go says what they are, and queries/ what is asked.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// seed is that of the world.
const seed = 1

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// section is a part of what is printed.
type section struct {
	name  string
	print func(ctx context.Context, w *world) error
}

var sections = []section{{"memory", inMemory}, {"served", served}, {"hbase", onHBase}, {"growth", growth}, {"fanout", fanOut},
	{"subscribers", subscribers}, {"overload", overload}}

func run(ctx context.Context, names []string) error {
	if len(names) == 2 && names[0] == serving {
		return serveWorld(ctx, names[1])
	}
	if len(names) == 2 && names[0] == "beside" {
		return beside(ctx, newWorld(seed), names[1])
	}
	for _, name := range names {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return fmt.Errorf("there is no section %q", name)
		}
	}
	w := newWorld(seed)
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
