package outbox

import (
	"context"
	"time"

	"twibase/hbase/tables"
)

const (
	// scanInterval is how often Run scans, fullInterval how often it does so from the beginning.
	scanInterval = time.Second
	fullInterval = time.Minute
	// clockSkew is how far another gateway's clock may be behind for a scan to find its new items.
	clockSkew = 30 * time.Second
	// maxPerShard is how many items a scan reads of a shard, the oldest: more are not done before the next.
	maxPerShard = 512
	maxItems    = maxPerShard * tables.OutboxShards
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
	full   time.Time // when the last full scan began; zero before the first
	oldest time.Time // when the oldest item was put, deferred ones too; the time of the scan if there was none
	lag    Lag
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
// items that failed.
func (o *Outbox[T]) scan(ctx context.Context, all bool) error {
	now := o.c.Now()
	o.mu.Lock()
	s := o.scanned
	o.mu.Unlock()
	from := s.oldest.Add(-clockSkew)
	if all || now.Sub(s.full) >= fullInterval {
		from, s.full = time.UnixMilli(0), now
	}
	s.oldest, s.lag = now, Lag{}
	for shard := range tables.OutboxShards {
		if err := o.scanShard(ctx, shard, from, all, &s); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.scanned = s
	o.forgetFailures(now)
	return nil
}

// scanShard queues the available items of one shard, and adds what it found to s. An item that cannot be
// read holds up no other.
func (o *Outbox[T]) scanShard(ctx context.Context, shard int, from time.Time, all bool, s *scanned) error {
	now, found := o.c.Now(), 0
	for row, err := range o.c.Store.Scan(ctx, o.c.Table.Scan(shard, from)) {
		if err != nil {
			return err
		}
		value, ok, err := o.c.Decode(row.Key, row.Cells)
		if err != nil {
			o.c.Log.Error("outbox item is corrupt", "outbox", o.c.Table.Table, "error", err)
		}
		if err != nil || !ok {
			continue
		}
		item := &Item[T]{ID: row.Key[1:], Value: value, outbox: o, lease: tables.LeaseOf(row.Cells)}
		s.add(item.ID, now, o.c.Deferred(value))
		if o.available(item) && (all || !o.backingOff(item.ID, now)) {
			o.queue.add(item.ID)
		}
		if found++; found == maxPerShard {
			break
		}
	}
	return nil
}

// add counts an item.
func (s *scanned) add(id string, now time.Time, deferred bool) {
	put, _ := tables.OpTime(id) // Decode checked it
	if put.After(now) {
		put = now // by a clock that is ahead
	}
	if put.Before(s.oldest) {
		s.oldest = put
	}
	if deferred {
		return
	}
	if s.lag.Pending++; s.lag.Pending == 1 || put.Before(s.lag.Oldest) {
		s.lag.Oldest = put
	}
}
