// Package recent is an LRU cache, bounded by the number and the sizes of values.
package recent

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache is safe for concurrent use.
type Cache[K comparable, V any] struct {
	maxSize int

	mu   sync.Mutex
	lru  *simplelru.LRU[K, sized[V]]
	size int
}

type sized[V any] struct {
	value V
	size  int
}

// New needs a maxValues of at least 1. maxSize bounds the sum of the sizes.
func New[K comparable, V any](maxValues, maxSize int) *Cache[K, V] {
	c := &Cache[K, V]{maxSize: maxSize}
	lru, err := simplelru.NewLRU(maxValues, func(_ K, evicted sized[V]) { c.size -= evicted.size })
	if err != nil {
		panic(err)
	}
	c.lru = lru
	return c
}

// Get makes the value the most recently used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, ok := c.lru.Get(key)
	return cached.value, ok
}

// Add takes a positive size. It does nothing if the key is cached or the size exceeds maxSize.
func (c *Cache[K, V]) Add(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > c.maxSize || c.lru.Contains(key) {
		return
	}
	c.lru.Add(key, sized[V]{value, size})
	for c.size += size; c.size > c.maxSize; {
		c.lru.RemoveOldest()
	}
}

// Values returns the values, the least recently used first.
func (c *Cache[K, V]) Values() (values []V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cached := range c.lru.Values() {
		values = append(values, cached.value)
	}
	return values
}
