package loaders

import (
	"context"
	"slices"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Loaders has the state of all loaders of one response. They share one dataloader.
type Loaders struct {
	watchdog *Watchdog
	ctx      context.Context // of the response, because the ctx of a field may end before a batch
	unmasked hbase.Store

	mu         sync.Mutex
	store      hbase.Store
	dataloader *dataloader.Loader[*readSet, struct{}]
	reads      index
	last       []read // of the last set
	scheduler  scheduler
	trace      *trace // nil unless reported
	lazy       []*lazyRows
	missing    map[any]error // by lazy object; nil if the object does not exist
}

type loadersKey struct{}

// With returns a ctx with new loaders for one response. Their reads are cancelled with ctx.
func With(ctx context.Context, store hbase.Store) context.Context {
	return new(Watchdog).With(ctx, store)
}

// With is like the function [With], and w watches the response.
func (w *Watchdog) With(ctx context.Context, store hbase.Store) context.Context {
	l := &Loaders{watchdog: w, ctx: ctx, unmasked: store, store: store}
	l.dataloader = l.newDataloader()
	l.scheduler.dispatch, l.scheduler.onTimeout = l.dataloader.Flush, l.timedOut
	return context.WithValue(ctx, loadersKey{}, l)
}

func from(ctx context.Context) *Loaders {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok {
		panic("loaders: a resolver was called without loaders.With")
	}
	return l
}

// Forget makes later reads see earlier writes. No read may be in progress.
func Forget(ctx context.Context) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads, l.last, l.store = nil, nil, l.unmasked
}

// Mask hides a deleted object, whose clean-up may be in progress, until [Forget]. Gets find no
// cells in its row, its lists, and the edges and plays whose row keys begin with its key. Scans
// still find these cells. No read may be in progress.
func Mask(ctx context.Context, id tables.ID) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.store = mask{l.unmasked, id.Tables(), tables.RowKey(id.Key)}
}

type mask struct {
	hbase.Store
	tables []string
	row    string
}

func (m mask) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	var visible []hbase.Get
	var indexes []int
	for i, get := range gets {
		if !slices.Contains(m.tables, get.Table) || !tables.BelongsTo(get.Row, m.row) {
			visible, indexes = append(visible, get), append(indexes, i)
		}
	}
	results := make([]hbase.Result, len(gets))
	if len(visible) == 0 {
		return results, nil
	}
	found, err := m.Store.Get(ctx, visible)
	if err != nil {
		return nil, err
	}
	for k, i := range indexes {
		results[i] = found[k]
	}
	return results, nil
}
