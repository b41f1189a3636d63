package loaders

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Object loads objects of one kind.
type Object[T any] struct {
	Loader[Row, *T]
	// Exists loads whether the object of a key exists. Deleted objects do not, even if lists still
	// refer to them.
	Exists Loader[string, bool]
	of     *tables.Object[T]
}

// Kind returns the declaration of the objects.
func (o Object[T]) Kind() *tables.AnyObject { return &o.of.AnyObject }

func object[T any](name string, of *tables.Object[T]) Object[T] {
	exists := Loader[string, bool]{
		name:   name,
		get:    func(m *memory, key string) get { return of.GetIn(m, key, tables.Existence) },
		decode: func(_ *memory, key string, cells []cell) (bool, error) { return of.Exists(key, cells) },
	}
	return Object[T]{of: of, Exists: exists, Loader: Loader[Row, *T]{
		name:   name,
		get:    func(m *memory, r Row) get { return of.GetIn(m, r.Key, r.Columns) },
		decode: func(m *memory, r Row, cells []cell) (*T, error) { return of.DecodeIn(m, r.Key, cells) },
	}}
}

// Roots returns the objects of these keys, with what the schema's fields need. Unlike
// [Object.Named] it always reads, because the keys come from the client. The objects are lazy: one that
// does not exist becomes null.
func (o Object[T]) Roots(ctx context.Context, keys, fields []string) []*T {
	return o.lazily(ctx, keys, o.existing(fields))
}

// Named returns the lazy objects that a list or a column named. If the fields need no more than the
// keys, nothing is read.
func (o Object[T]) Named(ctx context.Context, keys, fields []string) []*T {
	if columns := o.of.Columns(fields); columns != "" {
		return o.lazily(ctx, keys, columns)
	}
	return o.of.New(keys...)
}

// Read answers the objects of these keys, nil where there is none, when they have been read.
func (o Object[T]) Read(ctx context.Context, keys, fields []string) ([]*T, error) {
	rows, columns := make([]Row, len(keys)), o.existing(fields)
	for i, key := range keys {
		rows[i] = Row{key, columns}
	}
	return o.Load(ctx, rows)
}

// existing returns the columns that the fields need, at least the one that tells whether there is
// such an object.
func (o Object[T]) existing(fields []string) string {
	if columns := o.of.Columns(fields); columns != "" {
		return columns
	}
	return tables.Existence
}

// scanOf returns the scan that reads a page of all objects. One more than the page tells whether
// another follows. A scan downwards starts with the very row before which the page ends.
func (o Object[T]) scanOf(w Range, fields []string) hbase.Scan {
	scan := hbase.Scan{Table: o.of.Table, Columns: o.existing(fields), Limit: w.Limit + 1, PageSize: w.Limit + 1}
	if w.Backward {
		scan.Reversed, scan.Start, scan.Stop = true, w.Before, w.After
		if w.Before != "" {
			scan.Limit, scan.PageSize = scan.Limit+1, scan.PageSize+1
		}
	} else {
		scan.Start, scan.Stop = w.After, w.Before
		if w.After != "" {
			scan.Start = hbase.Next(w.After)
		}
	}
	return scan
}

// Scan answers a page of all objects there ever were, in the order of their row keys, which are
// also the positions. Those that were deleted are nil.
func (o Object[T]) Scan(ctx context.Context, w Range, fields []string) (Page[*T], error) {
	var p Page[*T]
	var m memory
	rows, err := from(ctx).scan(ctx, o.name, o.scanOf(w, fields))
	if err != nil {
		return Page[*T]{}, err
	}
	for _, row := range rows {
		if w.Backward && row.Key == w.Before {
			continue
		}
		key, err := tables.OwnerOf(row.Key)
		if err != nil {
			return Page[*T]{}, err
		}
		t, err := o.of.DecodeIn(&m, key, row.Cells)
		if err != nil {
			return Page[*T]{}, err
		}
		p.Members, p.Positions = append(p.Members, t), append(p.Positions, row.Key)
	}
	if w.Backward {
		slices.Reverse(p.Members)
		slices.Reverse(p.Positions)
	}
	p.cut(w)
	return p, nil
}

// cut drops the object beyond the limit, which was read to tell whether more follow.
func (p *Page[E]) cut(r Range) {
	more := len(p.Members) > r.Limit
	switch {
	case more && r.Backward:
		first := len(p.Members) - r.Limit
		p.Members, p.Positions = p.Members[first:], p.Positions[first:]
	case more:
		p.Members, p.Positions = p.Members[:r.Limit], p.Positions[:r.Limit]
	}
	if r.Backward {
		p.HasPrevious, p.HasNext = more, r.Before != ""
	} else {
		p.HasNext, p.HasPrevious = more, r.After != ""
	}
}

// CheckRow reports why a position, which may come from a client, can't be one of [Object.Scan].
func CheckRow(position string) error {
	_, err := tables.OwnerOf(position)
	return err
}

// exists returns a loader that loads whether a Get finds anything.
func exists[K comparable](name string, of func(K) get) Loader[K, bool] {
	return Loader[K, bool]{
		name:   name,
		get:    func(_ *memory, key K) get { return of(key) },
		decode: func(_ *memory, _ K, cells []cell) (bool, error) { return len(cells) > 0, nil },
	}
}
