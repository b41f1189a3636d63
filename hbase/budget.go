package hbase

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Budget limits the bytes that a request reads, as in [Stats]. It is safe for concurrent use. A nil
// Budget is unlimited.
type Budget struct {
	ctx    context.Context
	client string
	limit  int64 // 0 is unlimited
	read   atomic.Int64
	memory *Memory // nil is unlimited

	mu sync.Mutex
	// held is changed with mu only, and also read without it.
	held atomic.Int64
	done bool // the request has ended
}

// OverBudget is the error of a request that reads more than Most bytes. Read may be an estimate.
type OverBudget struct{ Most, Read int64 }

func (e *OverBudget) Error() string {
	return fmt.Sprintf("hbase: the request reads %d bytes, of at most %d", e.Read, e.Most)
}

// Exceeded is for package apierr.
func (e *OverBudget) Exceeded() (what string, limit, actual int) {
	return "the number of bytes read from the store", int(e.Most), int(e.Read)
}

// Spend counts n bytes, and reserves memory for them. It may return an [*OverBudget] or a [*Busy].
func (b *Budget) Spend(n int64) error {
	if b == nil {
		return nil
	}
	read := b.read.Add(n)
	if b.limit > 0 && read > b.limit {
		return &OverBudget{b.limit, read}
	}
	return b.hold(read, false)
}

// hold increases the reservation to at least the given bytes, until the request ends.
func (b *Budget) hold(bytes int64, wait bool) error {
	if b.memory == nil || bytes <= smallRequest || bytes <= b.held.Load() {
		return nil
	}
	if bytes > b.memory.limit {
		return &OverBudget{b.memory.limit, bytes}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return b.ctx.Err()
	}
	more := min(max(bytes-b.held.Load(), smallRequest), b.memory.limit-b.held.Load())
	if err := b.memory.take(b.ctx, b.client, more, wait); err != nil {
		return err
	}
	if b.held.Add(more) == more {
		context.AfterFunc(b.ctx, b.end)
	}
	return nil
}

// HoldResponse reserves memory for a response to the request of a [Budgeted] store, or returns a
// [*Busy]. A request that already holds memory does not wait, because such requests could wait for
// each other.
func HoldResponse(store Store, bytes int) error {
	view, ok := store.(*budgeted)
	if !ok || view.budget.memory == nil {
		return nil
	}
	b := view.budget
	return b.hold(min(b.read.Load()+int64(bytes), b.memory.limit), b.held.Load() == 0)
}

func (b *Budget) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = true
	b.memory.requests.Release(b.client, b.held.Load())
}

// foresee reserves memory for all remaining pieces of gets, because requests that hold memory for
// one piece each could wait for each other. It fails if the Gets would exceed the budget, except
// once per second: see letsThrough.
func (b *Budget) foresee(gets []Get) error {
	_, size := b.memory.estimate(gets, unlimited)
	if size.known > b.left() && !b.memory.letsThrough() {
		return &OverBudget{b.read.Load() + b.left(), b.read.Load() + size.known}
	}
	// The exception is for estimates, not for bytes already read.
	if err := b.Spend(0); err != nil {
		return err
	}
	return b.hold(b.read.Load()+min(size.known, b.left()), true)
}

func (b *Budget) left() int64 {
	if b.limit == 0 {
		return b.memory.limit - b.read.Load()
	}
	return b.limit - b.read.Load()
}

type pieceKey struct{}

type piece struct {
	budget *Budget // nil is unlimited
	size   size
}

func pieceOf(ctx context.Context) piece {
	p, _ := ctx.Value(pieceKey{}).(piece)
	return p
}

// Budgeted returns a view of store for a client's request, which ends with ctx. Reads stop at the
// row that exceeds limit bytes, and reserve memory. A limit of 0 and a nil memory are unlimited.
func Budgeted(ctx context.Context, store Store, client string, limit int, memory *Memory) Store {
	if limit == 0 && memory == nil {
		return store
	}
	return &budgeted{store, &Budget{ctx: ctx, client: client, limit: int64(limit), memory: memory}}
}

type budgeted struct {
	Store
	budget *Budget
}

func (b *budgeted) Get(ctx context.Context, gets []Get) ([]Result, error) {
	if err := b.budget.Spend(0); err != nil {
		return nil, err
	}
	m := b.budget.memory
	if m == nil {
		return b.Store.Get(context.WithValue(ctx, pieceKey{}, piece{budget: b.budget}), gets)
	}
	if n, size := m.piece(gets); n == len(gets) && size.known <= b.budget.left() {
		if results, err := b.getPiece(ctx, gets, size); err != errLearnt {
			return results, err
		}
	}
	return b.getPieces(ctx, gets)
}

// getPieces reads gets in successive pieces. After an error, even an error of the call such as
// [ErrClosed], all remaining Gets have that error.
func (b *budgeted) getPieces(ctx context.Context, gets []Get) ([]Result, error) {
	results := make([]Result, 0, len(gets))
	for len(results) < len(gets) {
		rest := gets[len(results):]
		n, size := b.budget.memory.piece(rest)
		err := b.budget.foresee(rest)
		var part []Result
		if err == nil {
			part, err = b.getPiece(ctx, rest[:n], size)
		}
		if err == errLearnt {
			continue // with new estimates
		}
		if err != nil {
			return append(results, slices.Repeat([]Result{{Err: err}}, len(rest))...), nil
		}
		results = append(results, part...)
	}
	return results, nil
}

func (b *budgeted) getPiece(ctx context.Context, gets []Get, size size) ([]Result, error) {
	m, before := b.budget.memory, b.budget.read.Load()
	if err := b.budget.hold(min(before+size.known, m.limit), true); err != nil {
		return nil, err
	}
	results, err := b.Store.Get(context.WithValue(ctx, pieceKey{}, piece{b.budget, size}), gets)
	if size.known > 0 || b.budget.read.Load()-before > smallRequest {
		m.learn(gets, results)
	}
	return results, err
}

func (b *budgeted) Scan(ctx context.Context, scan Scan) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for row, err := range b.Store.Scan(ctx, scan) {
			if err == nil {
				err = b.budget.Spend(int64(len(row.Key)) + Size(row.Cells))
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
