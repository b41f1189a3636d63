// Package feeds keeps timelines: it does in the background what follows from posting and deleting a twit, and from following and
// unfollowing its author. What is to be done is in the store, as [tables.Job], so any gateway does it, and a crash loses none.
//
// A job may be done twice, or by two at once: the entries of timelines are columns of which each write says the same. docs/FEEDS.md says
// why none is missing or left behind.
package feeds

import (
	"context"
	crypto "crypto/rand"
	"encoding/binary"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Options are what a gateway may set. The zero value is good.
type Options struct {
	// Limit is how many followers an author may have whose twits are put into all their timelines: [tables.FanoutLimit] if it is 0.
	Limit int
	// TimelineBound is how many entries a timeline keeps: [tables.TimelineBound] if it is 0, less in tests.
	TimelineBound int
	// Chunk is how many entries are written together: 2,500 if it is 0, less in tests.
	Chunk int
	// Log is told of what failed and will be tried again; nil drops it.
	Log *slog.Logger
	// Done is told of each job that this gateway has done, and must not wait; nil is nobody.
	Done func(tables.Job)
	// Now is the clock; nil is the machine's.
	Now func() time.Time
	// Seed makes leases and the ids of jobs repeatable, for tests; nil is chance.
	Seed rand.Source
}

const (
	// leased is how long who has taken a job is left alone.
	leased = 4 * time.Second
	// grace is longer than any request takes that reads a timeline.
	grace = 40 * time.Second
	// tick is how often a gateway looks for jobs of others, whole how often it looks for all of them from the beginning of time,
	// skew how much later than others' its jobs may be noted for it to find them in between.
	tick  = time.Second
	whole = time.Minute
	skew  = 30 * time.Second
	// workers is how many jobs a gateway does side by side: a long one does not hold up all others.
	workers = 4
	// page is how many jobs of a shard, the oldest, a look finds: more would not be done before the next one.
	page = 512
)

// Feeds are the timelines' keeper of one gateway. All methods may be called concurrently.
type Feeds struct {
	store  hbase.Store
	o      Options
	holder string

	mu     sync.Mutex
	chance *rand.Rand
	// waiting are the jobs to be done by this gateway, the oldest first; doing those that it is at.
	waiting []tables.Job
	doing   map[string]bool
	awake   chan struct{}
	lag     Lag
	from    time.Time // before which there was no job at the last look
	looked  time.Time // when all were looked for
}

// Lag is how far the timelines are behind, as of the last look.
type Lag struct {
	// Pending is how many jobs there are of all gateways that have something to do, 512 of each of 8 shards at most; Oldest is when the
	// oldest of them was given, zero if there is none.
	Pending int
	Oldest  time.Time
}

// New returns the keeper of the timelines of a store whose tables exist.
func New(store hbase.Store, o Options) *Feeds {
	if o.Limit == 0 {
		o.Limit = tables.FanoutLimit
	}
	if o.TimelineBound == 0 {
		o.TimelineBound = tables.TimelineBound
	}
	if o.Chunk == 0 {
		o.Chunk = 2500
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Done == nil {
		o.Done = func(tables.Job) {}
	}
	if o.Seed == nil {
		var seed [16]byte
		_, _ = crypto.Read(seed[:])
		o.Seed = rand.NewPCG(binary.BigEndian.Uint64(seed[:8]), binary.BigEndian.Uint64(seed[8:]))
	}
	chance := rand.New(o.Seed)
	host, _ := os.Hostname()
	return &Feeds{store: store, o: o, holder: host + "/" + strconv.FormatUint(chance.Uint64(), 36), chance: chance, doing: map[string]bool{},
		awake: make(chan struct{}, workers)}
}

func (f *Feeds) newOp() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return tables.NewOp(f.o.Now(), f.chance.Uint64())
}

// Lag tells how far the timelines are behind.
func (f *Feeds) Lag() Lag {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lag
}

// PendingSince tells since when there is something that timelines wait for, or since when there may be if that has not been looked for yet; the zero time
// if there is nothing.
func (f *Feeds) PendingSince() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looked.IsZero() {
		return time.UnixMilli(0)
	}
	return f.lag.Oldest
}

// Notify tells of a job that is in the store: it is done at once, unless older ones are. Without Notify it is found a little later.
func (f *Feeds) Notify(e tables.Job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doing[e.ID] {
		return
	}
	i, found := slices.BinarySearchFunc(f.waiting, e, func(a, b tables.Job) int { return strings.Compare(a.ID, b.ID) })
	if found {
		return
	}
	f.waiting = slices.Insert(f.waiting, i, e)
	if len(f.waiting) > page*tables.JobShards {
		f.waiting = f.waiting[:len(f.waiting)-1] // it is found when its time comes
	}
	select {
	case f.awake <- struct{}{}:
	default: // as many as there are workers will look again
	}
}

// next takes the oldest job that waits.
func (f *Feeds) next() (tables.Job, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waiting) == 0 {
		return tables.Job{}, false
	}
	e := f.waiting[0]
	f.waiting = slices.Delete(f.waiting, 0, 1)
	f.doing[e.ID] = true
	return e, true
}

func (f *Feeds) over(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.doing, id)
}

// Run does jobs, those that it is given and those that other gateways left, until ctx ends.
func (f *Feeds) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				if e, ok := f.next(); ok {
					f.try(ctx, e)
					continue
				}
				select {
				case <-f.awake:
				case <-ctx.Done():
				}
			}
		})
	}
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for ctx.Err() == nil {
		if err := f.look(ctx); err != nil && ctx.Err() == nil {
			f.o.Log.Warn("looking for jobs failed", "error", err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
	all.Wait()
}

// Sweep does all jobs that nobody else has taken, and returns the first error after it tried them all.
func (f *Feeds) Sweep(ctx context.Context) error {
	var errs []error
	for {
		f.mu.Lock()
		f.looked = time.Time{}
		f.mu.Unlock()
		if err := f.look(ctx); err != nil {
			return err
		}
		done := 0
		for e, ok := f.next(); ok; e, ok = f.next() {
			if err := f.try(ctx, e); err != nil {
				errs = append(errs, err)
			} else {
				done++
			}
		}
		if done == 0 || len(errs) > 0 {
			return errors.Join(errs...)
		}
	}
}

// look finds the jobs that nobody is at.
func (f *Feeds) look(ctx context.Context) error {
	now := f.o.Now()
	f.mu.Lock()
	from, all := f.from, now.Sub(f.looked) >= whole
	f.mu.Unlock()
	if all {
		from = time.UnixMilli(0)
	}
	lag, oldest := Lag{Oldest: now}, now
	for shard := range tables.JobShards {
		found := 0
		for row, err := range f.store.Scan(ctx, tables.Jobs.Scan(shard, from)) {
			if err != nil {
				return err
			}
			e, ok, err := tables.Jobs.Decode(row.Key, row.Cells)
			if err != nil {
				f.o.Log.Error("a job can't be read", "error", err)
			}
			if !ok || err != nil {
				continue
			}
			at, _ := tables.OpTime(e.ID)
			if at.Before(oldest) {
				oldest = at
			}
			if tables.Jobs.Taken(row.Cells).Cursor != resting {
				lag.Pending++
				lag.Oldest = time.UnixMilli(min(lag.Oldest.UnixMilli(), at.UnixMilli()))
			}
			if f.free(row.Cells) {
				f.Notify(e)
			}
			if found++; found == page {
				break
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.from = oldest.Add(-skew)
	if all {
		f.looked = now
	}
	if f.lag = lag; lag.Pending == 0 {
		f.lag = Lag{}
	}
	return nil
}

func (f *Feeds) mine(lease []byte) bool { return strings.HasSuffix(string(lease), " "+f.holder) }
