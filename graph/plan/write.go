package plan

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// writer appends the answer. A null where the schema allows none propagates to the nearest object that may be null: what was
// appended of it is taken back.
type writer struct {
	ctx     context.Context
	op      *graphql.OperationContext
	exec    any
	missing map[any]error
	dst     []byte
	path    []step
	failed  failures
	// careful is whether panics of leaves are recovered.
	careful bool
	// most is the limit of the answer in bytes, 0 for none; over is whether it is exceeded.
	most int
	over bool
}

// step is an element of a path: a response key, or an index if the key is empty.
type step struct {
	key   string
	index int
}

var errNull = errors.New("must not be null")

// answer appends the root object, and adds the errors to the response. Leaves hardly ever panic: only when one did is the answer
// written again, by a careful writer.
func (w *writer) answer(root *batch) []byte {
	if !w.attempt(root) {
		w.dst, w.path, w.careful = w.dst[:0], nil, true
		w.failed.forget()
		w.attempt(root)
	}
	if w.tooLong() {
		w.dst = append(w.dst[:0], "null"...)
		w.failed.forget()
		w.failed.list = []failure{{ctx: w.ctx, err: &LimitError{What: "the answer", Limit: w.most}}}
	}
	w.addErrors()
	return w.dst
}

// tooLong reports whether the answer exceeds its limit by now.
func (w *writer) tooLong() bool {
	w.over = w.over || w.most > 0 && len(w.dst) > w.most
	return w.over
}

// addErrors adds the errors to the response.
func (w *writer) addErrors() {
	for _, f := range w.failed.list {
		graphql.AddError(f.ctx, f.err)
	}
	if more := w.failed.bound.more; more != nil {
		*more = w.failed.more
	}
}

// attempt reports whether nothing panicked.
func (w *writer) attempt(root *batch) (done bool) {
	if !w.careful {
		defer func() { done = recover() == nil }()
	}
	if !w.object(root, 0) {
		w.dst = append(w.dst, "null"...)
	}
	return true
}

// object appends object i of a batch. It reports false, and appends nothing, if one of its fields can't be null and is.
func (w *writer) object(b *batch, i int32) bool {
	if w.tooLong() {
		return true // the answer is discarded
	}
	start, object, dst := len(w.dst), b.objects[i], w.dst
	if len(b.set.fields) == 0 {
		dst = append(dst, '{')
	}
	for k := range b.set.fields {
		s := &b.set.fields[k]
		dst = append(dst, s.key...)
		var ok bool
		switch {
		case s.field == nil:
			dst, ok = AppendString(dst, b.set.object.Name), true
		case s.hasColumn():
			w.dst = dst
			ok = w.field(b, s, i)
			dst = w.dst
		case w.careful || s.field.AddsErrors:
			w.dst = dst
			ok = w.leaf(s, s.field.Leaf, object)
			dst = w.dst
		default:
			if dst, ok = s.field.Leaf(w.ctx, w.exec, dst, object); !ok {
				w.null(s)
			}
		}
		if !ok {
			if s.field.NonNull {
				w.dst = dst[:start]
				return false
			}
			dst = append(dst, "null"...)
		}
	}
	w.dst = append(dst, '}')
	return true
}

// field appends a value that was resolved. It reports false, and appends nothing, if it is null.
func (w *writer) field(b *batch, s *selection, i int32) bool {
	col := &b.columns[s.column]
	if col.added != nil && w.added(s, col, i) {
		return false
	}
	switch {
	case col.err != nil:
		return w.fail(s, col.err)
	case col.errs != nil && col.errs[i] != nil:
		return w.fail(s, col.errs[i])
	case s.field.To == "":
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

// added adds the errors that a resolver added. It reports whether these are why the value is null.
func (w *writer) added(s *selection, col *column, i int32) bool {
	w.path = append(w.path, step{key: s.Alias})
	for _, e := range col.added[i] {
		w.failHere(s, e.err, e.below...)
	}
	w.path = w.path[:len(w.path)-1]
	return len(col.added[i]) > 0 && col.err == nil && (col.errs == nil || col.errs[i] == nil) && col.null(s.field, i)
}

// null reports whether the value for object i is null.
func (c *column) null(f *Field, i int32) bool {
	switch {
	case f.To == "":
		return c.values[i] == nil
	case f.List:
		_, _, ok := c.found.list(i)
		return !ok
	}
	return c.at != nil && c.at[i] < 0
}

// null adds an error if the field can't be null. It returns false.
func (w *writer) null(s *selection) bool {
	if s.field.NonNull {
		w.fail(s, errNull)
	}
	return false
}

// leaf appends the leaf that a value is. If that panics the field of a careful writer fails.
func (w *writer) leaf(s *selection, appendTo func(ctx context.Context, exec any, dst []byte, value any) ([]byte, bool), value any) (ok bool) {
	defer func() {
		if !w.careful {
			return
		}
		if panicked := recover(); panicked != nil {
			ok = w.fail(s, w.op.Recover(w.ctx, panicked))
		}
	}()
	if !s.field.AddsErrors {
		if w.dst, ok = appendTo(w.ctx, w.exec, w.dst, value); !ok {
			return w.null(s)
		}
		return true
	}
	before := w.failed.count()
	if w.dst, ok = appendTo(w.leafCtx(s), w.exec, w.dst, value); !ok && w.failed.count() == before {
		return w.null(s)
	}
	return ok
}

func (w *writer) list(s *selection, col *column, i int32) bool {
	from, to, ok := col.found.list(i)
	if !ok {
		return w.null(s)
	}
	start, depth := len(w.dst), len(w.path)
	w.path = append(w.path, step{key: s.Alias}, step{})
	w.dst = append(w.dst, '[')
	for j := from; j < to && ok && !w.over; j++ {
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

// child appends the j-th object that a field led to, to which the path leads. A missing lazy object is null.
func (w *writer) child(s *selection, col *column, j int32, nonNull bool) bool {
	b, i := col.child(j)
	var err error
	if b != nil {
		missing := false
		if w.missing != nil {
			err, missing = w.missing[b.objects[i]]
		}
		if !missing {
			return w.object(b, i)
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

// fail adds an error of a field. It returns false.
func (w *writer) fail(s *selection, err error) bool {
	w.path = append(w.path, step{key: s.Alias})
	w.failHere(s, err)
	w.path = w.path[:len(w.path)-1]
	return false
}

// failHere adds an error at the present path, which leads to a field or to an element of its list, or below it. It returns false.
func (w *writer) failHere(s *selection, err error, below ...ast.PathElement) bool {
	if list, ok := err.(gqlerror.List); ok {
		for _, err := range list {
			if err != nil {
				w.failHere(s, err)
			}
		}
		return false
	}
	if !w.failed.take(err) {
		return false
	}
	ctx := w.at(s)
	failed := gqlerror.Wrap(err)
	if already := (*gqlerror.Error)(nil); errors.As(err, &already) {
		// It may be shared by many objects: each needs a copy with its path.
		clone := *already
		failed = &clone
	}
	failed.Path = append(graphql.GetPath(ctx), below...)
	if s.Position != nil && (below == nil || failed.Locations == nil) {
		failed.Locations = []gqlerror.Location{{Line: s.Position.Line, Column: s.Position.Column}}
	}
	w.failed.list = append(w.failed.list, failure{ctx, failed, err})
	return false
}
