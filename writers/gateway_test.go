package writers

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// gateway is the store as one gateway sees it.
type gateway struct {
	t  *turns
	id int
}

var _ hbase.Store = gateway{}

type pointsKey struct{}

// traced is what watches a gateway's Writers.
func traced(ctx context.Context, kind string, what []string) (of context.Context, over func()) {
	points := make([]point, len(what))
	for i := range what {
		points[i] = point{kind, what[i]}
	}
	return context.WithValue(ctx, pointsKey{}, points), func() {}
}

// wait waits for a call's turn, and makes it. done makes the call; it is called at most once.
func (g gateway) wait(ctx context.Context, text string, writes bool, done func(ctx context.Context) error) error {
	points, _ := ctx.Value(pointsKey{}).([]point)
	w := &turn{gateway: g.id, points: points, text: text, writes: writes, let: make(chan verdict), done: make(chan struct{})}
	g.t.mu.Lock()
	if g.t.dead[g.id] {
		g.t.mu.Unlock()
		return errDead
	}
	g.t.order++
	w.order = g.t.order
	g.t.waiting = append(g.t.waiting, w)
	g.t.mu.Unlock()
	v := <-w.let
	// The call runs without the ctx of its caller: what was sent is done.
	run := func() error { return done(context.WithoutCancel(ctx)) }
	switch v.mishap {
	case late, death:
		// Nobody waits for it. It may have been sent, and is then done in some later turn.
		if !writes {
			close(w.done)
			return g.t.gone(g.id, v.mishap)
		}
		g.t.mu.Lock()
		w.zombie = true
		g.t.waiting = append(g.t.waiting, w)
		g.t.mu.Unlock()
		go func() {
			if v := <-w.let; v.mishap != death {
				_ = run()
			}
			close(w.done)
		}()
		return g.t.gone(g.id, v.mishap)
	}
	defer close(w.done)
	err := run()
	if v.mishap == deathAfter {
		return errDead
	}
	return err
}

func (g gateway) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	text := "get"
	for _, get := range gets {
		text += fmt.Sprintf(" %s %q", get.Table, get.Row)
	}
	err = g.wait(ctx, text, false, func(ctx context.Context) error {
		results, err = g.t.store.Get(ctx, gets)
		g.t.passes(ctx, false)
		return err
	})
	return results, err
}

func (g gateway) Mutate(ctx context.Context, mutations []hbase.Mutation) (errs []error, err error) {
	text := "mutate"
	for _, m := range mutations {
		table, row := m.At()
		text += fmt.Sprintf(" %s %q", table, row)
		if put, ok := m.(hbase.Put); ok && table == tables.Intents.Table {
			g.t.foretell(put)
		}
	}
	mutations = slices.Clone(mutations)
	var all []error
	err = g.wait(ctx, text, true, func(ctx context.Context) (err error) {
		all, err = g.t.store.Mutate(ctx, mutations)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (g gateway) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	var answer bool
	err = g.wait(ctx, fmt.Sprintf("check %s %q %q", put.Table, put.Row, check.Value), true, func(ctx context.Context) (err error) {
		answer, err = g.t.store.CheckAndPut(ctx, check, put)
		return err
	})
	if err != nil {
		return false, err
	}
	return answer, nil
}

func (g gateway) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	return func(yield func(hbase.Row, error) bool) {
		var rows []hbase.Row
		err := g.wait(ctx, fmt.Sprintf("scan %s %q", scan.Table, scan.Start), false, func(ctx context.Context) error {
			for row, err := range g.t.store.Scan(ctx, scan) {
				if err != nil {
					return err
				}
				rows = append(rows, row)
			}
			return nil
		})
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			yield(hbase.Row{}, err)
		}
	}
}

func (g gateway) Increment(context.Context, hbase.Increment) (int64, error) {
	panic("an increment may be done twice")
}
func (g gateway) CreateTable(context.Context, hbase.Table) error { panic("no write makes tables") }
func (g gateway) Tables(context.Context) ([]string, error)       { panic("no write asks for tables") }
func (g gateway) DropTable(context.Context, string) error        { panic("no write drops tables") }
func (g gateway) Close() error                                   { return nil }
