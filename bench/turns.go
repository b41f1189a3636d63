package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"twibase/e2e/loadtest"
)

const (
	turnRounds = 40
	turnTime   = 250 * time.Millisecond
)

// duel is two servers that take turns, and alternate in going first, so that each ratio compares
// neighbouring turns.
type duel [2]server

// newDuel serves two programs, each with a store of its own.
//
// Both programs write a twit at their first and second start, as stores in use have data in several
// levels and in the memtable. Otherwise the program that writes rows of its own at its first start
// would read one level more. A sign-up would hash a password: if that coincides with a garbage
// collection, the heap grows by twice the memory of the hash.
func (p *workspace) newDuel(ctx context.Context, w *dataset, programs [2]string, flags ...string) (d duel, err error) {
	var stores [2]string
	for i := range stores {
		stores[i] = "embedded:" + p.path(fmt.Sprint("store", i))
		if err := w.store(ctx, stores[i]); err != nil {
			return d, err
		}
	}
	for i, program := range programs {
		g, err := p.serveCopy(ctx, program, stores[i], flags...)
		if err != nil {
			return d, err
		}
		d[i] = server{program, g}
	}
	for _, s := range d {
		if err := postTwit(s.Gateway, lastUser, "second start"); err != nil {
			return d, err
		}
	}
	return d, nil
}

// serveCopy serves with a copy of a program. Linux maps a just linked file with huge pages, and its
// whole text would count as resident memory.
func (p *workspace) serveCopy(
	ctx context.Context, program, store string, flags ...string,
) (*loadtest.Gateway, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	program = p.path("copy-" + filepath.Base(strings.TrimPrefix(store, "embedded:")))
	if err := os.WriteFile(program, text, 0o700); err != nil {
		return nil, err
	}
	first, err := p.serve(ctx, program, store, flags...)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(postTwit(first, lastUser, "first start"), first.Stop()); err != nil {
		return nil, err
	}
	return p.serve(ctx, program, store, flags...)
}

var lastUser = username(userCount - 1)

func postTwit(g *loadtest.Gateway, author, content string) error {
	response, err := g.Response(loadtest.Request{
		Body: fmt.Appendf(nil,
			`{"query":"mutation{postTwit(input:{content:\"%s\"}){userErrors{message}}}"}`, content),
		Token: tokenOf(author),
	})
	if err == nil && string(response) != `{"data":{"postTwit":{"userErrors":[]}}}` {
		err = fmt.Errorf("postTwit returned %s", response)
	}
	return err
}

// outcome has the CPU time per request of each server's turns, and the ratios of the second to the
// first, in ascending order.
type outcome struct {
	costs  [2][]time.Duration
	ratios []float64
}

func (d duel) run(q *query) (o outcome, err error) {
	for round := range turnRounds {
		var cpu [2]time.Duration
		for k := range d {
			which := (round + k) % 2
			load, err := d[which].Drive(q.request(), 1, turnTime)
			if err != nil {
				return o, fmt.Errorf("%s: %s: %w", d[which].name, q.name, err)
			}
			cpu[which] = load.CPU
			o.costs[which] = append(o.costs[which], load.CPU)
		}
		o.ratios = append(o.ratios, float64(cpu[1])/float64(cpu[0]))
	}
	slices.Sort(o.costs[0])
	slices.Sort(o.costs[1])
	slices.Sort(o.ratios)
	return o, nil
}

// tenths returns the ratio of the costs' tenth percentiles. It compares the turns that other
// processes disturbed least, but may omit garbage collections.
func (o outcome) tenths() float64 {
	return float64(o.costs[1][turnRounds/10]) / float64(o.costs[0][turnRounds/10])
}

var outcomeColumns = []string{"ratio: median", "first quartile", "third quartile", "of the tenth percentiles"}

// cells are the median costs, and the outcomeColumns.
func (o outcome) cells() []string {
	return []string{ms(median(o.costs[0])), ms(median(o.costs[1])), percent(median(o.ratios)),
		percent(o.ratios[turnRounds/4]), percent(o.ratios[turnRounds*3/4]), percent(o.tenths())}
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
