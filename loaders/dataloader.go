package loaders

import (
	"context"
	"math"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

// Loaders are the reads of one response. All loaders of a response share one dataloader, so that
// reads of different tables leave in one batch, and a read set that was answered is not read again.
type Loaders struct {
	watchdog *Watchdog
	ctx      context.Context // of the response: a batch belongs to it, not to the field that asked first
	whole    hbase.Store

	mu         sync.Mutex
	store      hbase.Store // whole, or a mask of it
	dataloader *dataloader.Loader[*readSet, *merged]
	asked      index
	scheduler  scheduler
	trace      *trace // nil unless the reads are reported
	lazy       lazy
}

// newDataloader returns the dataloader of a response.
//
// A key is a [readSet]: the Gets that one call of a loader adds to a batch. One key per Get would
// cost a channel, a closure and a cache entry each. Its value is the batch that it was read with,
// which has the results of all its read sets.
//
// The batch function is [Loaders.batch]. The scheduler calls Flush when every task of the operation
// waits for a batch, so the wait time never elapses. The library's own timer would add a
// millisecond to each level of a query at the least, and still split levels under load.
//
// Caching is off, because the index knows read Gets, not read sets: two sets may share a part of
// their Gets.
//
// The library passes the ctx of the first Load of a batch to the batch function. Loads are made
// with the ctx of the response, so that a cancelled field does not fail the reads of others.
// LoadMany is not used: it starts a goroutine for each key.
func (l *Loaders) newDataloader() *dataloader.Loader[*readSet, *merged] {
	return dataloader.NewBatchedLoader(l.batch,
		dataloader.WithWait[*readSet, *merged](math.MaxInt64),
		dataloader.WithCache[*readSet, *merged](&dataloader.NoCache[*readSet, *merged]{}),
		// The capacity is allocated for each batch; the default of 1,000 takes 8 KB.
		dataloader.WithInputCapacity[*readSet, *merged](64),
	)
}

// load adds a read set to the batch that is being collected. The caller holds mu.
func (l *Loaders) load(set *readSet) {
	set.thunk = l.dataloader.Load(l.ctx, set)
	l.scheduler.collect(l.stalled)
}

// batch is the batch function: it sends the Gets of all read sets as one call of the store.
func (l *Loaders) batch(ctx context.Context, sets []*readSet) []*dataloader.Result[*merged] {
	defer l.answered(sets)
	l.mu.Lock()
	m, store := merge(sets), l.store
	if l.scheduler.stalled != nil {
		store = failing{store, l.scheduler.stalled}
	}
	l.mu.Unlock()
	var err error
	m.results, err = l.send(ctx, store, sets, m)
	results := make([]*dataloader.Result[*merged], len(sets))
	for i := range results {
		results[i] = &dataloader.Result[*merged]{Data: m, Error: err}
	}
	return results
}

// answered lets the tasks run again that wait for the read sets.
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

// wait waits until all reads are answered, and returns their results. A task waits for one read set
// at a time: those it wants may be in several batches.
func (l *Loaders) wait(reads []*read) []hbase.Result {
	results := make([]hbase.Result, len(reads))
	var last *readSet
	var batch *merged
	var err error
	for i, r := range reads {
		if r.set != last {
			last = r.set
			l.block(last)
			batch, err = last.thunk()
		}
		if err != nil {
			results[i].Err = err
		} else {
			results[i] = batch.result(r)
		}
	}
	return results
}

// block stops the running task, unless the set is answered: it runs again when it is.
func (l *Loaders) block(set *readSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !set.answered {
		set.waiting++
		l.scheduler.stop()
	}
}

// read asks for reads and waits for their results.
func (l *Loaders) read(ctx context.Context, loader string, requests []request) []hbase.Result {
	return l.wait(l.ask(ctx, loader, requests))
}
