package writers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	// oldIntent is after how long a write is taken for left behind.
	oldIntent = 5 * time.Second
	// tick is how often Run sweeps, wholeSweep how often it does so from the beginning of time, skew how much later than others a gateway's
	// clock may be for its intents to be found in between.
	tick       = time.Second
	wholeSweep = time.Minute
	skew       = 10 * time.Second
)

// sweeper is how far the sweeps have come.
type sweeper struct {
	mu sync.Mutex
	// from is the time before which there was no intent at the last whole sweep. Where many intents were removed a scan is slow.
	from  time.Time
	whole time.Time
}

// Run sweeps, until ctx ends. It does not wait for what it finds before it looks again, but returns when all that it began is over: that goes
// on until Close has waited long enough.
func (w *Writers) Run(ctx context.Context) {
	work, cancel := w.outlive(ctx)
	defer cancel()
	warn := func(err error) {
		if work.Err() == nil {
			w.log.Warn("a sweep failed", "error", err)
		}
	}
	s := w.sweeping(work, warn)
	for ctx.Err() == nil {
		if err := s.look(ctx); err != nil && ctx.Err() == nil {
			warn(err)
		}
		sleep(ctx, tick)
	}
	s.stop()
	s.wait()
}

// Sweep finishes the writes that were begun more than 5 seconds ago, by whichever gateway, and that nobody else carries on. It returns
// their errors, after it tried them all. While one sweep of this gateway looks for them, another does nothing.
func (w *Writers) Sweep(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.life, cancel)()
	var mu sync.Mutex
	var errs []error
	s := w.sweeping(ctx, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
	})
	err := s.look(ctx)
	s.wait()
	return errors.Join(append(errs, err)...)
}

// sweeping is what Run, or one Sweep, has begun. What goes through lists has workers of its own, so that nothing else waits for it.
type sweeping struct {
	w           *Writers
	failed      func(error)
	short, long *workers
}

// sweeping begins one. Its work ends with ctx; failed is told of each write that could not be finished.
func (w *Writers) sweeping(ctx context.Context, failed func(error)) *sweeping {
	do := func(f found) {
		if err := w.sweep(ctx, f); err != nil {
			failed(port{w, "sweep"}.failed(f.intent.ID, err))
		}
	}
	return &sweeping{w, failed, newWorkers(w, w.parallel, do), newWorkers(w, background, do)}
}

// look finds the old intents that nobody carries on, and gives them to the workers.
func (s *sweeping) look(ctx context.Context) error {
	w := s.w
	if err := w.enter(); err != nil {
		return err
	}
	defer w.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.life, cancel)()
	if !w.sweeper.mu.TryLock() {
		return nil
	}
	defer w.sweeper.mu.Unlock()
	now := w.now()
	from, whole := w.sweeper.from, now.Sub(w.sweeper.whole) >= wholeSweep
	if whole {
		from = time.UnixMilli(0)
	}
	rows, oldest, err := w.old(ctx, from, now.Add(-oldIntent))
	if err != nil {
		return err
	}
	w.sweeper.from = oldest.Add(-skew)
	if whole {
		w.sweeper.whole = now
	}
	var short, long []found
	for _, row := range rows {
		x, err := w.parse(row.Key, row.Cells)
		if err != nil {
			s.failed(port{w, "sweep"}.failed(row.Key[1:], err))
			continue
		}
		switch f := (found{x, row.Cells}); {
		case x == nil || !f.idle():
		case x.long():
			long = append(long, f)
		default:
			short = append(short, f)
		}
	}
	s.short.give(short)
	s.long.give(long)
	return nil
}

// stop lets nothing be begun any more, wait waits until all that was given is done.
func (s *sweeping) stop() {
	s.short.give(nil)
	s.long.give(nil)
}

func (s *sweeping) wait() {
	s.short.wait()
	s.long.wait()
}

// old returns the rows of all intents of a time, the oldest first, and when that began, to if there is none.
func (w *Writers) old(ctx context.Context, from, to time.Time) (rows []hbase.Row, oldest time.Time, err error) {
	oldest = to
	if !from.Before(to) {
		return nil, oldest, nil
	}
	shards := make([][]hbase.Row, tables.IntentShards)
	g, scanning := errgroup.WithContext(ctx)
	g.SetLimit(w.parallel)
	for shard := range shards {
		g.Go(func() error {
			scan := tables.Intents.Scan(shard, from, to)
			scan.PageSize = page
			for row, err := range w.store.Scan(port{w, "sweep"}.traced(scanning, "scan"), scan) {
				if err != nil {
					return err
				}
				shards[shard] = append(shards[shard], row)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, oldest, err
	}
	for _, shard := range shards {
		for _, row := range shard {
			id, err := tables.Intents.IDOf(row.Key)
			if err != nil {
				return nil, oldest, err
			}
			if at, err := tables.OpTime(id); err == nil && at.Before(oldest) {
				oldest = at
			}
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b hbase.Row) int { return cmp.Compare(a.Key[1:], b.Key[1:]) })
	return rows, oldest, nil
}
