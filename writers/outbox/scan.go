package outbox

import (
	"context"
	"fmt"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	scanInterval = time.Second
	fullInterval = time.Minute
	// clockSkew is the tolerated delay of other gateways' clocks.
	clockSkew = 10 * time.Second
	// maxPerShard limits the queued items per shard.
	maxPerShard = 512
	maxEarlier  = 128 // items that a scan reads by key
)

// Lag is the pending work.
type Lag struct {
	// Pending is the number of items of all gateways, up to 4096. It excludes deferred items and
	// items younger than MinAge.
	Pending int
	Oldest  time.Time
}

type scanned struct {
	full time.Time // start of the last full scan
	lag  Lag
	// from is the start of the next scan. Earlier items are read by key, because a scan from the
	// oldest would read the delete markers of all items removed since.
	from    time.Time
	earlier []string
}

// Lag returns the pending work as of the last scan.
func (o *Outbox[T]) Lag() Lag {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.scanned.lag
}

// PendingSince is when the id of the oldest pending item was made. It is zero if there is none, and
// 1970 before the first scan.
func (o *Outbox[T]) PendingSince() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.scanned.full.IsZero() {
		return time.UnixMilli(0)
	}
	return o.scanned.lag.Oldest
}

type found[T any] struct {
	items   []*Item[T]
	corrupt []error
	queued  int
}

// If all is true, scan is full and without backoff. The errors of corrupt items are logged and
// returned.
func (o *Outbox[T]) scan(ctx context.Context, all bool) (corrupt []error, err error) {
	now := o.now()
	to := now.Add(-o.c.MinAge)
	o.mu.Lock()
	s := o.scanned
	o.mu.Unlock()
	if all || now.Before(s.full) || now.Sub(s.full) >= fullInterval {
		s = scanned{full: now, from: time.UnixMilli(0)}
	} else if latest := to.Add(-clockSkew); s.from.After(latest) { // the clock was set back
		s.from = latest
	}
	if o.c.MinAge == 0 {
		to = time.Time{} // other clocks may be ahead
	}
	var f found[T]
	if err := o.scanShards(ctx, &f, s.from, to, all); err != nil {
		return nil, err
	}
	if err := o.readEarlier(ctx, &f, s.earlier, all); err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.scanned = o.summary(f.items, now)
	o.scanned.full = s.full
	// If the time of a retry passed long ago, another gateway has completed the item.
	maps.DeleteFunc(o.failures, func(_ string, f failure) bool { return now.Sub(f.retry) > fullInterval })
	return f.corrupt, nil
}

// The limit per shard counts only queued items, because the others could hide newer ones.
func (o *Outbox[T]) scanShards(ctx context.Context, f *found[T], from, to time.Time, all bool) error {
	ctx, ended := o.c.Observe(ctx, *new(T), "scan")
	defer ended()
	var shards [tables.OutboxShards]found[T]
	g, scanning := errgroup.WithContext(ctx)
	for shard := range shards {
		g.Go(func() error {
			for row, err := range o.c.Store.Scan(scanning, o.c.Table.Scan(shard, from, to)) {
				if err != nil {
					return err
				}
				if o.found(&shards[shard], row, all); shards[shard].queued == maxPerShard {
					break
				}
			}
			return nil
		})
	}
	err := g.Wait()
	for _, shard := range shards {
		f.items, f.corrupt = append(f.items, shard.items...), append(f.corrupt, shard.corrupt...)
	}
	return err
}

func (o *Outbox[T]) readEarlier(ctx context.Context, f *found[T], earlier []string, all bool) error {
	gets := make([]hbase.Get, len(earlier))
	for i, id := range earlier {
		gets[i] = o.c.Table.Get(id)
	}
	cells, err := hbase.GetAll(ctx, o.c.Store, gets)
	for i := range cells {
		o.found(f, hbase.Row{Key: gets[i].Row, Cells: cells[i]}, all)
	}
	return err
}

func (o *Outbox[T]) found(f *found[T], row hbase.Row, all bool) {
	item, ok, err := o.decode(row.Key, row.Cells)
	if err != nil {
		o.c.Log.Error("outbox item is corrupt", "outbox", o.c.Table.Table, "error", err)
		f.corrupt = append(f.corrupt, fmt.Errorf("%s: %w", o.c.Table.Table, err))
	}
	if err != nil || !ok {
		return
	}
	f.items = append(f.items, item)
	if !o.available(item) || !all && o.backingOff(item.ID) {
		return
	}
	f.queued++
	if item.Long {
		o.long.add(item.ID)
	} else {
		o.queue.add(item.ID)
	}
}

func (o *Outbox[T]) summary(items []*Item[T], now time.Time) (s scanned) {
	s.from = now.Add(-o.c.MinAge - clockSkew)
	for _, item := range items {
		if since := item.put.Add(-clockSkew); len(items) > maxEarlier && since.Before(s.from) {
			s.from = since
		}
	}
	for _, item := range items {
		if item.put.Before(s.from) {
			s.earlier = append(s.earlier, item.ID)
		}
		if item.Deferred {
			continue
		}
		put := item.put
		if put.After(now) {
			put = now
		}
		if s.lag.Pending == 0 || put.Before(s.lag.Oldest) {
			s.lag.Oldest = put
		}
		s.lag.Pending = min(s.lag.Pending+1, maxWaiting)
	}
	return s
}
