package loaders

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Loaders has the state of all loaders of one response, and schedules their reads. All loaders
// share one dataloader, so that reads of different tables leave in one batch.
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
	missing    map[any]error // by lazy object; a nil error: the object does not exist
}

type loadersKey struct{}

// With returns a ctx with new loaders for one response. Their reads are cancelled with ctx.
func With(ctx context.Context, store hbase.Store) context.Context {
	return new(Watchdog).With(ctx, store)
}

// Watchdog fails the reads of responses with a blocked task: see [scheduler]. The zero value is
// ready.
type Watchdog struct {
	Log *slog.Logger // may be nil
	// Stalls counts failed responses: each is a bug in a resolver.
	Stalls atomic.Int64
}

// With is like the function [With], and w watches the response.
func (w *Watchdog) With(ctx context.Context, store hbase.Store) context.Context {
	l := &Loaders{watchdog: w, ctx: ctx, unmasked: store, store: store}
	l.dataloader = l.newDataloader()
	l.scheduler.dispatch, l.scheduler.onTimeout = l.dispatch, l.batchTimedOut
	return context.WithValue(ctx, loadersKey{}, l)
}

func from(ctx context.Context) *Loaders {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok {
		panic("loaders: a resolver was called without loaders.With")
	}
	return l
}

// newDataloader returns a dataloader whose keys are read sets. A key per Get would cost a channel,
// a closure and a cache entry each. Its values are empty: a set points to its batch, which has the
// results.
//
// The library calls send in a goroutine per batch, when the scheduler calls Flush. Its timer is
// off: it would delay each level, and still split levels under load. Its cache is off, because
// Loaders.reads finds equal Gets in different sets.
func (l *Loaders) newDataloader() *dataloader.Loader[*readSet, struct{}] {
	return dataloader.NewBatchedLoader(l.send,
		dataloader.WithWait[*readSet, struct{}](math.MaxInt64),
		dataloader.WithCache[*readSet, struct{}](&dataloader.NoCache[*readSet, struct{}]{}),
		// The capacity is allocated for each batch; the default of 1,000 takes 8 KB.
		dataloader.WithInputCapacity[*readSet, struct{}](64),
	)
}

// send answers a batch. A panic becomes its error.
func (l *Loaders) send(ctx context.Context, sets []*readSet) []*dataloader.Result[struct{}] {
	growStack()
	defer l.answered(sets)
	defer func() {
		if p := recover(); p != nil {
			failed := &batch{err: fmt.Errorf("loaders: a batch panicked: %v\n%s", p, debug.Stack())}
			for _, set := range sets {
				set.batch = failed
			}
		}
	}()
	b, store := l.merged(sets)
	l.get(ctx, store, b, sets)
	return slices.Repeat([]*dataloader.Result[struct{}]{{}}, len(sets))
}

// growStack grows the stack of a new goroutine to the size that a read needs. Doubling it several
// times took a twentieth of the CPU of a query of many small rounds (1-deep of 'go -C bench run .
// compare').
//
//go:noinline
func growStack() {
	var frame [10 << 10]byte
	runtime.KeepAlive(&frame)
}

func (l *Loaders) merged(sets []*readSet) (*batch, hbase.Store) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := merge(sets)
	b.err = l.scheduler.stalled
	return b, l.store
}

func (l *Loaders) get(ctx context.Context, store hbase.Store, b *batch, sets []*readSet) {
	counted, r := l.begin(ctx)
	defer func() { l.end(ctx, r, b.err) }()
	if r != nil {
		r.describe(sets)
		b.round, r.Stalled = r, b.err != nil
		for i := range b.gets {
			r.Stats.Tables.Add(b.gets[i].Table)
		}
	}
	hbase.StatsOf(counted).Rounds.Add(1)
	if b.err == nil {
		b.results, b.err = store.Get(counted, b.gets)
	}
}

// answered marks the sets of a batch. The dataloader wakes their tasks when send returns.
func (l *Loaders) answered(sets []*readSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := 0
	for _, set := range sets {
		waiting += set.waiting
		set.waiting, set.answered = 0, true
	}
	l.scheduler.answered(waiting)
}

func (l *Loaders) batchTimedOut(batch int) {
	l.mu.Lock()
	stalled := l.scheduler.stall(batch)
	l.mu.Unlock()
	if !stalled {
		return
	}
	l.watchdog.Stalls.Add(1)
	if l.watchdog.Log != nil {
		l.watchdog.Log.Error("reads of a response failed", "error", errStalled)
	}
}

// Forget makes later reads see earlier writes. No read may be in progress.
func Forget(ctx context.Context) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads, l.last, l.store = nil, nil, l.unmasked
}

// Mask hides the row of a deleted object, its lists, and the edges and plays that begin with its
// key from Gets until [Forget], because their clean-up may be in progress. Scans still read them.
// No read may be in progress.
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

// Get returns no cells for hidden rows.
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
