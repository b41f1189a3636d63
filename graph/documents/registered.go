package documents

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxRegistered is how many bytes the registered documents have at most, all together. The least recent are forgotten: their clients send them again.
const maxRegistered = 16 << 20

// overhead is what a document takes beside its text: its hash, and its place in the list.
const overhead = 256

// registered are documents by their SHA-256, in hexadecimal digits.
type registered struct {
	mu    sync.Mutex
	all   *simplelru.LRU[string, string]
	bytes int
}

func newRegistered() *registered {
	r := &registered{}
	all, err := simplelru.NewLRU(math.MaxInt, func(_, document string) { r.bytes -= len(document) + overhead })
	if err != nil {
		panic(err) // the size is no size
	}
	r.all = all
	return r
}

func (r *registered) get(hash string) (document string, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.Get(hash)
}

func (r *registered) add(hash, document string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all.Contains(hash) {
		return
	}
	r.all.Add(hash, document)
	for r.bytes += len(document) + overhead; r.bytes > maxRegistered; {
		r.all.RemoveOldest()
	}
}
