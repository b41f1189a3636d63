package writers

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type gateway struct {
	scheduler *scheduler
	id        int
}

var _ hbase.Store = gateway{}

type pointsKey struct{}

func recordPoints(ctx context.Context, c client, purposes []string) (of context.Context, ended func()) {
	if len(c.parents) > 0 {
		ctx = context.WithValue(ctx, linearizationKey{}, nil)
	}
	points := make([]point, len(purposes))
	for i := range purposes {
		points[i] = point{c.caller, purposes[i]}
	}
	return context.WithValue(ctx, pointsKey{}, points), func() {}
}

func (g gateway) wait(ctx context.Context, text string, writes bool, done func(ctx context.Context) error) error {
	points, _ := ctx.Value(pointsKey{}).([]point)
	w := &pendingCall{gateway: g.id, points: points, text: text, writes: writes,
		proceed: make(chan injection), done: make(chan struct{})}
	g.scheduler.mu.Lock()
	if g.scheduler.dead[g.id] {
		g.scheduler.mu.Unlock()
		return errDead
	}
	g.scheduler.order++
	w.order = g.scheduler.order
	g.scheduler.waiting = append(g.scheduler.waiting, w)
	g.scheduler.mu.Unlock()
	v := <-w.proceed
	// A sent call is applied, even if ctx ends.
	run := func() error { return done(context.WithoutCancel(ctx)) }
	switch v.fault {
	case appliedLate, crashBefore:
		if !writes {
			close(w.done)
			return g.scheduler.callError(g.id, v.fault)
		}
		g.scheduler.mu.Lock()
		w.abandoned = true
		g.scheduler.waiting = append(g.scheduler.waiting, w)
		g.scheduler.mu.Unlock()
		go func() {
			if v := <-w.proceed; v.fault != crashBefore {
				_ = run()
			}
			close(w.done)
		}()
		return g.scheduler.callError(g.id, v.fault)
	}
	defer close(w.done)
	err := run()
	if v.fault == crashAfter {
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
		results, err = g.scheduler.store.Get(ctx, gets)
		g.scheduler.linearize(ctx, false)
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
			g.scheduler.expectPoints(put)
		}
	}
	mutations = slices.Clone(mutations)
	var all []error
	err = g.wait(ctx, text, true, func(ctx context.Context) (err error) {
		all, err = g.scheduler.store.Mutate(ctx, mutations)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (g gateway) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	var answer bool
	text := fmt.Sprintf("check %s %q %q", put.Table, put.Row, check.Value)
	err = g.wait(ctx, text, true, func(ctx context.Context) (err error) {
		answer, err = g.scheduler.store.CheckAndPut(ctx, check, put)
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
			for row, err := range g.scheduler.store.Scan(ctx, scan) {
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

func (g gateway) CreateTable(context.Context, hbase.Table) error { panic("not used") }
func (g gateway) Tables(context.Context) ([]string, error)       { panic("not used") }
func (g gateway) DropTable(context.Context, string) error        { panic("not used") }
func (g gateway) Close() error                                   { return nil }
