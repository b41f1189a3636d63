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
	// scanInterval is how often Run scans, fullInterval how often it does so from the beginning.
	scanInterval = time.Second
	fullInterval = time.Minute
	// clockSkew is how far another gateway's clock may be behind for a scan to find its new items.
	clockSkew = 10 * time.Second
	// maxPerShard is how many items a scan queues of a shard, the oldest: more are not done before the next.
	maxPerShard = 512
	// maxEarlier is how many items a scan reads by their keys.
	maxEarlier = 128
)

// Lag is how far the work is behind, as of the last scan.
type Lag struct {
	// Pending is how many items of all gateways are not done and not deferred, up to 4096.
	Pending int
	// Oldest is when the oldest of them was put; the zero time if there is none.
	Oldest time.Time
}

// scanned is the result of the last scan.
type scanned struct {
	full time.Time // when the last full scan began; zero before the first
	lag  Lag
	// from is where the next scan begins. It reads the earlier items by their keys: so a few that stay for long
	// do not make it go through the deletion markers of all that were removed since.
	from    time.Time
	earlier []string
}

// Lag returns how far the work is behind.
func (o *Outbox[T]) Lag() Lag {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.scanned.lag
}

// PendingSince returns when the oldest pending item was put. It is the zero time if there is none, and 1970
// before the first scan: then there may be one of any age.
func (o *Outbox[T]) PendingSince() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.scanned.full.IsZero() {
		return time.UnixMilli(0)
	}
	return o.scanned.lag.Oldest
}

// found is what a scan finds in a shard.
type found[T any] struct {
	items   []*Item[T]
	corrupt []error
	queued  int
}

// scan queues the items that are available. If all is set, it reads from the beginning and does not wait for
// items that failed. Items that cannot be read hold up no other: they are logged, and their errors returned.
func (o *Outbox[T]) scan(ctx context.Context, all bool) (corrupt []error, err error) {
	now := o.now()
	to := now.Add(-o.c.MinAge)
	o.mu.Lock()
	s := o.scanned
	o.mu.Unlock()
	if all || now.Before(s.full) || now.Sub(s.full) >= fullInterval {
		s = scanned{full: now, from: time.UnixMilli(0)}
	} else if latest := to.Add(-clockSkew); s.from.After(latest) { // the clock was put back
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
	// Another gateway did the items that were to be tried again long ago.
	maps.DeleteFunc(o.failures, func(_ string, f failure) bool { return now.Sub(f.retry) > fullInterval })
	return f.corrupt, nil
}

// scanShards reads the items that were put in a range of time. It ends behind maxPerShard items that are available,
// not behind as many rows: those that are not would hide younger ones for as long as they stay.
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
				if o.take(&shards[shard], row, all); shards[shard].queued == maxPerShard {
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

// readEarlier reads the items that are older than the range of the scan.
func (o *Outbox[T]) readEarlier(ctx context.Context, f *found[T], earlier []string, all bool) error {
	gets := make([]hbase.Get, len(earlier))
	for i, id := range earlier {
		gets[i] = o.c.Table.Get(id)
	}
	cells, err := hbase.GetAll(ctx, o.c.Store, gets)
	for i := range cells {
		o.take(f, hbase.Row{Key: gets[i].Row, Cells: cells[i]}, all)
	}
	return err
}

// take decodes a row, and queues its item if that is available.
func (o *Outbox[T]) take(f *found[T], row hbase.Row, all bool) {
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

// summary says what the next scan has to read, and what waits, given all items that a scan found.
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
			put = now // by a clock that is ahead
		}
		if s.lag.Pending == 0 || put.Before(s.lag.Oldest) {
			s.lag.Oldest = put
		}
		s.lag.Pending = min(s.lag.Pending+1, maxWaiting)
	}
	return s
}
