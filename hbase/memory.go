package hbase

import (
	"context"
	"errors"
	"hash/maphash"
	"math"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"twibase/hbase/fair"
)

const (
	// Up to smallRequest bytes need no reservation. Most requests read less.
	smallRequest = 1 << 20
	// maxPiece bounds the known bytes of a piece with more than one Get.
	maxPiece       = 8 << 20
	maxWaiting     = 4
	maxMemoryWait  = time.Second
	maxReserveWait = 3 * time.Second
)

// Memory bounds the bytes of rows and responses that a gateway's large requests hold. It is safe
// for concurrent use. It works with estimates of results, known and assumed (estimate.go):
//
//	Gets ──► pieces: Gets for one call of the store, with at most maxPiece known bytes. If the engine
//	           │     counts rows only after the whole call, as the cluster does, also with at most as
//	           │     many assumed bytes as the size of the memory. A piece of one Get may have more
//	           │
//	           ├──► semaphore requests: a request above smallRequest takes its known bytes before a
//	           │    read, and further bytes after the read. It holds them until the request ends
//	           └──► semaphore calls: a call takes the assumed bytes of its rows, in engines that
//	                count rows only after the whole call
//
// Each semaphore has the size of the memory. While other clients read, a client that already holds
// bytes gets at most half of a semaphore. A piece with many unknown rows takes most of the bytes of
// the semaphore named calls, so such pieces are read one at a time.
//
// If too little memory is free, the error is a [*Busy]. In two cases, it is returned after a wait:
//
//   - At the semaphore named requests, up to [maxWaiting] requests wait, each up to
//     [maxMemoryWait]. They wait before a piece, or before the response if they hold no memory yet.
//   - At the semaphore named calls, any number of calls wait, each up to [maxReserveWait].
type Memory struct {
	limit    int64
	requests *fair.Semaphore
	calls    *fair.Semaphore
	maxCell  func(table, family string) int
	reserves bool
	sizes    *lru.Cache[[2]string, *columnSizes]
	seed     maphash.Seed

	rows [1 << slotBits]atomic.Uint64 // [knownRow]s
	// knowsRows is set when the first row is remembered. Until then no look-up is needed.
	knowsRows atomic.Bool

	rejected   atomic.Int64
	letThrough atomic.Int64 // Unix seconds
}

// NewMemory returns a Memory of a size in bytes. maxCell returns the assumed size of a cell of
// unknown size, in bytes. reserves is true if the engine calls [Reserve].
func NewMemory(bytes int64, maxCell func(table, family string) int, reserves bool) *Memory {
	sizes, _ := lru.New[[2]string, *columnSizes](MaxCachedColumns)
	return &Memory{
		limit:    bytes,
		requests: fair.New(bytes, 1, maxWaiting),
		calls:    fair.New(bytes, 1, math.MaxInt),
		maxCell:  maxCell,
		reserves: reserves,
		sizes:    sizes,
		seed:     maphash.MakeSeed(),
	}
}

// Load returns the bytes held, and the number of rejected reads and responses. m may be nil.
func (m *Memory) Load() (held, rejected int64) {
	if m == nil {
		return 0, 0
	}
	held, _ = m.requests.Load()
	return held, m.rejected.Load()
}

// Busy means that too little memory is free.
type Busy struct{}

func (*Busy) Error() string { return "hbase: too little memory is free for large reads" }

// RetryAfter is how packages recognise a Busy without importing package hbase.
func (*Busy) RetryAfter() time.Duration { return maxMemoryWait }

func (m *Memory) take(ctx context.Context, client string, bytes int64, wait bool) error {
	var taken bool
	if wait {
		taken = m.requests.Acquire(ctx, client, bytes, maxMemoryWait)
	} else {
		taken = m.requests.TryAcquire(client, bytes)
	}
	if !taken {
		m.rejected.Add(1)
		return &Busy{}
	}
	return nil
}

// letsThrough returns true once per second. Then a request may read although its known rows exceed
// the budget, because the rows may be smaller now.
func (m *Memory) letsThrough() bool {
	last, now := m.letThrough.Load(), time.Now().Unix()
	return now > last && m.letThrough.CompareAndSwap(last, now)
}

// errLearnt: while the Gets waited, rows became known as large.
var errLearnt = errors.New("hbase: the sizes of rows have become known")

// Reserve reserves memory for gets until release is called. Engines that count rows only after the
// whole call use it in [Store.Get], and return its error unchanged.
func Reserve(ctx context.Context, gets []Get) (release func(results []Result), err error) {
	p := pieceOf(ctx)
	if p.budget == nil || p.budget.memory == nil {
		return func([]Result) {}, nil
	}
	m, client := p.budget.memory, p.budget.client
	if !m.reserves {
		panic("hbase: NewMemory needs reserves for this engine")
	}
	if p.size.assumed <= smallRequest {
		return func([]Result) {}, nil
	}
	assumed := min(p.size.assumed, m.limit)
	release = func(results []Result) {
		m.learn(gets, results) // first, so that calls that wait learn from it
		m.calls.Release(client, assumed)
	}
	if m.calls.TryAcquire(client, assumed) {
		return release, nil
	}
	if !m.calls.Acquire(ctx, client, assumed, maxReserveWait) {
		m.rejected.Add(1)
		return nil, &Busy{}
	}
	if _, now := m.estimate(gets, unlimited); now.known > p.size.known {
		release(nil)
		return nil, errLearnt
	}
	return release, nil
}
