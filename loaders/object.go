package loaders

import (
	"context"
	"sync"
	"sync/atomic"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Object loads objects of one kind. The row of a lazy object is enqueued immediately, and read in
// the round of the object's lists. The executor awaits it before it writes the response.
type Object[T any] struct {
	Loader[ObjectKey, *T]
	// Exists loads whether an object exists: lists may name deleted objects.
	Exists Loader[string, bool]
	of     *tables.Object[T]
}

func object[T any](name string, of *tables.Object[T]) Object[T] {
	return Object[T]{
		of: of,
		Loader: Loader[ObjectKey, *T]{
			name: name,
			get:  func(m *tables.Memory, r ObjectKey) hbase.Get { return of.GetIn(m, r.Key, r.Columns) },
			decode: func(m *tables.Memory, r ObjectKey, cells []hbase.Cell) (*T, error) {
				return of.DecodeIn(m, r.Key, cells)
			},
		},
		Exists: Loader[string, bool]{
			name: name,
			get:  func(m *tables.Memory, key string) hbase.Get { return of.GetIn(m, key, tables.Existence) },
			decode: func(_ *tables.Memory, key string, cells []hbase.Cell) (bool, error) {
				return of.Exists(key, cells)
			},
		},
	}
}

func (o Object[T]) Kind() *tables.AnyObject { return &o.of.AnyObject }

// Roots returns lazy objects for keys that may name no object, such as keys from a client. It
// always reads the rows.
func (o Object[T]) Roots(ctx context.Context, keys, fields []string) []*T {
	return o.lazily(ctx, keys, o.columnsOrExistence(fields))
}

// Named returns objects for keys from a list or a column. They are lazy, unless the fields need
// only the keys.
func (o Object[T]) Named(ctx context.Context, keys, fields []string) []*T {
	if columns := o.of.Columns(fields); columns != "" {
		return o.lazily(ctx, keys, columns)
	}
	return o.of.New(keys...)
}

// Read waits for the objects. An object that does not exist is nil.
func (o Object[T]) Read(ctx context.Context, keys, fields []string) ([]*T, error) {
	rows, columns := make([]ObjectKey, len(keys)), o.columnsOrExistence(fields)
	for i, key := range keys {
		rows[i] = ObjectKey{key, columns}
	}
	return o.Load(ctx, rows)
}

func (o Object[T]) columnsOrExistence(fields []string) string {
	if columns := o.of.Columns(fields); columns != "" {
		return columns
	}
	return tables.Existence
}

type lazyRows struct {
	set      *readSet
	fill     func()
	once     sync.Once
	resolved atomic.Bool
}

func (o Object[T]) lazily(ctx context.Context, keys []string, columns string) []*T {
	l, objects, set := from(ctx), o.of.NewLazy(keys...), newReadSet(len(keys))
	var m tables.Memory
	for _, key := range keys {
		set.add(o.of.GetIn(&m, key, columns))
	}
	l.enqueue(ctx, o.name, set)
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
	l.lazy = append(l.lazy, rows)
	return objects
}

func (l *Loaders) miss(object any, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.missing == nil {
		l.missing = map[any]error{}
	}
	l.missing[object] = err
}

// Await waits for all lazy objects, for a resolver that reads attributes of its parents.
func Await(ctx context.Context) { from(ctx).await() }

func (l *Loaders) await() {
	l.mu.Lock()
	all := l.lazy
	l.mu.Unlock()
	for _, rows := range all {
		if !rows.resolved.Load() {
			l.wait(rows.set) // not in Do: a second task would block in Do, and count as running
			rows.once.Do(rows.fill)
			rows.resolved.Store(true)
		}
	}
}

func (o Object[T]) scanOf(r Range, fields []string) hbase.Scan {
	return pageScan(r, hbase.Scan{Table: o.of.Table, Columns: o.columnsOrExistence(fields)})
}

// Scan reads a page of all objects, in the order of their row keys. Deleted objects are nil.
func (o Object[T]) Scan(ctx context.Context, r Range, fields []string) (Page[*T], error) {
	rows, err := from(ctx).scan(ctx, o.name, o.scanOf(r, fields))
	if err != nil {
		return Page[*T]{}, err
	}
	var m tables.Memory
	return scanned(rows, r, func(row hbase.Row) (t *T, position string, err error) {
		key, err := tables.OwnerOf(row.Key)
		if err == nil {
			t, err = o.of.DecodeIn(&m, key, row.Cells)
		}
		return t, row.Key, err
	})
}
