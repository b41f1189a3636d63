package loaders

import (
	"context"
	"math"
	"slices"
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
	dataloader *dataloader.Loader[*readSet, struct{}]
	asked      index
	last       []read // of the last set that was asked for
	scheduler  scheduler
	trace      *trace // nil unless the reads are reported
	lazy       lazy
}

// newDataloader returns the dataloader of a response.
//
// A key is a [readSet]: the Gets that one call of a loader adds to a batch. One key per Get would
// cost a channel, a closure and a cache entry each. It has no value: a read set knows its batch,
// which has the results.
//
// The batch function is [Loaders.send]. The scheduler calls Flush when every task of the operation
// waits for a batch, so the wait time never elapses. The library's own timer would add a
// millisecond to each level of a query at the least, and still split levels under load.
//
// Caching is off, because the index knows read Gets, not read sets: two sets may share a part of
// their Gets.
//
// The library passes the ctx of the first Load of a batch to the batch function. Loads are made
// with the ctx of the response, so that a cancelled field does not fail the reads of others.
// LoadMany is not used: it starts a goroutine for each key.
func (l *Loaders) newDataloader() *dataloader.Loader[*readSet, struct{}] {
	return dataloader.NewBatchedLoader(l.send,
		dataloader.WithWait[*readSet, struct{}](math.MaxInt64),
		dataloader.WithCache[*readSet, struct{}](&dataloader.NoCache[*readSet, struct{}]{}),
		// The capacity is allocated for each batch; the default of 1,000 takes 8 KB.
		dataloader.WithInputCapacity[*readSet, struct{}](64),
	)
}

// send is the batch function: it sends the Gets of all read sets as one call of the store.
func (l *Loaders) send(ctx context.Context, sets []*readSet) []*dataloader.Result[struct{}] {
	defer l.answered(sets)
	b, store := l.merged(sets)
	l.get(ctx, store, b)
	return slices.Repeat([]*dataloader.Result[struct{}]{{}}, len(sets))
}

// merged returns the batch of the read sets, and the store to read it from.
func (l *Loaders) merged(sets []*readSet) (*batch, hbase.Store) {
	l.mu.Lock()
	defer l.mu.Unlock() // also if merge panics: answered locks it again
	b := merge(sets)
	b.err = l.scheduler.stalled
	return b, l.store
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
