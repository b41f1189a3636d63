package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// besideRounds is how many times each program is asked each query, in turns.
const besideRounds = 15

// beside compares another twibase program, such as one built from an earlier
// commit, with the one of this tree. Each serves its own embedded store with the
// same rows. They take turns, so that each ratio compares two neighbouring
// half-seconds; which of them goes first alternates.
//
// Both must give the answers of the program written by hand, byte for byte.
func beside(ctx context.Context, w *world, other string) error {
	p, err := newPlace()
	if err != nil {
		return err
	}
	defer p.leave()
	oldStore, newStore := "embedded:"+p.path("old"), "embedded:"+p.path("new")
	if err := errors.Join(w.store(ctx, oldStore), w.store(ctx, newStore)); err != nil {
		return err
	}
	before, err := p.serve(ctx, other, oldStore)
	if err != nil {
		return err
	}
	after, err := p.twibase(ctx, newStore)
	if err != nil {
		return err
	}
	t := newTable("This tree beside "+other+": embedded store, HTTP included, one connection",
		"query", "CPU per request: other", "this tree", "ratio", "first quartile", "third quartile")
	var ratios []float64
	for i, q := range w.queries() {
		var costs [2][]time.Duration
		var turns []float64
		for round := range besideRounds {
			var cpu [2]time.Duration
			for k := range 2 {
				which := (round + k) % 2
				load, err := []server{{other, before}, {"this tree", after}}[which].Drive(q.request(), 1, askedFor)
				if err != nil {
					return fmt.Errorf("%s: %w", q.name, err)
				}
				cpu[which] = load.CPU
				costs[which] = append(costs[which], load.CPU)
			}
			turns = append(turns, float64(cpu[1])/float64(cpu[0]))
		}
		slices.Sort(turns)
		ratio := middle(turns)
		t.row(q.name, ms(middle(costs[0])), ms(middle(costs[1])), percent(ratio),
			percent(turns[besideRounds/4]), percent(turns[besideRounds*3/4]))
		if i > 0 {
			ratios = append(ratios, ratio)
		}
	}
	t.row("1 to 10, geometric mean", "", "", percent(geometricMean(ratios)), "", "")
	t.end()
	peaks := newTable("The most memory that each had resident", "other", "this tree", "ratio")
	oldPeak, oldErr := before.Peak()
	newPeak, err := after.Peak()
	if err := errors.Join(oldErr, err); err != nil {
		return err
	}
	peaks.row(fmt.Sprintf("%d MB", oldPeak>>20), fmt.Sprintf("%d MB", newPeak>>20), percent(float64(newPeak)/float64(oldPeak)))
	peaks.end()
	return nil
}

// percent formats a ratio as a change: 1.05 is +5.0 %.
func percent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
