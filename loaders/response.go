package loaders

import (
	"context"
	"log/slog"
	"sync/atomic"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type loadersKey struct{}

// With returns a ctx with new loaders, for one response over a store. Their reads end with ctx,
// whichever resolver asked for them.
func With(ctx context.Context, store hbase.Store) context.Context {
	return new(Watchdog).With(ctx, store)
}

// Watchdog fails the reads of responses whose tasks block: see [scheduler]. The zero value is ready
// for use. A gateway has one.
type Watchdog struct {
	// Log reports such responses. Nil drops the reports.
	Log *slog.Logger
	// Stalls counts such responses. Anything but 0 is a bug in a resolver.
	Stalls atomic.Int64
}

// With is the function [With] for responses that the watchdog counts.
func (w *Watchdog) With(ctx context.Context, store hbase.Store) context.Context {
	l := &Loaders{watchdog: w, ctx: ctx, whole: store, store: store}
	l.dataloader = l.newDataloader()
	l.scheduler.dispatch, l.scheduler.onStall = l.dataloader.Flush, l.stalled
	return context.WithValue(ctx, loadersKey{}, l)
}

func from(ctx context.Context) *Loaders {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok {
		panic("loaders: a resolver was called without loaders.With")
	}
	return l
}

// stalled is called when a batch has been collecting for watchdogTimeout.
func (l *Loaders) stalled(batch int) {
	l.mu.Lock()
	stalled := l.scheduler.stall(batch)
	l.mu.Unlock()
	if !stalled {
		return
	}
	l.watchdog.Stalls.Add(1)
	if l.watchdog.Log != nil {
		l.watchdog.Log.Error("reads of a response were failed", "error", errStalled)
	}
}

// Forget makes later reads of the response see what was written since. No read may be in progress.
func Forget(ctx context.Context) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked, l.last, l.store = nil, nil, l.whole
}

// Mask hides the rows of an object that was deleted, with those of its lists and edges, until
// Forget. The clean-up that follows a deletion has deleted some of them and not others. No read may
// be in progress.
func Mask(ctx context.Context, id tables.ID) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.store = mask{l.whole, id.Tables(), tables.RowKey(id.Key)}
}
