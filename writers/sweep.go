package writers

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	// oldIntent is after how long a write is taken for left behind, leased how long who carries it on is left alone: if that one dies, too, the
	// next has to be done within ten seconds of its start.
	oldIntent = 5 * time.Second
	leased    = 4 * time.Second
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

// Run sweeps, until ctx ends.
func (w *Writers) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.Sweep(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("a sweep failed", "error", err)
		}
		sleep(ctx, tick)
	}
}

// Sweep finishes the writes that were begun more than 5 seconds ago, by whichever gateway, and that nobody else has taken on.
// It returns their errors, after it tried them all. While one sweep of this gateway runs, another does nothing.
func (w *Writers) Sweep(ctx context.Context) error {
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
	to := now.Add(-oldIntent)
	old, oldest, err := w.old(ctx, from, to)
	if err != nil {
		return err
	}
	errs := make([]error, len(old))
	var g errgroup.Group
	g.SetLimit(w.parallel)
	for i, row := range old {
		g.Go(func() error {
			if errs[i] = w.sweep(ctx, row); errs[i] != nil {
				errs[i] = port{w, "sweep"}.failed(row.Key[1:], errs[i])
			}
			return nil
		})
	}
	_ = g.Wait()
	w.sweeper.from = oldest.Add(-skew)
	if whole {
		w.sweeper.whole = now
	}
	return errors.Join(errs...)
}

// old returns the rows of all intents of a time, and when the oldest of them began, to if there is none.
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
	return rows, oldest, nil
}

// sweep finishes one write, unless somebody else does.
func (w *Writers) sweep(ctx context.Context, row hbase.Row) error {
	x, err := w.parse(row.Key, row.Cells)
	if err != nil || x == nil {
		return err
	}
	if w.waits(x.intent.ID) {
		return nil
	}
	if _, first := w.begin(x.intent.ID); !first {
		return nil
	}
	defer w.over(x.intent.ID)
	until, lease := tables.Intents.Leased(row.Cells)
	now := w.now()
	if now.Before(until) || now.UnixMilli() < x.intent.Due {
		return nil
	}
	// Two who carry on one write do no harm. The lease only saves work.
	mine, err := x.checkAndPut(ctx, "sweep, lease", hbase.Check{Family: tables.Attributes, Qualifier: tables.LeaseColumn, Value: lease},
		hbase.Put{Table: tables.Intents.Table, Row: row.Key, Cells: []hbase.Cell{tables.Intents.Lease(x.intent, w.holder, now.Add(leased))}})
	if err != nil || !mine {
		return err
	}
	decided := tables.Intents.Marked(row.Cells)
	if !decided {
		decided, err = x.decided(ctx)
	}
	if err != nil {
		return err
	}
	if !decided {
		w.Counters.Fenced.Add(1)
		return x.mutate(ctx, write{"sweep, forget", tables.Intents.Remove(x.intent)})
	}
	w.Counters.Swept.Add(1)
	return x.finish(ctx, nil)
}

// decided reports whether a write was decided and may not be whole. If it was not decided, it never will be.
func (x *execution) decided(ctx context.Context) (bool, error) {
	if x.intent.Table == "" {
		return true, nil
	}
	for range maxTries {
		row, err := x.one(ctx, "sweep, read", x.lastGet())
		if err != nil {
			return false, err
		}
		last, err := tables.DecodeOp(row)
		switch id, _ := tables.DecidedBy(last); {
		case err != nil:
			return false, err
		case id == x.intent.ID:
			return true, nil
		case last != x.intent.After:
			_, marked, err := x.stands(ctx, "sweep, own intent")
			return marked, err
		}
		// A fence is a decision like any other: the one before must be whole.
		if err := x.w.help(ctx, x.port, x.intent.After); err != nil {
			return false, err
		}
		if done, err := x.fence(ctx, row); done || err != nil && !errors.Is(err, hbase.ErrUnavailable) {
			return false, err
		}
	}
	return false, x.failed("sweep", hbase.ErrUnavailable)
}
