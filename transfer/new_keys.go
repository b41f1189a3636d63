package transfer

import (
	"sync"

	"github.com/cespare/xxhash/v2"
)

// newKeys knows keys of which the store has no row: it was blank, and the import has not met them before. It is safe for
// concurrent use.
type newKeys struct {
	mu    sync.Mutex
	blank bool
	seen  map[uint64]struct{}
}

// maxSeen bounds the memory of newKeys, to some 100 MB.
const maxSeen = 4 << 20

// first reports whether the store has no row of the key. If it returns false, there may or may not be one.
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
