package hbase

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Budget is the number of bytes of keys and values that a request may still read. It is safe for concurrent use, and a nil one is
// unlimited.
type Budget struct {
	ctx    context.Context // of the request
	most   int64           // 0 for any number
	read   atomic.Int64
	memory *Memory // nil if it is not bounded

	mu   sync.Mutex
	held atomic.Int64 // bytes of the memory; it changes under mu
	done bool         // the request has ended, and holds nothing
}

// OverBudget is the error of a read that exceeds, or would exceed, Most bytes.
type OverBudget struct{ Most, Read int64 }

// Error implements error.
func (e *OverBudget) Error() string {
	return fmt.Sprintf("hbase: %d bytes were read, of at most %d", e.Read, e.Most)
}

// Exceeded returns the limited quantity, the limit and the actual number. Packages that do not know stores find it by this method.
func (e *OverBudget) Exceeded() (what string, limit, actual int) {
	return "the number of bytes read from the store", int(e.Most), int(e.Read)
}

// Spend subtracts n bytes. It returns an [*OverBudget] from the call on that exceeds the budget, and a [*Busy] when the gateway's
// memory is used up.
func (b *Budget) Spend(n int64) error {
	if b == nil {
		return nil
	}
	read := b.read.Add(n)
	if b.most > 0 && read > b.most {
		return &OverBudget{b.most, read}
	}
	return b.hold(read, false)
}

// hold takes enough of the gateway's memory for a request that has read, or will read, that many bytes. The request returns it when
// it ends. wait is whether it may wait for other requests to end.
func (b *Budget) hold(bytes int64, wait bool) error {
	if b.memory == nil || bytes <= smallRequest || bytes <= b.held.Load() {
		return nil
	}
	if bytes > b.memory.most {
		return &OverBudget{b.memory.most, bytes}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return b.ctx.Err()
	}
	// A step is at least a mebibyte, unless that is more than there is.
	more := min(max(bytes-b.held.Load(), smallRequest), b.memory.most-b.held.Load())
	if err := b.memory.take(b.ctx, more, wait); err != nil {
		return err
	}
	if b.held.Add(more) == more {
		context.AfterFunc(b.ctx, b.end)
	}
	return nil
}

func (b *Budget) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = true
	b.memory.give(b.held.Load())
}

// foresee reports whether the likely bytes of Gets exceed the budget, without subtracting them.
func (b *Budget) foresee(gets []Get) error {
	if likely := b.memory.sizeOf(gets).likely; likely > b.left() && !b.memory.doubts() {
		return &OverBudget{b.read.Load() + b.left(), b.read.Load() + likely}
	}
	return b.Spend(0)
}

// left returns how many bytes the request may still read.
func (b *Budget) left() int64 {
	if b.most == 0 {
		return b.memory.most - b.read.Load()
	}
	return b.most - b.read.Load()
}

type budgetKey struct{}

// BudgetOf returns the budget of a call, nil if it has none. An engine spends what it reads while it reads, so that it can stop in the middle.
func BudgetOf(ctx context.Context) *Budget {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	return b
}

// Budgeted returns a view of store for a request that ends with ctx. Its reads together return at most that many bytes, except for
// the last row; 0 is no limit. They share memory with other requests; nil is no bound. Reads of writers are not counted.
func Budgeted(ctx context.Context, store Store, most int, memory *Memory) Store {
	if most == 0 && memory == nil {
		return store
	}
	return &budgeted{store, &Budget{ctx: ctx, most: int64(most), memory: memory}}
}

type budgeted struct {
	Store
	budget *Budget
}

// Get implements [Store]. Gets beyond the budget have its error. Gets whose results may be too large for one call are sent in
// pieces, one after the other.
func (b *budgeted) Get(ctx context.Context, gets []Get) ([]Result, error) {
	if err := b.budget.Spend(0); err != nil {
		return nil, err
	}
	ctx = context.WithValue(ctx, budgetKey{}, b.budget)
	m := b.budget.memory
	if m == nil {
		return b.Store.Get(ctx, gets)
	}
	if n, size := m.piece(gets); n == len(gets) && size.likely <= b.budget.left() {
		if results, err := b.getPiece(ctx, gets, size); err != errLearnt {
			return results, err
		}
	}
	return b.getPieces(ctx, gets)
}

// getPieces sends Gets in pieces, up to the budget.
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
			continue
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
	if err := b.budget.hold(min(before+size.likely, m.most), true); err != nil {
		return nil, err
	}
	results, err := b.Store.Get(ctx, gets)
	if size.likely > 0 || b.budget.read.Load()-before > smallRequest {
		m.learn(gets, results)
	}
	return results, err
}

// Scan implements [Store].
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
