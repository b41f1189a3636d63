package loaders

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type (
	get    = hbase.Get
	cell   = hbase.Cell
	page   = hbase.Page
	memory = tables.Memory
)

// Loader loads a V by a K with one Get.
type Loader[K comparable, V any] struct {
	name   string // in reports
	get    func(*memory, K) get
	decode func(*memory, K, []cell) (V, error)
}

// Load returns the values of the keys, index-aligned. The error is nil or an [Errors].
func (l Loader[K, V]) Load(ctx context.Context, keys []K) ([]V, error) { return l.Enqueue(ctx, keys)() }

// Enqueue is Load in two halves. It adds the keys to the next batch; the returned function waits for
// the values. What is asked between the two is read in the same batch.
func (l Loader[K, V]) Enqueue(ctx context.Context, keys []K) func() ([]V, error) {
	var m memory
	loaders, set := from(ctx), newReadSet(len(keys))
	for _, key := range keys {
		set.add(l.get(&m, key))
	}
	loaders.ask(ctx, l.name, set)
	return func() ([]V, error) {
		loaders.wait(set)
		return l.values(keys, set)
	}
}

func (l Loader[K, V]) values(keys []K, set *readSet) ([]V, error) {
	values, errs := make([]V, len(keys)), failures{n: len(keys)}
	var m memory
	for i, key := range keys {
		result := set.result(i)
		err := result.Err
		if err == nil {
			values[i], err = l.decode(&m, key, result.Cells)
		}
		if err != nil {
			errs.set(i, err)
		}
	}
	return values, errs.err()
}
