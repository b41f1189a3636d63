package plan

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// writer appends the answer. Null where the schema allows none goes up to the nearest object that may be null, by taking
// back what was appended of it.
type writer struct {
	ctx  context.Context
	op   *graphql.OperationContext
	exec any
	lost map[any]error
	dst  []byte
	path []step
}

// step is an element of a path: a response key, or an index if the key is empty.
type step struct {
	key   string
	index int
}

var errNull = errors.New("must not be null")

// object appends object i of a batch; it reports false, and appends nothing, if one of its fields can't be null and is.
func (w *writer) object(b *batch, i int32) bool {
	start := len(w.dst)
	w.dst = append(w.dst, '{')
	for k := range b.node.fields {
		s := &b.node.fields[k]
		if k > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = append(w.dst, s.key...)
		if s.field == nil {
			w.dst = AppendString(w.dst, b.node.object.Name)
			continue
		}
		w.path = append(w.path, step{key: s.Alias})
		ok := w.field(b, s, i)
		w.path = w.path[:len(w.path)-1]
		if !ok {
			if s.field.NonNull {
				w.dst = w.dst[:start]
				return false
			}
			w.dst = append(w.dst, "null"...)
		}
	}
	w.dst = append(w.dst, '}')
	return true
}

// field appends a field's value; it reports false, and appends nothing, if it is null.
func (w *writer) field(b *batch, s *selected, i int32) bool {
	if s.slot < 0 {
		return w.leaf(s, s.field.Leaf, b.objects[i])
	}
	col := &b.columns[s.slot]
	switch {
	case col.err != nil:
		return w.fail(s, col.err)
	case col.errs != nil && col.errs[i] != nil:
		return w.fail(s, col.errs[i])
	case col.values[i] == nil:
		if s.field.NonNull {
			w.fail(s, errNull)
		}
		return false
	case s.field.To == "":
		return w.leaf(s, s.field.Append, col.values[i])
	case s.field.List:
		return w.list(s, col, i)
	case col.at[col.from[i]] < 0:
		if s.field.NonNull {
			w.fail(s, errNull)
		}
		return false
	}
	return w.child(s, col, col.from[i], s.field.NonNull)
}

// leaf appends what is made of a value. Should that panic, the field fails.
func (w *writer) leaf(s *selected, appendTo func(context.Context, any, []byte, any) ([]byte, bool), value any) (ok bool) {
	defer func() {
		if panicked := recover(); panicked != nil {
			ok = w.fail(s, w.op.Recover(w.ctx, panicked))
		}
	}()
	if w.dst, ok = appendTo(w.ctx, w.exec, w.dst, value); !ok && s.field.NonNull {
		w.fail(s, errNull)
	}
	return ok
}

func (w *writer) list(s *selected, col *column, i int32) bool {
	start, from := len(w.dst), col.from[i]
	w.dst = append(w.dst, '[')
	for j := from; j < col.from[i+1]; j++ {
		if j > from {
			w.dst = append(w.dst, ',')
		}
		w.path = append(w.path, step{index: int(j - from)})
		null := col.at[j] < 0
		ok := !null && w.child(s, col, j, s.field.ElemNonNull)
		if null && s.field.ElemNonNull {
			w.fail(s, errNull)
		}
		w.path = w.path[:len(w.path)-1]
		if !ok {
			if s.field.ElemNonNull {
				w.dst = w.dst[:start]
				return false
			}
			w.dst = append(w.dst, "null"...)
		}
	}
	w.dst = append(w.dst, ']')
	return true
}

// child appends an object that a field led to. One that came to nothing is null.
func (w *writer) child(s *selected, col *column, j int32, nonNull bool) bool {
	kid, i := col.kid, col.at[j]
	if kid == nil {
		kid = col.of[j]
	}
	if w.lost != nil {
		if err, lost := w.lost[kid.objects[i]]; lost {
			if err == nil && nonNull {
				err = errNull
			}
			if err != nil {
				w.fail(s, err)
			}
			return false
		}
	}
	return w.object(kid, i)
}

// fail adds an error at the present path. It returns false.
func (w *writer) fail(s *selected, err error) bool {
	ctx := w.ctx
	for i, p := range w.path {
		at := &graphql.FieldContext{Index: &p.index}
		switch {
		case p.key != "" && i == len(w.path)-1:
			at = &graphql.FieldContext{Object: s.field.Object, Field: s.CollectedField}
		case p.key != "":
			at = &graphql.FieldContext{Field: graphql.CollectedField{Field: &ast.Field{Alias: p.key}}}
		}
		ctx = graphql.WithFieldContext(ctx, at)
	}
	failed := gqlerror.Wrap(err)
	if already := (*gqlerror.Error)(nil); errors.As(err, &already) {
		// Whoever made it did not know all the objects that it is for.
		clone := *already
		failed = &clone
	}
	failed.Path = graphql.GetPath(ctx)
	if s.Position != nil {
		failed.Locations = []gqlerror.Location{{Line: s.Position.Line, Column: s.Position.Column}}
	}
	graphql.AddError(ctx, failed)
	return false
}
