package hbase

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
)

// Budget is how many bytes of keys and values may still be read. It is safe for concurrent use, and a nil one has no end.
type Budget struct {
	most int64
	read atomic.Int64
}

// OverBudget is the error of a read when more than Most bytes were read. It tells those who know nothing of stores.
type OverBudget struct{ Most, Read int64 }

// Error implements error.
func (e *OverBudget) Error() string {
	return fmt.Sprintf("hbase: %d bytes were read, of at most %d", e.Read, e.Most)
}

// Exceeded says what is limited, to how much, and how much there was.
func (e *OverBudget) Exceeded() (what string, limit, actual int) {
	return "the number of bytes read from the store", int(e.Most), int(e.Read)
}

// Spend takes n bytes away. It is an [*OverBudget] when too many are gone, from then on for ever.
func (b *Budget) Spend(n int64) error {
	if b == nil {
		return nil
	}
	if read := b.read.Add(n); read > b.most {
		return &OverBudget{b.most, read}
	}
	return nil
}

type budgetKey struct{}

// BudgetOf returns the budget of a call, nil if it has none. An engine spends what it reads while it reads, so that it can stop in the middle.
func BudgetOf(ctx context.Context) *Budget {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	return b
}

// Budgeted returns a view of store whose reads together bring no more than most bytes, but for the last row. 0 is any number. What is read
// otherwise, by those who write, is not counted.
func Budgeted(store Store, most int) Store {
	if most == 0 {
		return store
	}
	return &budgeted{store, &Budget{most: int64(most)}}
}

type budgeted struct {
	Store
	budget *Budget
}

// Get implements [Store]. The items that the budget does not reach have its error.
func (b *budgeted) Get(ctx context.Context, gets []Get) ([]Result, error) {
	if err := b.budget.Spend(0); err != nil {
		return nil, err
	}
	return b.Store.Get(context.WithValue(ctx, budgetKey{}, b.budget), gets)
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
