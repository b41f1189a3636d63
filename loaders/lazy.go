package loaders

import (
	"context"
	"sync"
	"sync/atomic"

	"twibase/hbase"
)

// lazy are the objects of a response that were returned before they were read.
//
// The executor writes its response at the end. So a resolver may return an object with its key
// alone, and the object's row is read in the same round as the lists of its owner, which need no
// more than the key. Before the response is written, the executor awaits the rows.
type lazy struct {
	allowed bool
	rows    []*lazyRows
	missing map[any]error // the objects that do not exist or, with an error, could not be read
}

// lazyRows are rows that were asked for together.
type lazyRows struct {
	reads    []*read
	fill     func([]hbase.Result)
	once     sync.Once
	resolved atomic.Bool
}

// lazily returns the objects of these keys with what the keys say, and asks for their rows.
func (o Object[T]) lazily(ctx context.Context, l *Loaders, keys []string, columns string) []*T {
	objects, reads := o.of.Promise(keys...), newRequests(len(keys))
	var m memory
	for _, key := range keys {
		reads.add(o.of.GetIn(&m, key, columns))
	}
	rows := &lazyRows{reads: l.ask(ctx, o.name, reads.list)}
	rows.fill = func(results []hbase.Result) {
		for i, r := range results {
			exists, err := false, r.Err
			if err == nil {
				exists, err = o.of.Fill(&m, objects[i], keys[i], r.Cells)
			}
			if !exists {
				l.miss(objects[i], err)
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lazy.rows = append(l.lazy.rows, rows)
	return objects
}

func (l *Loaders) lazyAllowed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lazy.allowed
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
			results := l.wait(rows.reads) // not within Do: a task that waits for another one must not count as running
			rows.once.Do(func() { rows.fill(results) })
			rows.resolved.Store(true)
		}
	}
}
