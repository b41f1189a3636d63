package writers

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

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
		wait, first := c.w.begin(id)
		if first {
			break
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer c.w.over(id)
	row, err := c.one(ctx, "help", tables.Intents.Get(id))
	if err != nil {
		return err
	}
	x, ok, err := c.w.parse(tables.Intents.Row(id), row)
	if err != nil || !ok {
		return err
	}
	_, stop := x.keep(ctx)
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
	x.begin(intent, a)
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
	_, _, err := x.w.do(ctx, opTypes[n.opType], n.arguments, always)
	return err
}
