package embedded

import (
	"context"
	"sync"
	"time"
)

// What reads pass over without an answer is garbage, and the cleaner removes it from the rows in which reads met much of it:
//
//   - a version that a marker masks, at once: while the marker is there, nothing can be told;
//   - versions beyond the family's VERSIONS, when a column has tolerated of them. HBase keeps them until a flush and
//     makes no promise about them;
//   - a marker that was written more than markerAge ago, with all that it masks, as a major compaction of HBase does. Until
//     then a put of an older timestamp that comes late stays masked.
//
// A row that is never read is never cleaned: it costs disk, not time.
const (
	tolerated = 32
	markerAge = time.Hour
	// cleanBatch is how many entries are removed at a time, maxQueued how many rows may wait.
	cleanBatch = 4096
	maxQueued  = 1024
)

type cleaner struct {
	store *Store
	mu    sync.Mutex
	// queued are the prefixes of the rows to clean.
	queued map[string]struct{}
	wake   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

func startCleaner(s *Store) *cleaner {
	ctx, cancel := context.WithCancel(context.Background())
	c := &cleaner{store: s, queued: map[string]struct{}{}, wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go c.run(ctx)
	return c
}

func (c *cleaner) stop() {
	c.cancel()
	<-c.done
}

// offer queues the row that r just read if that is worth it: a row without an answer should cost nothing.
func (c *cleaner) offer(r *reader, row []byte, empty bool) {
	if r.garbage == 0 || r.garbage < tolerated && !empty {
		return
	}
	c.mu.Lock()
	if len(c.queued) < maxQueued {
		c.queued[string(row)] = struct{}{}
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *cleaner) take() (row []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.queued {
		delete(c.queued, key)
		return []byte(key), true
	}
	return nil, false
}

func (c *cleaner) run(ctx context.Context) {
	defer close(c.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		for row, ok := c.take(); ok; row, ok = c.take() {
			if err := c.store.clean(ctx, row); err != nil && ctx.Err() == nil {
				c.store.log.Error("a row of the embedded store can't be cleaned", "error", err)
			}
		}
	}
}
