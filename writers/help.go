package writers

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// A write that another demands, as its last step or for each item of something, belongs to that: it does not wait for it.
type parentsKey struct{}

func parents(ctx context.Context) []string {
	ids, _ := ctx.Value(parentsKey{}).([]string)
	return ids
}

// mustHelp reports whether a decision may have to be helped to its end before the next one on the same row.
func mustHelp(ctx context.Context, last string) bool {
	_, void := tables.FencedBy(last)
	id, _ := tables.CommittedBy(last)
	return last != "" && !void && !slices.Contains(parents(ctx), id)
}

// help brings the last decision of a row to its end. If this process carries it on already, that is waited for.
func (w *Writers) help(ctx context.Context, p client, last string) error {
	if !mustHelp(ctx, last) {
		return nil
	}
	last, _ = tables.CommittedBy(last)
	for {
		wait, first := w.begin(last)
		if first {
			break
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer w.over(last)
	row, err := p.one(ctx, "help", tables.Intents.Get(last))
	if err != nil {
		return err
	}
	x, ok, err := w.parse(tables.Intents.Row(last), row)
	if err != nil || !ok {
		return err
	}
	// It is needed here, also if somebody else carries it on, too.
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

// mark notes in the intent that the write was decided, before other decisions may take its place on its row.
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
