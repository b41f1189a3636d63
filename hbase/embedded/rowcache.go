package embedded

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"unique"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/prometheus/client_golang/prometheus"

	"twibase/hbase"
)

// rowCache keeps decoded rows: Pebble's block cache would take a seek per row and a step per cell.
// A nil cache keeps nothing.
//
//	find:   key ──► shard (LRU) ──► cached row: current if the row has no writes since ──► hit
//	offer:  row from Pebble ──► key in seenOnce? ──► yes: cache the row; no: add the key to seenOnce
//
// A row is kept at its second read at the earliest: keeping a row costs as much as reading it, and
// evicts another row.
//
// No Get returns a stale row: no other process writes, the store counts a row's writes before they
// become visible (rowState), and a cached row has the count from before it was read.
type rowCache struct {
	shards [16]cacheShard
	// seenOnce has hashes of keys whose rows were not kept.
	seenOnce []atomic.Uint32
}

type cacheKey struct {
	shape unique.Handle[shape]
	row   string
}

type shape struct {
	table   uint32
	columns string
	page    hbase.Page
}

type cacheShard struct {
	mu          sync.Mutex
	rows        *simplelru.LRU[uint64, *cachedRow] // by the key's hash
	size, limit int                                // bytes
}

// cachedRow has shared cells.
type cachedRow struct {
	key    cacheKey
	cells  []hbase.Cell
	bytes  int64 // as [hbase.Size]
	writes uint64
	// size includes memos. The shard's mu guards size and evicted.
	size    int
	evicted bool
}

const (
	// Memory of a row and a cell without their bytes.
	rowOverhead  = 320
	cellOverhead = int(unsafe.Sizeof(hbase.Cell{})+unsafe.Sizeof(hbase.Memo{})) + 16
	// Copying a larger row costs more than reading it.
	maxCached = 64 << 10
	// Cache bytes per element of seenOnce: about one element per small row.
	bytesPerSeen = 512
)

func newRowCache(limit int) *rowCache {
	if limit == 0 {
		return nil
	}
	cache := &rowCache{seenOnce: make([]atomic.Uint32, limit/bytesPerSeen+1)}
	for i := range cache.shards {
		s := &cache.shards[i]
		s.limit = limit / len(cache.shards)
		s.rows, _ = simplelru.NewLRU(s.limit+1, func(_ uint64, r *cachedRow) { s.size, r.evicted = s.size-r.size, true })
	}
	return cache
}

func (c *rowCache) find(states *rowStates, lookups []lookup) (hits, misses int) {
	if c == nil {
		return 0, len(lookups)
	}
	for i := range lookups {
		l := &lookups[i]
		if l.sel == nil {
			continue
		}
		if l.cacheable {
			state := &states[l.index]
			if l.cached = c.shard(l).get(l); l.cached != nil && state.unchanged(l.cached.writes) {
				hits++
				continue
			}
			l.cached = nil
			l.writes, l.cacheable = state.idle()
		}
		misses++
	}
	return hits, misses
}

func (c *rowCache) offer(l *lookup, cells []hbase.Cell, bytes int64) {
	if c == nil || !l.cacheable || !c.again(l.hash) {
		return
	}
	s := c.shard(l)
	size := rowOverhead + len(l.key.row) + cellOverhead*len(cells) + int(bytes)
	if size > min(maxCached, s.limit/2) {
		return
	}
	key := cacheKey{l.key.shape, strings.Clone(l.key.row)} // l may alias the whole request
	row := &cachedRow{key: key, cells: cloneCells(cells), bytes: bytes, writes: l.writes, size: size}
	hbase.GiveMemos(row.cells, func(bytes int) bool { return s.grow(row, bytes) })
	s.add(l.hash, row)
}

func cloneCells(cells []hbase.Cell) []hbase.Cell {
	clones := make([]hbase.Cell, len(cells))
	for i, c := range cells {
		c.Qualifier, c.Value = strings.Clone(c.Qualifier), bytes.Clone(c.Value)
		clones[i] = c
	}
	return clones
}

// again reports whether the hash was offered before. A key replaces another in its slot only half
// of the time. Otherwise two rows that share a slot, read in turns, would never be kept.
func (c *rowCache) again(hash uint64) bool {
	slot, mine := &c.seenOnce[hash%uint64(len(c.seenOnce))], uint32(hash>>32)|1
	switch known := slot.Load(); {
	case known == mine:
		slot.Store(0)
		return true
	case known == 0 || rand.N(2) == 0:
		slot.Store(mine)
	}
	return false
}

func (c *rowCache) shard(l *lookup) *cacheShard { return &c.shards[int(l.index)%len(c.shards)] }

func (s *cacheShard) get(l *lookup) *cachedRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row, ok := s.rows.Get(l.hash); ok && row.key == l.key {
		return row
	}
	return nil
}

func (s *cacheShard) add(hash uint64, row *cachedRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows.Remove(hash)
	s.rows.Add(hash, row)
	s.take(row.size)
}

func (s *cacheShard) grow(row *cachedRow, bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row.evicted || row.size+bytes > s.limit/2 {
		return false
	}
	row.size += bytes
	s.take(bytes)
	return true
}

// take needs mu, and evicts rows.
func (s *cacheShard) take(bytes int) {
	for s.size += bytes; s.size > s.limit; {
		s.rows.RemoveOldest()
	}
}

// Metrics returns the row cache's collectors.
func (s *Store) Metrics() []prometheus.Collector {
	counter := func(name, help string, count *atomic.Int64) prometheus.Collector {
		options := prometheus.CounterOpts{Namespace: "twibase", Name: name, Help: help}
		return prometheus.NewCounterFunc(options, func() float64 { return float64(count.Load()) })
	}
	return []prometheus.Collector{
		counter("row_cache_hits_total", "Rows that were read from the row cache.", &s.hits),
		counter("row_cache_misses_total", "Rows that were not read from the row cache: "+
			"not cached, changed since, or never cached, such as those of tables with a TTL.", &s.misses),
	}
}
