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
	compareRounds = 40
	compareTime   = 250 * time.Millisecond
)

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

// compareWith compares this tree's program with another one. They take turns, and alternate in
// going first, so that each ratio compares neighbouring turns. The tenth percentiles of the costs
// compare the turns that other processes disturbed least, but may omit garbage collections.
//
// Both programs write a twit at their first and second start, as stores in use have data in several
// levels and in the memtable. Otherwise the program that writes rows of its own at its first start
// would read one level more. A sign-up would hash a password: if that coincides with a garbage
// collection, the heap grows by twice the memory of the hash.
func compareWith(ctx context.Context, w *dataset, other string) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	oldStore, newStore := "embedded:"+p.path("old"), "embedded:"+p.path("new")
	if err := errors.Join(w.store(ctx, oldStore), w.store(ctx, newStore)); err != nil {
		return err
	}
	program, err := p.build(ctx)
	if err != nil {
		return err
	}
	before, oldErr := p.serveCopy(ctx, other, oldStore)
	after, err := p.serveCopy(ctx, program, newStore)
	if err := errors.Join(oldErr, err); err != nil {
		return err
	}
	for _, g := range []*loadtest.Gateway{before, after} {
		if err := postTwit(g, lastUser, "second start"); err != nil {
			return err
		}
	}
	t := newTable("This tree compared with "+other+": embedded store, HTTP included, one connection",
		"query", "CPU per request: other", "this tree", "ratio: median", "first quartile", "third quartile",
		"of the tenth percentiles")
	var medians, tenths []float64
	for i, q := range w.queries() {
		var costs [2][]time.Duration
		var turns []float64
		for round := range compareRounds {
			var cpu [2]time.Duration
			for k := range 2 {
				which := (round + k) % 2
				load, err := []server{{other, before}, {"this tree", after}}[which].Drive(q.request(), 1, compareTime)
				if err != nil {
					return fmt.Errorf("%s: %w", q.name, err)
				}
				cpu[which] = load.CPU
				costs[which] = append(costs[which], load.CPU)
			}
			turns = append(turns, float64(cpu[1])/float64(cpu[0]))
		}
		slices.Sort(turns)
		slices.Sort(costs[0])
		slices.Sort(costs[1])
		ratio, tenth := median(turns), float64(costs[1][compareRounds/10])/float64(costs[0][compareRounds/10])
		t.row(q.name, ms(median(costs[0])), ms(median(costs[1])), percent(ratio),
			percent(turns[compareRounds/4]), percent(turns[compareRounds*3/4]), percent(tenth))
		if i > 0 {
			medians, tenths = append(medians, ratio), append(tenths, tenth)
		}
	}
	t.row("1 to 10, geometric mean", "", "", percent(geometricMean(medians)), "", "", percent(geometricMean(tenths)))
	t.end()
	return compareMemory(before, after)
}

func compareMemory(before, after *loadtest.Gateway) error {
	t := newTable("Resident memory", "", "other", "this tree", "ratio")
	for _, m := range []struct {
		name string
		of   func(*loadtest.Gateway) (int64, error)
	}{
		{"peak", (*loadtest.Gateway).Peak},
		{"at the end, without the mapped program", (*loadtest.Gateway).Anonymous},
	} {
		was, oldErr := m.of(before)
		is, err := m.of(after)
		if err := errors.Join(oldErr, err); err != nil {
			return err
		}
		t.row(m.name, fmt.Sprintf("%.1f MB", float64(was)/(1<<20)), fmt.Sprintf("%.1f MB", float64(is)/(1<<20)),
			percent(float64(is)/float64(was)))
	}
	t.end()
	return nil
}

// serveCopy serves with a copy of a program. Linux maps a just linked file with huge pages, and its
// whole text would count as resident memory.
func (p *workspace) serveCopy(ctx context.Context, program, store string) (*loadtest.Gateway, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	program = p.path("copy-" + filepath.Base(strings.TrimPrefix(store, "embedded:")))
	if err := os.WriteFile(program, text, 0o700); err != nil {
		return nil, err
	}
	first, err := p.serve(ctx, program, store)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(postTwit(first, lastUser, "first start"), first.Stop()); err != nil {
		return nil, err
	}
	return p.serve(ctx, program, store)
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
