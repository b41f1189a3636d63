package transfer

import (
	"context"
	"sync"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
)

// lookup caches values by name. They must not change while it is in use. It is safe for concurrent
// use.
type lookup[V any] struct {
	store  hbase.Store
	get    func(name string) hbase.Get
	decode func(name string, cells []hbase.Cell) (value V, found bool, err error)

	mu    sync.RWMutex
	known map[string]*V // nil for a name without a value
}

func newLookup[V any](store hbase.Store, get func(string) hbase.Get,
	decode func(string, []hbase.Cell) (V, bool, error)) *lookup[V] {
	return &lookup[V]{store: store, get: get, decode: decode, known: map[string]*V{}}
}

func (l *lookup[V]) find(ctx context.Context, names []string) error {
	missing := l.missing(names)
	cells, err := hbase.GetEach(ctx, l.store, missing, l.get)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, name := range missing {
		value, found, err := l.decode(name, cells[i])
		if err != nil {
			return err
		}
		if l.known[name] = nil; found {
			l.known[name] = &value
		}
	}
	return nil
}

func (l *lookup[V]) missing(names []string) (missing []string) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	seen := map[string]bool{}
	for _, name := range names {
		if _, known := l.known[name]; !known && !seen[name] {
			seen[name] = true
			missing = append(missing, name)
		}
	}
	return missing
}

func (l *lookup[V]) of(name string) (value V, found bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if p := l.known[name]; p != nil {
		return *p, true
	}
	return value, false
}

func (l *lookup[V]) has(name string) bool {
	_, found := l.of(name)
	return found
}

// newKeys remembers which keys the import of a blank store has written. Other keys need no read.
type newKeys struct {
	mu    sync.Mutex
	blank bool
	seen  map[uint64]struct{}
}

// maxSeen bounds newKeys to about 100 MB.
const maxSeen = 4 << 20

// first returns true if the store cannot have a row of the key, at most once per key.
func (k *newKeys) first(key string) bool {
	if !k.blank {
		return false
	}
	hash := xxhash.Sum64String(key)
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, again := k.seen[hash]; again || len(k.seen) == maxSeen {
		return false
	}
	if k.seen == nil {
		k.seen = map[uint64]struct{}{}
	}
	k.seen[hash] = struct{}{}
	return true
}
