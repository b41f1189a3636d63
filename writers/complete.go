package writers

import (
	"context"
	"errors"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// committed returns the execution of a stored intent whose operation committed.
func (w *Writers) committed(k *known, arguments any, intent tables.Intent) *execution {
	x := &execution{port: port{w, k.name}, known: k, state: stateCommitted}
	x.begin(intent, arguments)
	return x
}

// begin sets the intent, and the plan that follows from it.
func (x *execution) begin(intent tables.Intent, arguments any) {
	x.intent, x.plan = intent, x.known.plan(arguments, op{intent.ID, intent.At})
	x.tallies, x.places, x.placed = map[place]*tally{}, map[*member]tables.Place{}, map[*member]tables.Place{}
	for _, s := range slices.Concat(x.plan.now, x.plan.later) {
		x.tally(s)
	}
}

// finish applies the effects and removes the intent. If another execution completed the operation, or does so, that is
// no error.
func (x *execution) finish(ctx context.Context) error {
	return x.advanceTo(ctx, stateComplete)
}

// advanceTo goes on to a state, or to stateComplete if another execution completed the operation.
func (x *execution) advanceTo(ctx context.Context, to state) error {
	err := x.advance(ctx, func(s state) bool { return s == to || s == stateComplete })
	if errors.Is(err, errWhole) {
		x.state, err = stateComplete, nil
	}
	return err
}

// finishBehind finishes in a goroutine, which Close waits for. It returns when plan.now is applied, or when ctx ends.
func (x *execution) finishBehind(ctx context.Context) error {
	w := x.w
	w.Counters.Decided.Add(1)
	if x.intent.Due > 0 { // a sweep does it then
		w.over(x.intent.ID)
		return nil
	}
	w.Counters.Open.Add(1)
	acknowledge := make(chan error, 1)
	w.running.Add(1)
	go func() {
		defer w.running.Done()
		defer w.Counters.Open.Add(-1)
		defer func() {
			if x.mine {
				w.over(x.intent.ID)
			}
		}()
		ctx, cancel := w.outlive(ctx)
		defer cancel()
		err := x.advanceTo(ctx, stateAcknowledged)
		acknowledge <- err
		if err == nil {
			err = x.finish(ctx)
		}
		if err != nil {
			w.left(x.port, x.intent, err)
		}
	}()
	select {
	case err := <-acknowledge:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// applyLater applies what the caller does not wait for. The execution of the caller's gateway needs a slot and a lease
// for it; others have what they need.
func (x *execution) applyLater(ctx context.Context) error {
	switch {
	case len(x.plan.later) == 0:
		return nil
	case x.called:
		return x.background(ctx)
	}
	return x.later(ctx)
}

// seal turns the commit record into "done". A compensation that another execution found necessary earlier fails then:
// an operation that finds nothing to do, and this one done, relies on that.
func (x *execution) seal(ctx context.Context) error {
	if !x.known.undone {
		return nil
	}
	own := hbase.Check{Family: x.intent.Family, Qualifier: tables.Decision, Value: []byte(x.intent.ID)}
	_, err := x.checkAndPut(ctx, "done", own, hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
		Cells: []hbase.Cell{x.decision(tables.DoneOp(x.intent.ID), x.intent.At+1)}})
	return err
}

// remove removes the intent, and notes in the commit row that the operation is complete if the type needs that.
func (x *execution) remove(ctx context.Context) error {
	ends := []write{{"remove intent", tables.Intents.Remove(x.intent)}}
	if x.known.ordered {
		whole := hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
			Cells: []hbase.Cell{tables.WholeCell(x.intent.Family, x.intent.ID, x.intent.At)}}
		ends = slices.Insert(ends, 0, write{"whole", whole})
	}
	err := x.mutate(ctx, ends...)
	if err == nil {
		x.w.whole.add(x.intent.ID)
	}
	return err
}

// left notes that an operation has to be finished by a sweep.
func (w *Writers) left(p port, intent tables.Intent, err error) {
	w.Counters.Left.Add(1)
	w.log.Warn("a write is left to the next sweep", "kind", p.kind, "intent", intent.ID, "error", err)
}
