package writers

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

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
	_, void := tables.ShutOut(last)
	id, _ := tables.DecidedBy(last)
	return last != "" && !void && !slices.Contains(parents(ctx), id)
}

// help brings the last decision of a row to its end. If this process carries it on already, that is waited for.
func (w *Writers) help(ctx context.Context, p port, last string) error {
	if !mustHelp(ctx, last) {
		return nil
	}
	last, _ = tables.DecidedBy(last)
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
	x, err := w.parse(tables.Intents.Row(last), row)
	if err != nil || x == nil {
		return err
	}
	w.Counters.Helped.Add(1)
	// It is needed here, also if somebody else carries it on, too.
	_, stop := x.keep(ctx)
	defer stop()
	return x.finish(ctx)
}

// parse returns the execution of an intent, nil if the cells hold none.
func (w *Writers) parse(row string, cells []hbase.Cell) (*execution, error) {
	intent, ok, err := tables.Intents.Decode(row, cells)
	if err != nil || !ok {
		return nil, err
	}
	k := kinds[intent.Kind]
	if k == nil {
		return nil, fmt.Errorf("%w: intent %s is of the kind %q, which only a later version knows", hbase.ErrCorrupt, intent.ID, intent.Kind)
	}
	a, err := k.parse(intent.Arguments)
	if err != nil {
		return nil, err
	}
	return w.committed(k, a, intent), nil
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

// demand runs a write that belongs to this one.
func (x *execution) demand(ctx context.Context, d demand) error {
	if err := x.mark(ctx); err != nil {
		return err
	}
	return x.nested(ctx, d)
}

func (x *execution) nested(ctx context.Context, d demand) error {
	ctx = context.WithValue(ctx, parentsKey{}, append(slices.Clone(parents(ctx)), x.intent.ID))
	_, _, err := x.w.do(ctx, kinds[d.kind], d.arguments, always)
	return err
}

// each does what all items need: the demands of a page side by side, and what else there is like a stage, until it is where it belongs: what follows
// may take away what it would be found by again.
func (x *execution) each(ctx context.Context, e each, label string) error {
	if err := x.mark(ctx); err != nil {
		return err
	}
	for cursor, first := "", true; first || cursor != ""; first = false {
		items, next, err := e.next(ctx, x.port, cursor)
		if err != nil {
			return x.failed(label+e.String(), err)
		}
		var rest stage
		g, together := errgroup.WithContext(ctx)
		g.SetLimit(x.w.parallel)
		for _, item := range items {
			if d, ok := item.(demand); ok {
				g.Go(func() error { return x.nested(together, d) })
			} else {
				rest = append(rest, item)
			}
		}
		if err := g.Wait(); err != nil {
			return err
		}
		if err := x.stage(ctx, rest, label+e.String()+" "); err != nil {
			return err
		}
		if err := x.settle(ctx); err != nil {
			return err
		}
		cursor = next
	}
	return nil
}
