package embedded

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// Reads skip garbage. The cleaner removes a row's garbage after a read that skipped at least
// tolerated entries, or that skipped garbage and found no cell. Garbage is:
//
//   - masked versions and expired versions
//   - versions beyond the family's VERSIONS, if a column has more than tolerated of them
//   - markers older than [hbase.TimeToPurgeDeletes], as in a major compaction of HBase
//
// Tables with a TTL are also cleaned completely when the store opens and every expiryInterval.
const (
	tolerated      = 32
	maxQueued      = 1024
	expiryInterval = time.Hour
)

type cleaner struct {
	store *Store
	// queue holds rows' key prefixes.
	queue  chan string
	cancel context.CancelFunc
	done   chan struct{}
}

func startCleaner(s *Store) *cleaner {
	ctx, cancel := context.WithCancel(context.Background())
	c := &cleaner{store: s, queue: make(chan string, maxQueued), cancel: cancel, done: make(chan struct{})}
	go c.run(ctx)
	return c
}

func (c *cleaner) stop() {
	c.cancel()
	<-c.done
}

// offer queues a row that needs cleaning. If the queue is full, a later read offers it again.
func (c *cleaner) offer(r *reader, empty bool) {
	if r.garbage == 0 || r.garbage < tolerated && !empty {
		return
	}
	select {
	case c.queue <- string(r.rowKey):
	default:
	}
}

func (c *cleaner) run(ctx context.Context) {
	defer close(c.done)
	ticks := time.NewTicker(expiryInterval)
	defer ticks.Stop()
	c.expire(ctx)
	for {
		select {
		case <-ticks.C:
			c.expire(ctx)
		case <-ctx.Done():
			return
		case row := <-c.queue:
			c.report(ctx, c.store.clean(ctx, []byte(row)))
		}
	}
}

func (c *cleaner) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, hbase.ErrClosed) {
		c.store.log.Error("a row of the embedded store can't be cleaned", "error", err)
	}
}

func (c *cleaner) expire(ctx context.Context) {
	var row []byte
	for err := error(nil); err == nil; {
		if row, err = c.store.nextExpiring(ctx, row); row == nil && err == nil {
			return
		} else if err == nil {
			err = c.store.clean(ctx, row)
		}
		c.report(ctx, err)
	}
}

func (s *Store) nextExpiring(ctx context.Context, after []byte) (row []byte, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	if after != nil {
		after = prefixEnd(after)
	}
	for _, t := range s.tables {
		if !slices.ContainsFunc(t.families, func(f family) bool { return f.ttl > 0 }) {
			continue
		}
		lower, upper := appendTable(nil, t.id), appendTable(nil, t.id+1)
		if bytes.Compare(after, lower) > 0 {
			lower = after
		}
		if bytes.Compare(lower, upper) >= 0 {
			continue
		}
		r, err := s.reader(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
		if err != nil {
			return nil, err
		}
		if r.seek(lower); r.valid {
			key := bytes.Clone(r.key[:split(r.key)])
			if row == nil || bytes.Compare(key, row) < 0 {
				row = key
			}
		}
		err = r.it.Error()
		r.close()
		if err != nil {
			return nil, storeError(err)
		}
	}
	return row, nil
}

// clean locks the row. Otherwise a concurrent put could add a version that a removed marker must
// mask. The removal is not synced, so after a crash the garbage may be back.
func (s *Store) clean(ctx context.Context, row []byte) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	t := s.tableOf(row)
	if t == nil {
		return nil
	}
	key, err := decodeRow(new(arena), row)
	if err != nil {
		return err
	}
	// rowState.begin is not called: the removal changes no result of a read, so cached rows stay
	// valid.
	state := &s.rows[rowIndex(t.id, key)]
	state.Lock()
	defer state.Unlock()
	r, err := s.reader(&pebble.IterOptions{LowerBound: row, UpperBound: prefixEnd(bytes.Clone(row))})
	if err != nil {
		return err
	}
	defer r.close()
	b := s.db.NewBatch()
	defer b.Close()
	for _, f := range t.families {
		r.family = append(append(append(r.family[:0], row...), f.name...), 0)
		r.seek(r.family)
		if err := r.sweepFamily(f, b); err != nil {
			return err
		}
	}
	if b.Empty() {
		return storeError(r.it.Error())
	}
	return storeError(errors.Join(r.it.Error(), b.Commit(pebble.NoSync)))
}

func (s *Store) tableOf(row []byte) *table {
	for _, t := range s.tables {
		if bytes.HasPrefix(row, appendTable(nil, t.id)) {
			return t
		}
	}
	return nil
}

func (r *reader) sweepFamily(f family, b *pebble.Batch) error {
	r.masked = -1
	for ; r.in(r.family); r.next() {
		timestamp, ok := familyMarker(r.key[len(r.family):])
		if !ok {
			break
		}
		r.masked = max(r.masked, timestamp)
		if err := r.sweepMarker(b); err != nil {
			return err
		}
	}
	for r.in(r.family) {
		if err := r.sweepColumn(f, b); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) sweepColumn(f family, b *pebble.Batch) error {
	n := len(r.key) - tailLength
	if n < len(r.family)+len(terminator) {
		return badKey(r.key)
	}
	r.column = append(r.column[:0], r.key[:n]...)
	masked, visible := r.masked, 0
	var superseded [][]byte
	for ; r.in(r.column); r.next() {
		timestamp, kind, ok := version(r.key[n:])
		switch {
		case !ok:
			return badKey(r.key)
		case kind != kindPut:
			masked = max(masked, timestamp)
			if err := r.sweepMarker(b); err != nil {
				return err
			}
			continue
		case timestamp <= masked || r.expired(f.ttl, timestamp):
			_ = b.Delete(r.key, nil)
			continue
		}
		if visible++; visible > f.versions {
			superseded = append(superseded, bytes.Clone(r.key))
		}
	}
	if len(superseded) > tolerated {
		for _, key := range superseded {
			_ = b.Delete(key, nil)
		}
	}
	return nil
}

func (r *reader) sweepMarker(b *pebble.Batch) error {
	expired, err := r.markerExpired()
	if expired {
		_ = b.Delete(r.key, nil)
	}
	return err
}
