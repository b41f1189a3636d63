package loaders

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

// newDataloader returns the dataloader of a response. All reads except scans go through it:
//
//	enqueue ─► Load ─┐
//	enqueue ─► Load ─┼─► Flush ─► readBatch ─► Store.Get ─► thunks return
//	enqueue ─► Load ─┘
//
// The [scheduler] calls Flush when no task can add a read. In the library's terms:
//
//   - A key is a [readSet]. With a key per Get, each Get would cost a channel and a closure.
//   - The timer never fires. It would delay each level of a query, and split levels under load.
//   - The cache is off, because [index] finds equal Gets.
func (l *Loaders) newDataloader() *dataloader.Loader[*readSet, struct{}] {
	return dataloader.NewBatchedLoader(l.readBatch,
		dataloader.WithWait[*readSet, struct{}](math.MaxInt64),
		dataloader.WithCache[*readSet, struct{}](&dataloader.NoCache[*readSet, struct{}]{}),
		// The default of 1,000 takes 8 KB a batch. If the channel is full, Load waits until the
		// batch's goroutine takes a set, which needs no lock.
		dataloader.WithInputCapacity[*readSet, struct{}](64),
	)
}

func (l *Loaders) enqueue(ctx context.Context, loader string, set *readSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set.loader = loader
	if l.trace != nil {
		l.trace.enqueued(ctx, loader, set)
	}
	if l.link(set) {
		set.thunk = l.dataloader.Load(l.ctx, set)
		l.scheduler.handle(enqueued, 0)
	}
}

// wait waits until the originals of a set's reads (see [read]) are answered.
func (l *Loaders) wait(set *readSet) {
	var last *readSet
	for i := range set.reads {
		if of := set.reads[i].original.set; of != last {
			if last = of; l.beginWait(of) {
				_, _ = of.thunk() // the batch has the error
			}
		}
	}
}

// beginWait counts the caller as waiting, or returns false if the set is answered.
func (l *Loaders) beginWait(set *readSet) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !set.answered {
		set.waiting++
		l.scheduler.handle(stopped, 1)
	}
	return !set.answered
}

// readBatch runs in a goroutine per batch. When it returns, the library wakes the waiting tasks.
func (l *Loaders) readBatch(ctx context.Context, sets []*readSet) []*dataloader.Result[struct{}] {
	growStack()
	defer l.wake(sets)
	defer func() {
		if p := recover(); p != nil {
			failed := &batch{err: panicked(p)}
			for _, set := range sets {
				set.batch = failed
			}
		}
	}()
	b, store := l.merged(sets)
	l.get(ctx, store, b, sets)
	return slices.Repeat([]*dataloader.Result[struct{}]{{}}, len(sets))
}

// growStack grows the stack of a new goroutine to the size that a read needs: see batch-stack in
// 'go -C bench run . without'.
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
	counted, r := l.beginRound(ctx)
	defer func() {
		if p := recover(); p != nil { // readBatch would recover, too, but after the end of the round
			b.err = panicked(p)
		}
		l.endRound(ctx, r, b.err)
	}()
	if r != nil {
		r.describe(sets)
		r.Stalled = b.err != nil
		for i := range b.gets {
			r.Stats.Tables.Add(b.gets[i].Table)
		}
		l.mu.Lock() // the trace reads b.round while the batch is in flight
		b.round = r
		l.mu.Unlock()
	}
	hbase.StatsOf(counted).Rounds.Add(1)
	if b.err == nil {
		b.results, b.err = store.Get(counted, b.gets)
	}
}

func panicked(p any) error { return fmt.Errorf("loaders: a batch panicked: %v\n%s", p, debug.Stack()) }

// wake counts the tasks that wait for the sets as running, before they run.
func (l *Loaders) wake(sets []*readSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := 0
	for _, set := range sets {
		waiting += set.waiting
		set.waiting, set.answered = 0, true
	}
	l.scheduler.handle(answered, waiting)
}
