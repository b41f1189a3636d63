package writers

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (x *execution) setIntent(intent tables.Intent, arguments any) {
	x.intent, x.effects = intent, x.opType.effects(arguments, operation{intent.ID, intent.At})
	x.increments = map[location]*increment{}
	for _, s := range slices.Concat(x.effects.now, x.effects.later) {
		x.addIncrements(s)
	}
}

// finishInBackground returns when effects.now is applied or has failed, or ctx ends.
func (x *execution) finishInBackground(ctx context.Context) error {
	w := x.w
	if x.intent.Due > 0 {
		w.unclaim(x.intent.ID)
		return nil
	}
	acknowledge := make(chan error, 1)
	w.running.Add(1)
	go func() {
		defer w.running.Done()
		defer w.unclaim(x.intent.ID)
		ctx, cancel := w.outlive(ctx)
		defer cancel()
		err := x.advance(ctx, func(s state) bool { return s == stateAcknowledged || s.end() })
		acknowledge <- err
		if err == nil {
			err = x.advance(ctx, state.end)
		}
		if err != nil {
			w.log.Warn("operation failed; a sweep will complete it",
				"type", x.caller, "intent", x.intent.ID, "error", err)
		}
	}()
	select {
	case err := <-acknowledge:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backgroundLimit limits concurrent long operations in the background, and separately in sweeps. A
// long operation has an each in effects.later.
const backgroundLimit = 16

func (x *execution) long() bool { return x.shortStages() < len(x.effects.later) }

func (x *execution) shortStages() int {
	long := slices.IndexFunc(x.effects.later, func(s stage) bool {
		return slices.ContainsFunc(s, func(e effect) bool { _, each := e.(each); return each })
	})
	if long < 0 {
		return len(x.effects.later)
	}
	return long
}

// applyLater applies effects.later. If x.startedHere, it renews the lease, and takes a slot before
// the first long stage. If no slot is free, it leaves the remaining stages to a sweep: waiting
// could deadlock, because an operation with a slot may wait for this one.
func (x *execution) applyLater(ctx context.Context) (next state, err error) {
	if !x.startedHere || len(x.effects.later) == 0 {
		return stateEnding, x.applyStages(ctx, x.effects.later, 0, "later ")
	}
	short := x.shortStages()
	lost, err := x.withLease(ctx, func(ctx context.Context) error {
		err := x.applyStages(ctx, x.effects.later[:short], 0, "later ")
		if x.ended(err) || !x.long() {
			return err
		}
		select {
		case x.w.slots <- struct{}{}:
			defer func() { <-x.w.slots }()
		default:
			x.superseded.Store(true)
			return nil
		}
		return x.applyStages(ctx, x.effects.later, short, "later ")
	})
	if lost { // to a sweep, which completes the operation
		x.superseded.Store(true)
		err = nil
	}
	return stateEnding, err
}

// removeIntent first records the completion, if the type does, because awaitLast relies on that
// order.
func (x *execution) removeIntent(ctx context.Context) error {
	if x.opType.recordsCompletion {
		done := x.commitRowPut(x.commitRecord(tables.CompletionRecord(x.intent.ID), x.intent.At+1))
		if _, err := x.checkAndPut(ctx, "record completion", x.expect(x.intent.ID), done); err != nil {
			return err
		}
	}
	remove := write{"remove intent", tables.Intents.Remove(x.intent)}
	if !x.opType.readsEffects {
		return x.mutate(ctx, remove)
	}
	complete := x.commitRowPut(tables.CompleteCell(x.intent.Family, x.intent.ID, x.intent.At))
	err := x.mutate(ctx, write{"note complete", complete}, remove)
	if err == nil {
		x.w.noteComplete(x.intent, x.intent.ID)
	}
	return err
}

// maxCompleted limits Writers.completed. The next operation on a dropped row needs one round more.
const maxCompleted = 1024

func (w *Writers) noteComplete(row tables.Intent, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.completed) == maxCompleted {
		clear(w.completed)
	}
	w.completed[location{row.Table, row.Row}] = id
}

func (w *Writers) lastComplete(row hbase.Get) (id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.completed[location{row.Table, row.Row}]
}

// predecessor returns the id in a commit record, or "" if the record is empty or a fence, or the id
// is a parent's.
func (c client) predecessor(record string) (id string) {
	_, fence := tables.FencedBy(record)
	id, _ = tables.CommittedBy(record)
	if fence || slices.Contains(c.parents, id) {
		return ""
	}
	return id
}

// complete completes the operation that stored a commit record. It waits for other executions of
// this process, but not for other gateways.
func (c client) complete(ctx context.Context, record string) error {
	id := c.predecessor(record)
	if id == "" {
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
	x.parents = c.parents // its nested operations must not wait for them, either
	_, stop := c.w.outbox.Item(id, x).RenewPeriodically(ctx)
	defer stop()
	return x.advance(ctx, state.end)
}

func (w *Writers) parse(row string, cells []hbase.Cell) (x *execution, ok bool, err error) {
	intent, ok, err := tables.Intents.Decode(row, cells)
	if err != nil || !ok {
		return nil, false, err
	}
	t := opTypes[intent.OpType]
	if t == nil {
		return nil, false, fmt.Errorf("%w: intent %s has the operation type %q of a later version",
			hbase.ErrCorrupt, intent.ID, intent.OpType)
	}
	a, err := t.parse(intent.Arguments)
	if err != nil {
		return nil, false, err
	}
	x = &execution{client: w.client(t.name), opType: t, state: stateCommitted}
	x.marked = tables.Intents.Marked(cells)
	x.setIntent(intent, a)
	return x, true, nil
}

func (x *execution) mark(ctx context.Context) error {
	if x.marked || x.intent.Table == "" {
		return nil
	}
	err := x.mutate(ctx, write{"mark", tables.Intents.Mark(x.intent)})
	x.marked = err == nil
	return err
}

func (x *execution) runNested(ctx context.Context, n nested) error {
	if x.superseded.Load() { // by a concurrent nested operation
		return nil
	}
	if err := x.mark(ctx); err != nil {
		return err
	}
	c := client{x.w, n.opType, append(slices.Clone(x.parents), x.intent.ID)}
	outcome, _, err := c.perform(ctx, opTypes[n.opType], n.arguments, nil)
	if outcome == stateSuperseded {
		x.superseded.Store(true)
	}
	return err
}
