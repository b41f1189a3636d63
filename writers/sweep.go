package writers

import (
	"context"
	"errors"
	"sync"
	"time"
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
			failed(client{w, "sweep"}.failed(f.intent.ID, err))
		}
	}
	return &sweeping{w, failed, newWorkers(w, w.parallel, do), newWorkers(w, backgroundLimit, do)}
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
	from, open, whole := w.sweeper.from, w.sweeper.open, now.Sub(w.sweeper.whole) >= wholeSweep
	if whole {
		from, open = time.UnixMilli(0), nil
	}
	to := now.Add(-oldIntent)
	if latest := to.Add(-skew); from.After(latest) {
		from = latest // the clock was put back
	}
	rows, err := w.old(ctx, from, to, open)
	if err != nil {
		return err
	}
	w.sweeper.came(to, rows)
	if whole {
		w.sweeper.whole = now
	}
	var short, long []found
	for _, row := range rows {
		x, err := w.parse(row.Key, row.Cells)
		if err != nil {
			s.failed(client{w, "sweep"}.failed(row.Key[1:], err))
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
