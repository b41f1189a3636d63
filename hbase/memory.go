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
	smallRequest   = 1 << 20 // most requests read less
	maxPiece       = 8 << 20
	maxWaiting     = 4
	maxMemoryWait  = time.Second
	maxReserveWait = 3 * time.Second
)

// Memory bounds the bytes of rows and responses that a gateway's large requests hold. It is safe
// for concurrent use. estimate.go defines known and assumed bytes.
//
//	Gets ──► pieces: one call of the store each, with at most maxPiece known bytes and, if reserves is
//	           │     true, at most limit assumed bytes. A piece of one Get may have more
//	           │
//	           ├──► requests: a request above smallRequest takes its known bytes before a read, and
//	           │    further bytes after the read. It holds them until the request ends
//	           └──► calls: if reserves is true, a call takes the assumed bytes of its rows
//
// Each semaphore has the size of the memory. A piece with many unknown rows takes most of the
// memory of calls, so that such pieces are read one at a time.
//
// If too little memory is free, the error is a [*Busy], in two cases after a wait:
//
//   - requests: up to [maxWaiting] requests wait, each up to [maxMemoryWait], before a piece, or
//     before the response if they hold no memory yet.
//   - calls: any number of calls wait, each up to [maxReserveWait].
type Memory struct {
	limit    int64
	requests *fair.Semaphore
	calls    *fair.Semaphore
	maxCell  func(table, family string) int
	reserves bool
	sizes    *lru.Cache[[2]string, *columnSizes]
	seed     maphash.Seed

	rows [1 << slotBits]atomic.Uint64 // [knownRow]s

	rejected   atomic.Int64
	letThrough atomic.Int64 // Unix seconds
}

// NewMemory returns a Memory. maxCell returns the assumed bytes of a cell of unknown size. reserves
// is true if the engine calls [Reserve].
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

// Load returns the bytes held, and the number of rejections. m may be nil.
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

// RetryAfter is how packages recognise a Busy.
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

// letsThrough returns true once per second, for a request whose known rows exceed the budget: they
// may be smaller now.
func (m *Memory) letsThrough() bool {
	last, now := m.letThrough.Load(), time.Now().Unix()
	return now > last && m.letThrough.CompareAndSwap(last, now)
}

var errLearnt = errors.New("hbase: the sizes of rows have become known")

// Reserve reserves memory for gets until release is called. Engines that count rows only at the end
// of a call use Reserve in [Store.Get], and return its error unchanged.
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
