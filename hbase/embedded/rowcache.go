package embedded

import (
	"hash/maphash"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"twibase/hbase"
)

// rowCache keeps what was read of rows, decoded, above Pebble's cache of blocks, as RocksDB's row_cache does: to find a row in blocks takes a seek and
// a step for each cell. The store is alone in its directory, so that the cache is never behind: changes tell of every
// write. A nil one keeps nothing.
//
// What is read once is not kept: it would cost what reading it again does, and put out what is read often.
type rowCache struct {
	changes changes
	shards  [16]shard
	// asked are hashes of what was asked for and not kept, each in a place that it shares with others.
	asked []atomic.Uint32

	hits, misses atomic.Int64
}

// shard keeps a part of the rows, up to so many bytes. What was not asked for for longest goes first.
type shard struct {
	mu          sync.Mutex
	rows        *simplelru.LRU[string, *kept]
	bytes, most int
}

// kept is what one Get was answered with. Its cells are given out as they are: nobody changes them.
type kept struct {
	cells []hbase.Cell
	// bytes are what the cells count for.
	bytes int64
	// room is what all of it takes, with what was made of the cells. gone is whether it has been put out. The shard's mu guards both.
	room int
	gone bool
	// at is the count of the row's changes when it was read.
	at change
}

const (
	// overhead is about what the map, the list and the memory manager take for a row, in bytes.
	overhead = 320
	// maxKept is how many bytes of a row are copied at most; one with more costs more to copy here than to find again.
	maxKept = 64 << 10
	// perAsked is of how many bytes of rows one hash is remembered: about as many as there are rows.
	perAsked = 512
)

func newRowCache(most int, c changes) *rowCache {
	cache := &rowCache{changes: c, asked: make([]atomic.Uint32, most/perAsked+1)}
	for i := range cache.shards {
		s := &cache.shards[i]
		s.most = most / len(cache.shards)
		s.rows, _ = simplelru.NewLRU(s.most+1, func(_ string, k *kept) { s.bytes, k.gone = s.bytes-k.room, true })
	}
	return cache
}

func (c *rowCache) shard(p slot) *shard { return &c.shards[int(p)%len(c.shards)] }

// find looks for what is planned, and returns how much of it was not found.
func (c *rowCache) find(plan []planned) (missing int) {
	if c == nil {
		return len(plan)
	}
	hits, misses := 0, 0
	for i := range plan {
		p := &plan[i]
		if p.sel == nil {
			continue
		}
		if p.cached() {
			p.change = c.changes.of(p.slot)
			if p.kept = c.shard(p.slot).get(p.key, p.change); p.kept != nil {
				hits++
				continue
			}
		}
		misses++
	}
	c.hits.Add(int64(hits))
	c.misses.Add(int64(misses))
	return misses
}

func (s *shard) get(key []byte, now change) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, _ := s.rows.Get(unsafe.String(unsafe.SliceData(key), len(key))) // no map keeps a key that is looked up
	if k == nil || !k.at.same(now) {
		return nil
	}
	return k
}

// drop forgets what was found of rows that may have changed since, and returns of how many. Between two looks, what is
// left was all there at the same time.
func (c *rowCache) drop(plan []planned) (dropped int) {
	if c == nil {
		return 0
	}
	for i := range plan {
		if p := &plan[i]; p.kept != nil && !c.changes.of(p.slot).same(p.kept.at) {
			p.kept, p.change = nil, underWay
			dropped++
		}
	}
	return dropped
}

// offer keeps what was read, if it was asked for before and no write can have come in between.
func (c *rowCache) offer(p *planned, cells []hbase.Cell, bytes int64) {
	if c == nil || !p.cached() || !p.change.settled() || !c.again(p.key) {
		return
	}
	s := c.shard(p.slot)
	room := overhead + len(p.key) + int(unsafe.Sizeof(hbase.Cell{})+unsafe.Sizeof(hbase.Memo{}))*len(cells) + int(bytes)
	if room > min(maxKept, s.most/2) {
		return
	}
	key, k := copied(p.key, cells)
	k.room, k.bytes, k.at = room, bytes, p.change
	hbase.GiveMemos(k.cells, func(bytes int) bool { return s.grow(k, bytes) })
	s.add(key, k)
}

// again reports whether the key was asked for before, and not kept then. A key replaces another one
// in its place half of the time: if it always did, two keys that are asked for in turns would never
// be kept.
func (c *rowCache) again(key []byte) bool {
	hash := maphash.Bytes(rowSeed, key)
	asked, mine := &c.asked[hash%uint64(len(c.asked))], uint32(hash>>32)|1
	switch known := asked.Load(); {
	case known == mine:
		asked.Store(0)
		return true
	case known == 0 || rand.N(2) == 0:
		asked.Store(mine)
	}
	return false
}

// copied returns copies of a key and of cells, apart from the memory of all that was read with them.
func copied(key []byte, cells []hbase.Cell) (string, *kept) {
	length, size := len(key), 0
	for i := range cells {
		length, size = length+len(cells[i].Qualifier), size+len(cells[i].Value)
	}
	var text strings.Builder
	text.Grow(length)
	text.Write(key)
	values, k := make([]byte, 0, size), &kept{cells: make([]hbase.Cell, len(cells))}
	for i, c := range cells {
		start, at := text.Len(), len(values)
		text.WriteString(c.Qualifier)
		values = append(values, c.Value...)
		c.Qualifier, c.Value = text.String()[start:], values[at:len(values):len(values)]
		k.cells[i] = c
	}
	return text.String()[:len(key)], k
}

func (s *shard) add(key string, k *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows.Remove(key)
	s.rows.Add(key, k)
	s.take(k.room)
}

// grow takes room for what was made of a row's cells, unless the row has gone meanwhile or would take too much.
func (s *shard) grow(k *kept, bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.gone || k.room+bytes > s.most/2 {
		return false
	}
	k.room += bytes
	s.take(bytes)
	return true
}

// take makes room. The caller holds mu.
func (s *shard) take(bytes int) {
	for s.bytes += bytes; s.bytes > s.most; {
		s.rows.RemoveOldest()
	}
}
