package main

import (
	"context"
	"errors"
	"fmt"

	"twibase/e2e/loadtest"
)

// compareWith compares this tree's program with another one: see [duel].
func compareWith(ctx context.Context, w *dataset, other string) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	program, err := p.build(ctx)
	if err != nil {
		return err
	}
	d, err := p.newDuel(ctx, w, [2]string{other, program})
	if err != nil {
		return err
	}
	t := newTable("This tree compared with "+other+": embedded store, HTTP included, one connection",
		append([]string{"query", "CPU per request: other", "this tree"}, outcomeColumns...)...)
	var medians, tenths []float64
	for i, q := range w.queries() {
		o, err := d.run(q)
		if err != nil {
			return err
		}
		t.row(append([]string{q.name}, o.cells()...)...)
		if i > 0 {
			medians, tenths = append(medians, median(o.ratios)), append(tenths, o.tenths())
		}
	}
	t.row("1 to 10, geometric mean", "", "", percent(geometricMean(medians)), "", "", percent(geometricMean(tenths)))
	t.end()
	return compareMemory(d[0].Gateway, d[1].Gateway)
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
