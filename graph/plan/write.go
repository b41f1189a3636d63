package plan

import (
	"context"
	"errors"
)

// writer appends the response data to dst, and collects the errors.
//
// A lazy object without a row is absent if @semanticNonNull excludes null there, and so is an
// object with an absent field. Absence propagates without an error, and ends at the nearest
//   - list: the element is omitted if its type is non-null or the directive covers the elements,
//     and otherwise null.
//   - root field, or field without the directive: the field is null, with an error if its type is
//     non-null, or if it is a root field with the directive.
//
// A lazy object whose row could not be read is null, with an error.
type writer struct {
	*request
	output
	results *results
	missing map[any]error
	path    []step // of the field or list element being written
	// failures are added after the data, because an absent object, a second write or a rejection
	// drops them.
	failures   []failure
	maxErrors  int  // in failures; 0 is no limit
	unreported int  // errors beyond maxErrors
	guarded    bool // leaf recovers panics
	recovered  bool // leaf has recovered a panic
}

// outcome is the result of a method that appends a value.
type outcome uint8

const (
	written outcome = iota // also if the data are rejected: see [output.proceed]
	// null: nothing was appended. The caller appends null, or returns null if the type is non-null.
	null
	// absent: nothing was appended. The caller returns absent, unless absence ends there.
	absent
)

// step is an index if the key is empty.
type step struct {
	key   string
	index int
}

var errNull = errors.New("must not be null")

func (w *writer) data(root *objectSet) []byte {
	defer w.releaseSlot()
	w.write(root)
	if !w.proceed() {
		w.dst = []byte("null")
		w.failures, w.unreported = []failure{{w.ctx, w.rejection}}, 0
	}
	w.releaseSlot()
	w.addErrors()
	return w.dst
}

// write writes the response, and again, guarded, after a panic of a leaf. For what it saves not to
// guard every leaf from the start, see late-guard in 'go -C bench run . without'.
func (w *writer) write(root *objectSet) {
	defer func() {
		panicked := recover()
		if panicked == nil {
			return
		}
		w.releaseSlot()
		w.dst, w.nextPause = w.dst[:0], 0
		w.path, w.failures, w.unreported = nil, nil, 0
		w.guarded = true
		w.root(root)
		if !w.recovered { // the stack trace for Recover still has the leaf that panicked
			w.failures = append(w.failures, failure{w.ctx, w.op.Recover(w.ctx, panicked)})
		}
	}()
	w.root(root)
}

func (w *writer) root(o *objectSet) {
	if w.object(o, 0) != written {
		w.dst = append(w.dst, "null"...)
	}
}

func (w *writer) object(o *objectSet, i int32) outcome {
	if !w.proceed() {
		return written
	}
	start, dst := len(w.dst), w.dst // a local variable is cheaper to append to
	if len(o.set.fields) == 0 {
		dst = append(dst, '{')
	}
	for k := range o.set.fields {
		s := &o.set.fields[k]
		dst = append(dst, s.key...)
		out := written
		switch {
		case s.field == nil:
			dst = AppendString(dst, o.set.object.Name)
		case s.hasColumn():
			w.dst = dst
			out = w.field(s, i)
			dst = w.dst
		case w.guarded || s.field.AddsErrors:
			w.dst = dst
			out = w.leaf(s, s.field.Leaf, o.objects[i])
			dst = w.dst
		default:
			var ok bool
			if dst, ok = s.field.Leaf(w.ctx, w.exec, dst, o.objects[i]); !ok {
				out = w.failIfNonNull(s)
			}
		}
		if len(dst) > w.nextPause { // an object can have hundreds of long texts
			if w.dst = dst; !w.pause() {
				return written
			}
			dst = w.dst
		}
		if out == written {
			continue
		}
		if out == absent || s.field.NonNull {
			w.dst = dst[:start]
			return out
		}
		dst = append(dst, "null"...)
	}
	w.dst = append(dst, '}')
	return written
}

func (w *writer) field(s *selection, i int32) outcome {
	col := w.results.column(s)
	added := col.added != nil && w.added(s, col.added[i])
	switch {
	case col.err != nil:
		return w.fail(s, col.err)
	case col.errs != nil && col.errs[i] != nil:
		return w.fail(s, col.errs[i])
	case added && col.isNull(s.field, i): // a non-null field needs no further error
		return null
	case s.field.Composite == "":
		if col.values[i] == nil {
			return w.failIfNonNull(s)
		}
		return w.leaf(s, s.field.Append, col.values[i])
	case s.field.List:
		return w.list(s, col, i)
	}
	w.path = append(w.path, step{key: s.Alias})
	out := w.child(s, col, i, s.field.NonNull, s.semNonNull)
	if out == absent && (!s.semNonNull || len(w.path) == 1) {
		if out = null; s.semNonNull || s.field.NonNull {
			w.failHere(s, errNull)
		}
	}
	w.path = w.path[:len(w.path)-1]
	return out
}

func (w *writer) added(s *selection, errs []addedError) bool {
	w.path = append(w.path, step{key: s.Alias})
	for _, e := range errs {
		w.failHere(s, e.err, e.below...)
	}
	w.path = w.path[:len(w.path)-1]
	return len(errs) > 0
}

// failIfNonNull returns null.
func (w *writer) failIfNonNull(s *selection) outcome {
	if s.field.NonNull {
		w.fail(s, errNull)
	}
	return null
}

type appendFunc = func(ctx context.Context, exec any, dst []byte, value any) ([]byte, bool)

// leaf appends a leaf. It adds an error for null of a non-null type, unless appendTo has added one.
// In a guarded writer, a leaf that panics is null, with an error.
func (w *writer) leaf(s *selection, appendTo appendFunc, value any) (out outcome) {
	if w.guarded {
		defer func() {
			if panicked := recover(); panicked != nil { // w.dst is as before
				w.recovered = true
				out = w.fail(s, w.op.Recover(w.ctx, panicked))
			}
		}()
	}
	ctx, before := w.ctx, w.countErrors()
	if s.field.AddsErrors {
		ctx = w.leafCtx(s)
	}
	var ok bool
	if w.dst, ok = appendTo(ctx, w.exec, w.dst, value); ok {
		return written
	}
	if w.countErrors() > before {
		return null
	}
	return w.failIfNonNull(s)
}

func (w *writer) list(s *selection, col *column, i int32) outcome {
	from, to, ok := col.children.list(i)
	if !ok {
		return w.failIfNonNull(s)
	}
	start, depth := len(w.dst), len(w.path)
	w.path = append(w.path, step{key: s.Alias}, step{})
	w.dst = append(w.dst, '[')
	for j, n := from, 0; j < to && w.proceed(); j, n = j+1, n+1 {
		before := len(w.dst)
		if n > 0 {
			w.dst = append(w.dst, ',')
		}
		w.path[depth+1].index = n
		switch out := w.child(s, col, j, s.field.ElemNonNull, s.elemSemNonNull); {
		case out == written:
		case out == absent && (s.elemSemNonNull || s.field.ElemNonNull):
			w.dst, n = w.dst[:before], n-1
		case s.field.ElemNonNull:
			w.dst, w.path = w.dst[:start], w.path[:depth]
			return null
		default:
			w.dst = append(w.dst, "null"...)
		}
	}
	w.path = w.path[:depth]
	w.dst = append(w.dst, ']')
	return written
}

// child appends child j of a column, at w.path.
func (w *writer) child(s *selection, col *column, j int32, nonNull, semNonNull bool) outcome {
	o, i := col.child(j)
	var err error
	if o == nil {
		err = col.childErrs[j]
	} else {
		missing := false
		if w.missing != nil {
			err, missing = w.missing[o.objects[i]]
		}
		if !missing {
			return w.foundObject(o, i)
		}
		if err == nil && semNonNull {
			return absent
		}
	}
	if err == nil && nonNull {
		err = errNull
	}
	if err != nil {
		w.failHere(s, err)
	}
	return null
}

// foundObject is like object, but drops the errors of an absent object.
func (w *writer) foundObject(o *objectSet, i int32) outcome {
	failures, unreported := len(w.failures), w.unreported
	out := w.object(o, i)
	if out == absent {
		w.failures, w.unreported = w.failures[:failures], unreported
	}
	return out
}
