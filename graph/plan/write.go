package plan

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
)

// writer appends the response data to dst. A non-null field that is null makes its object null, and
// so on up to the nearest nullable field: object, list and child then return false and append
// nothing.
type writer struct {
	ctx     context.Context
	op      *graphql.OperationContext
	exec    any
	memory  *memory
	missing map[any]error
	dst     []byte
	path    []step
	bounds  *Bounds
	failed  []failure
}

// step is an element of a path: a response key, or an index if the key is empty.
type step struct {
	key   string
	index int
}

var errNull = errors.New("must not be null")

// data returns the root object, and adds the errors to the response.
func (w *writer) data(root *objectSet) []byte {
	if !w.object(root, 0) {
		w.dst = append(w.dst, "null"...)
	}
	if w.tooLong() {
		w.dst = append(w.dst[:0], "null"...)
		w.failed, w.bounds.Unreported = []failure{{w.ctx, &LimitError{"the answer in bytes", w.bounds.Bytes}}}, 0
	}
	w.addErrors()
	return w.dst
}

func (w *writer) tooLong() bool { return w.bounds.Bytes > 0 && len(w.dst) > w.bounds.Bytes }

// object appends object i of an object set, unless it is null because of a non-null field.
func (w *writer) object(o *objectSet, i int32) bool {
	if w.tooLong() {
		return true
	}
	start, n := len(w.dst), len(o.set.fields)
	if n == 0 {
		w.dst = append(w.dst, '{')
	}
	for k := w.fields(o, i, 0); k < n; k = w.fields(o, i, k+1) {
		if o.set.fields[k].field.NonNull {
			w.dst = w.dst[:start]
			return false
		}
		w.dst = append(w.dst, "null"...)
	}
	w.dst = append(w.dst, '}')
	return true
}

// fields appends fields from k to the first null, and returns its index: of this field it appends
// the key. Without a null it returns the number of fields. A leaf that panics is null, with an
// error.
func (w *writer) fields(o *objectSet, i int32, k int) (null int) {
	defer func() {
		if panicked := recover(); panicked != nil {
			w.fail(&o.set.fields[null], w.op.Recover(w.ctx, panicked))
		}
	}()
	for null = k; null < len(o.set.fields); null++ {
		s := &o.set.fields[null]
		w.dst = append(w.dst, s.key...)
		ok := true
		switch {
		case s.field == nil:
			w.dst = AppendString(w.dst, o.set.object.Name)
		case s.hasColumn():
			ok = w.field(s, i)
		default:
			ok = w.leaf(s, s.field.Leaf, o.objects[i])
		}
		if !ok {
			break
		}
	}
	return null
}

// field appends the value of a field with a column, unless it is null.
func (w *writer) field(s *selection, i int32) bool {
	col := w.memory.column(s)
	if col.added != nil && w.added(s, col, i) {
		return false
	}
	switch {
	case col.err != nil:
		return w.fail(s, col.err)
	case col.errs != nil && col.errs[i] != nil:
		return w.fail(s, col.errs[i])
	case s.field.Composite == "":
		if col.values[i] == nil {
			return w.null(s)
		}
		return w.leaf(s, s.field.Append, col.values[i])
	case s.field.List:
		return w.list(s, col, i)
	}
	w.path = append(w.path, step{key: s.Alias})
	ok := w.child(s, col, i, s.field.NonNull)
	w.path = w.path[:len(w.path)-1]
	return ok
}

// added adds the errors that the resolver added. It reports whether the value is null because of
// them.
func (w *writer) added(s *selection, col *column, i int32) bool {
	w.path = append(w.path, step{key: s.Alias})
	for _, e := range col.added[i] {
		w.failHere(s, e.err, e.below...)
	}
	w.path = w.path[:len(w.path)-1]
	return len(col.added[i]) > 0 && col.err == nil && (col.errs == nil || col.errs[i] == nil) && col.null(s.field, i)
}

// null adds an error if the field is non-null. It returns false.
func (w *writer) null(s *selection) bool {
	if s.field.NonNull {
		w.fail(s, errNull)
	}
	return false
}

// appendFunc appends a leaf: see [Field].Leaf and [Field].Append.
type appendFunc = func(ctx context.Context, exec any, dst []byte, value any) ([]byte, bool)

// leaf appends a leaf, unless it is null.
func (w *writer) leaf(s *selection, appendTo appendFunc, value any) (ok bool) {
	ctx, before := w.ctx, w.countErrors()
	if s.field.AddsErrors {
		ctx = w.leafCtx(s)
	}
	if w.dst, ok = appendTo(ctx, w.exec, w.dst, value); !ok && w.countErrors() == before {
		w.null(s)
	}
	return ok
}

// list appends the list of object i, unless it is null.
func (w *writer) list(s *selection, col *column, i int32) bool {
	from, to, ok := col.children.list(i)
	if !ok {
		return w.null(s)
	}
	start, depth := len(w.dst), len(w.path)
	w.path = append(w.path, step{key: s.Alias}, step{})
	w.dst = append(w.dst, '[')
	for j := from; j < to && ok && !w.tooLong(); j++ {
		if j > from {
			w.dst = append(w.dst, ',')
		}
		w.path[depth+1].index = int(j - from)
		if !w.child(s, col, j, s.field.ElemNonNull) {
			ok = !s.field.ElemNonNull
			w.dst = append(w.dst, "null"...)
		}
	}
	w.path = w.path[:depth]
	if !ok {
		w.dst = w.dst[:start]
		return false
	}
	w.dst = append(w.dst, ']')
	return true
}

// child appends the j-th child of a field, unless it is null or missing. The path is the child's.
func (w *writer) child(s *selection, col *column, j int32, nonNull bool) bool {
	o, i := col.child(j)
	var err error
	if o != nil {
		missing := false
		if w.missing != nil {
			err, missing = w.missing[o.objects[i]]
		}
		if !missing {
			return w.object(o, i)
		}
	}
	if err == nil && nonNull {
		err = errNull
	}
	if err != nil {
		w.failHere(s, err)
	}
	return false
}
