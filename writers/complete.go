package writers

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// setIntent sets the intent, and the plan that follows from it.
func (x *execution) setIntent(intent tables.Intent, arguments any) {
	x.intent, x.plan = intent, x.opType.plan(arguments, operation{intent.ID, intent.At})
	x.increments = map[location]*increment{}
	for _, s := range slices.Concat(x.plan.now, x.plan.later) {
		x.addIncrements(s)
	}
}

// finish applies the effects and removes the intent.
func (x *execution) finish(ctx context.Context) error { return x.advance(ctx, state.end) }

// finishInBackground applies the effects in a goroutine, which Close waits for. It returns when plan.now is applied,
// or when ctx ends.
func (x *execution) finishInBackground(ctx context.Context) error {
	w := x.w
	if x.intent.Due > 0 { // a sweep does it then
		w.unclaim(x.intent.ID)
		return nil
	}
	w.Counters.Open.Add(1)
	acknowledge := make(chan error, 1)
	w.running.Add(1)
	go func() {
		defer w.running.Done()
		defer w.Counters.Open.Add(-1)
		defer w.unclaim(x.intent.ID)
		ctx, cancel := w.outlive(ctx)
		defer cancel()
		err := x.advance(ctx, func(s state) bool { return s == stateAcknowledged || s.end() })
		acknowledge <- err
		if err == nil {
			err = x.finish(ctx)
		}
		if err != nil {
			w.log.Warn("operation failed; a sweep will complete it", "type", x.caller, "intent", x.intent.ID, "error", err)
		}
	}()
	select {
	case err := <-acknowledge:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backgroundLimit is how many long operations, at most, a gateway completes after their
// acknowledgement, and how many stale ones.
const backgroundLimit = 16

// long reports whether plan.later goes through something that may be long.
func (x *execution) long() bool {
	return slices.ContainsFunc(x.plan.later, func(s stage) bool {
		return slices.ContainsFunc(s, func(e effect) bool { _, each := e.(each); return each })
	})
}

// applyLater applies plan.later. The execution that the caller started needs a lease for it, and a
// slot if it is long; others have what they need. If all slots are taken, this execution ends, and
// the outbox continues when the intent is stale: nothing waits for a slot, so no slot is held by what
// waits for one.
func (x *execution) applyLater(ctx context.Context) error {
	apply := func(ctx context.Context) error { return x.applyStages(ctx, x.plan.later, "later ") }
	if !x.called || len(x.plan.later) == 0 {
		return apply(ctx)
	}
	if x.long() {
		select {
		case x.w.slots <- struct{}{}:
			defer func() { <-x.w.slots }()
		default:
			return errSuperseded
		}
	}
	return x.alone(ctx, apply)
}

// remove removes the intent. Before, it notes in the commit row that the operation is complete if the
// type needs that, and turns the commit record into "done" if there is a compensation. One that
// another execution found necessary earlier fails then: an operation that finds nothing to do, and
// this one done, relies on that.
func (x *execution) remove(ctx context.Context) error {
	if x.opType.compensated {
		own := hbase.Check{Family: x.intent.Family, Qualifier: tables.CommitColumn, Value: []byte(x.intent.ID)}
		done := hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
			Cells: []hbase.Cell{x.commitRecord(tables.CompletionRecord(x.intent.ID), x.intent.At+1)}}
		if _, err := x.checkAndPut(ctx, "seal", own, done); err != nil {
			return err
		}
	}
	remove := write{"remove intent", tables.Intents.Remove(x.intent)}
	if !x.opType.needsPredecessor {
		return x.mutate(ctx, remove)
	}
	complete := hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
		Cells: []hbase.Cell{tables.CompleteCell(x.intent.Family, x.intent.ID, x.intent.At)}}
	err := x.mutate(ctx, write{"note complete", complete}, remove)
	if err == nil {
		x.w.noteComplete(x.intent, x.intent.ID)
	}
	return err
}

// maxComplete is how many commit rows are remembered. To forget one costs a round.
const maxComplete = 1024

// noteComplete remembers that an operation is complete that was the last one on a commit row.
func (w *Writers) noteComplete(row tables.Intent, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.complete) == maxComplete {
		clear(w.complete)
	}
	w.complete[location{row.Table, row.Row}] = id
}

// lastComplete returns what noteComplete remembered last of a row.
func (w *Writers) lastComplete(row hbase.Get) (id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.complete[location{row.Table, row.Row}]
}

// parentsKey is the key of the operations that a nested one belongs to. It does not wait for them.
type parentsKey struct{}

func parents(ctx context.Context) []string {
	ids, _ := ctx.Value(parentsKey{}).([]string)
	return ids
}

// predecessor returns the operation that a commit record names, and whether it may have to be
// completed before the next one on the row.
func predecessor(ctx context.Context, record string) (id string, incomplete bool) {
	_, void := tables.FencedBy(record)
	id, _ = tables.CommittedBy(record)
	return id, record != "" && !void && !slices.Contains(parents(ctx), id)
}

// complete completes the operation that a commit record names. If this process completes it already,
// complete waits for that. If another gateway does, both do: the caller needs the row.
func (c client) complete(ctx context.Context, record string) error {
	id, incomplete := predecessor(ctx, record)
	if !incomplete {
		return nil
	}
	for {
		wait, first := c.w.claim(id)
		if first {
			break
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer c.w.unclaim(id)
	row, err := c.one(ctx, "complete predecessor", tables.Intents.Get(id))
	if err != nil {
		return err
	}
	x, ok, err := c.w.parse(tables.Intents.Row(id), row)
	if err != nil || !ok {
		return err
	}
	_, stop := c.w.outbox.Item(id, x).Keep(ctx)
	defer stop()
	return x.finish(ctx)
}

// parse returns the execution of an intent. ok is false if the cells hold none.
func (w *Writers) parse(row string, cells []hbase.Cell) (x *execution, ok bool, err error) {
	intent, ok, err := tables.Intents.Decode(row, cells)
	if err != nil || !ok {
		return nil, false, err
	}
	t := opTypes[intent.Kind]
	if t == nil {
		return nil, false, fmt.Errorf("%w: intent %s is of the type %q, which only a later version knows",
			hbase.ErrCorrupt, intent.ID, intent.Kind)
	}
	a, err := t.parse(intent.Arguments)
	if err != nil {
		return nil, false, err
	}
	x = &execution{client: client{w, t.name}, opType: t, state: stateCommitted, marked: tables.Intents.Marked(cells)}
	x.setIntent(intent, a)
	return x, true, nil
}

// mark notes in the intent that the operation committed, before others may commit on its row.
func (x *execution) mark(ctx context.Context) error {
	if x.marked || x.intent.Table == "" {
		return nil
	}
	err := x.mutate(ctx, write{"mark", tables.Intents.Mark(x.intent)})
	x.marked = err == nil
	return err
}

// runNested runs an operation that belongs to this one.
func (x *execution) runNested(ctx context.Context, n nested) error {
	if err := x.mark(ctx); err != nil {
		return err
	}
	ctx = context.WithValue(ctx, parentsKey{}, append(slices.Clone(parents(ctx)), x.intent.ID))
	_, err := x.w.do(ctx, opTypes[n.opType], n.arguments, nil)
	return err
}
