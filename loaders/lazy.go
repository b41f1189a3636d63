package loaders

import (
	"context"
	"sync"
	"sync/atomic"
)

// lazy are the objects of a response that were returned before they were read.
//
// The executor writes its response at the end. So a resolver may return an object with its key
// alone, and the object's row is read in the same round as the lists of its owner, which need no
// more than the key. Before the response is written, the executor awaits the rows.
type lazy struct {
	rows    []*lazyRows
	missing map[any]error // the objects that do not exist or, with an error, could not be read
}

// lazyRows are rows that were asked for together.
type lazyRows struct {
	set      *readSet
	fill     func()
	once     sync.Once
	resolved atomic.Bool
}

// lazily returns the objects of these keys with what the keys say, and asks for their rows.
func (o Object[T]) lazily(ctx context.Context, keys []string, columns string) []*T {
	l, objects, set := from(ctx), o.of.NewLazy(keys...), newReadSet(len(keys))
	var m memory
	for _, key := range keys {
		set.add(o.of.GetIn(&m, key, columns))
	}
	l.ask(ctx, o.name, set)
	rows := &lazyRows{set: set, fill: func() {
		for i, object := range objects {
			result, exists := set.result(i), false
			err := result.Err
			if err == nil {
				exists, err = o.of.Fill(&m, object, keys[i], result.Cells)
			}
			if !exists {
				l.miss(object, err)
			}
		}
	}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lazy.rows = append(l.lazy.rows, rows)
	return objects
}

// miss notes that an object does not exist or, with an error, could not be read.
func (l *Loaders) miss(object any, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lazy.missing == nil {
		l.lazy.missing = map[any]error{}
	}
	l.lazy.missing[object] = err
}

// Await waits until the lazy objects that were returned so far are read. A resolver that needs more
// of its parents than their keys calls it first.
func Await(ctx context.Context) { from(ctx).await() }

func (l *Loaders) await() {
	l.mu.Lock()
	all := l.lazy.rows
	l.mu.Unlock()
	for _, rows := range all {
		if !rows.resolved.Load() {
			l.wait(rows.set) // not within Do: a task that waits for another one must not count as running
			rows.once.Do(rows.fill)
			rows.resolved.Store(true)
		}
	}
}
