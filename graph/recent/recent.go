// Package recent keeps what was used lately, as much of it as there is room for.
package recent

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache keeps values by their keys, each of a size that whoever adds it says. What was not used for longest goes first. It is safe for
// concurrent use.
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

// New returns a Cache of so many values at most, whose sizes add up to room at most.
func New[K comparable, V any](most, room int) *Cache[K, V] {
	c := &Cache[K, V]{room: room}
	all, err := simplelru.NewLRU(most, func(_ K, gone sized[V]) { c.taken -= gone.size })
	if err != nil {
		panic(err) // most is no number of values
	}
	c.all = all
	return c
}

// Get returns the value of a key, if it is kept.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.all.Get(key)
	return kept.value, ok
}

// Add keeps a value, unless its key has one already or it is larger than the room. Its size is positive.
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

// Values are the values that are kept, the oldest first.
func (c *Cache[K, V]) Values() (values []V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, kept := range c.all.Values() {
		values = append(values, kept.value)
	}
	return values
}
