package outbox

import (
	"context"
	"fmt"
	"slices"
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
	// maxPerShard is how many items a scan reads of a shard, the oldest: more are not done before the next.
	maxPerShard = 512
	maxItems    = maxPerShard * tables.OutboxShards
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

// scan queues the items that are available. If all is set, it reads from the beginning and does not wait for
// items that failed. Items that cannot be read hold up no other: they are logged, and their errors returned.
func (o *Outbox[T]) scan(ctx context.Context, all bool) (corrupt []error, err error) {
	now := o.c.Now()
	to := now.Add(-o.c.MinAge)
	o.mu.Lock()
	s := o.scanned
	o.mu.Unlock()
	if all || now.Sub(s.full) >= fullInterval {
		s = scanned{full: now, from: time.UnixMilli(0)}
	} else if latest := to.Add(-clockSkew); s.from.After(latest) { // the clock was put back
		s.from = latest
	}
	rows, err := o.rows(ctx, s, to)
	if err != nil {
		return nil, err
	}
	var items []*Item[T]
	for _, row := range rows {
		item, ok, err := o.decode(row.Key, row.Cells)
		if err != nil {
			o.c.Log.Error("outbox item is corrupt", "outbox", o.c.Table.Table, "error", err)
			corrupt = append(corrupt, fmt.Errorf("%s: %w", o.c.Table.Table, err))
		} else if ok {
			items = append(items, item)
		}
	}
	for _, item := range items {
		if o.available(item) && (all || !o.backingOff(item.ID, now)) {
			o.queueOf(item.Value).add(item.ID)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.scanned = o.summary(items, now)
	o.scanned.full = s.full
	o.forgetFailures(now)
	return corrupt, nil
}

// rows reads the items that were put before to: those of a range, and the earlier ones.
func (o *Outbox[T]) rows(ctx context.Context, s scanned, to time.Time) (rows []hbase.Row, err error) {
	if o.c.MinAge == 0 {
		to = time.Time{} // other clocks may be ahead
	}
	ctx, over := o.c.Observe(ctx, *new(T), "scan")
	defer over()
	var shards [tables.OutboxShards][]hbase.Row
	g, scanning := errgroup.WithContext(ctx)
	for shard := range shards {
		g.Go(func() error {
			for row, err := range o.c.Store.Scan(scanning, o.c.Table.Scan(shard, s.from, to)) {
				if err != nil {
					return err
				}
				if shards[shard] = append(shards[shard], row); len(shards[shard]) == maxPerShard {
					break
				}
			}
			return nil
		})
	}
	err = g.Wait()
	rows = slices.Concat(shards[:]...)
	if err != nil {
		return nil, err
	}
	gets := make([]hbase.Get, len(s.earlier))
	for i, id := range s.earlier {
		gets[i] = o.c.Table.Get(id)
	}
	cells, err := hbase.GetAll(ctx, o.c.Store, gets)
	for i := range cells {
		rows = append(rows, hbase.Row{Key: gets[i].Row, Cells: cells[i]})
	}
	return rows, err
}

// summary says what the next scan has to read, and what waits, given all items that a scan found.
func (o *Outbox[T]) summary(items []*Item[T], now time.Time) (s scanned) {
	s.from = now.Add(-o.c.MinAge - clockSkew)
	var pending []*Item[T]
	for _, item := range items {
		if len(items) > maxEarlier && item.put.Add(-clockSkew).Before(s.from) {
			s.from = item.put.Add(-clockSkew)
		}
		if !o.c.Deferred(item.Value) {
			pending = append(pending, item)
		}
	}
	for _, item := range items {
		if item.put.Before(s.from) {
			s.earlier = append(s.earlier, item.ID)
		}
	}
	for i, item := range pending {
		put := item.put
		if put.After(now) {
			put = now // by a clock that is ahead
		}
		if i == 0 || put.Before(s.lag.Oldest) {
			s.lag.Oldest = put
		}
	}
	s.lag.Pending = len(pending)
	return s
}
