// Package recent is an LRU cache that is bounded by the sizes of its values.
package recent

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache is an LRU cache. It is bounded by the number of its values and by the sum of their sizes.
// It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	room int

	mu    sync.Mutex
	all   *simplelru.LRU[K, sized[V]]
	taken int
}

type sized[V any] struct {
	value V
	size  int
}

// New returns a cache of at most a number of values, whose sizes add up to room at most.
func New[K comparable, V any](most, room int) *Cache[K, V] {
	c := &Cache[K, V]{room: room}
	all, err := simplelru.NewLRU(most, func(_ K, gone sized[V]) { c.taken -= gone.size })
	if err != nil {
		panic(err) // the number is not positive
	}
	c.all = all
	return c
}

// Get returns the value of a key, if it is cached.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.all.Get(key)
	return kept.value, ok
}

// Add caches a value of a positive size, unless its key is cached already or the size exceeds the
// room.
func (c *Cache[K, V]) Add(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > c.room || c.all.Contains(key) {
		return
	}
	c.all.Add(key, sized[V]{value, size})
	for c.taken += size; c.taken > c.room; {
		c.all.RemoveOldest()
	}
}

// Values returns the cached values, the least recently used first.
func (c *Cache[K, V]) Values() (values []V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, kept := range c.all.Values() {
		values = append(values, kept.value)
	}
	return values
}
