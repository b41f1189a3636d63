package hbase

import (
	"context"
	"errors"
	"hash/maphash"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"
)

const (
	// smallRequest is the number of bytes that a request may read without a share of the memory.
	// Most requests never need one.
	smallRequest = 1 << 20
	// maxPiece bounds the likely bytes of a call of the store.
	maxPiece = 8 << 20
	// maxWaiting bounds the requests that wait for memory, and maxMemoryWait their wait.
	maxWaiting    = 4
	maxMemoryWait = time.Second
	// maxFlightWait bounds the wait of Gets for flight.
	maxFlightWait = 3 * time.Second
)

// Memory bounds the bytes of the rows that a gateway's requests hold. Requests reserve them before
// they read. It is safe for concurrent use. It works with estimated sizes of results, likely and
// possible (estimate.go):
//
//	Gets ──► pieces: bounds of both estimates, for one call of the store
//	           │
//	           ├──► large:  a request above smallRequest takes its likely bytes until it ends
//	           └──► flight: a call takes the possible bytes of rows of unknown size, in engines
//	                        that can't stop between two rows
//
// At most [maxWaiting] requests wait for large, up to [maxMemoryWait], and only before a piece.
// Calls wait for flight up to [maxFlightWait]. Other requests that find too little memory fail with
// [*Busy]. Both semaphores have the size of the memory, so pieces with many unknown rows are read
// one after the other.
type Memory struct {
	most    int64
	large   *semaphore.Weighted
	flight  *semaphore.Weighted
	maxCell func(table, family string) int
	shapes  *lru.Cache[[2]string, *columnSizes] // by table and columns
	seed    maphash.Seed

	largeRows [1 << largeRowSlots]atomic.Uint64 // each a [largeRow]
	smallRows [1 << smallRowSlots]atomic.Uint32 // each a [smallMark]
	// anyLarge and anySmall are true once a row was remembered: most stores need no look-up.
	anyLarge, anySmall atomic.Bool

	waiting, held, refused atomic.Int64
	doubted                atomic.Int64 // the second of the last doubt
}

// NewMemory returns a memory of that size. maxCell returns the maximum size of a cell of a family,
// in bytes.
func NewMemory(bytes int64, maxCell func(table, family string) int) *Memory {
	shapes, _ := lru.New[[2]string, *columnSizes](MaxCachedColumns)
	return &Memory{
		most:    bytes,
		large:   semaphore.NewWeighted(bytes),
		flight:  semaphore.NewWeighted(bytes),
		maxCell: maxCell,
		shapes:  shapes,
		seed:    maphash.MakeSeed(),
	}
}

// Load returns the bytes that requests hold, and the number of rejected requests. Both are 0 if m
// is nil.
func (m *Memory) Load() (held, refused int64) {
	if m == nil {
		return 0, 0
	}
	return m.held.Load(), m.refused.Load()
}

// Busy is the error of a read that found no free memory.
type Busy struct{}

// Error implements error.
func (*Busy) Error() string { return "hbase: other requests read too many bytes" }

// RetryAfter returns the time after which to retry, also to packages that do not import this one.
func (*Busy) RetryAfter() time.Duration { return maxMemoryWait }

func (m *Memory) take(ctx context.Context, bytes int64, wait bool) error {
	if !m.large.TryAcquire(bytes) && !(wait && m.wait(ctx, bytes)) {
		m.refused.Add(1)
		return &Busy{}
	}
	m.held.Add(bytes)
	return nil
}

func (m *Memory) wait(ctx context.Context, bytes int64) bool {
	defer m.waiting.Add(-1)
	if m.waiting.Add(1) > maxWaiting {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, maxMemoryWait)
	defer cancel()
	return m.large.Acquire(ctx, bytes) == nil
}

func (m *Memory) give(bytes int64) {
	m.held.Add(-bytes)
	m.large.Release(bytes)
}

// doubts is true once per second. Then a request that is likely to exceed its budget is read
// nevertheless, because its rows may have changed.
func (m *Memory) doubts() bool {
	last, now := m.doubted.Load(), time.Now().Unix()
	return now > last && m.doubted.CompareAndSwap(last, now)
}

// errLearnt is the error of Gets whose rows became known as large while they waited.
var errLearnt = errors.New("hbase: the sizes of rows have become known")

// Fly waits for memory for the possible bytes of gets, and reserves it until land is called with
// the results. Engines that can't stop between two rows call it, and return its error unchanged.
func (b *Budget) Fly(ctx context.Context, gets []Get) (land func(results []Result), err error) {
	if b == nil || b.memory == nil {
		return func([]Result) {}, nil
	}
	m := b.memory
	_, before := m.estimate(gets, unlimited)
	possible := min(before.possible, m.most)
	if possible <= smallRequest {
		return func([]Result) {}, nil
	}
	land = func(results []Result) {
		m.flight.Release(possible)
		m.learnSmall(gets, results)
	}
	if m.flight.TryAcquire(possible) {
		return land, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxFlightWait)
	defer cancel()
	if m.flight.Acquire(ctx, possible) != nil {
		m.refused.Add(1)
		return nil, &Busy{}
	}
	if _, now := m.estimate(gets, unlimited); now.likely > before.likely {
		land(nil)
		return nil, errLearnt
	}
	return land, nil
}
