package plan

import "context"

type errorsKey struct{}

type errorsBound struct {
	most int
	more *int
}

// maxCauses is how many errors are reported beyond the bound, if each has another text than those before: the presenter of
// errors logs their causes.
const maxCauses = 16

// WithErrors returns a ctx that bounds the errors of an answer: the first most are reported, and at most [maxCauses] further ones.
// more is set to the number of the others. If a store fails below very many objects, a path for each error would cost more than
// everything else.
func WithErrors(ctx context.Context, most int, more *int) context.Context {
	return context.WithValue(ctx, errorsKey{}, errorsBound{most, more})
}

// failures are the errors of an answer, in order.
type failures struct {
	list  []failure
	more  int             // the number of errors that are not in the list
	texts map[string]bool // the texts of the causes in the list, once the bound is reached
	bound errorsBound
}

// failure is an error with its path, the ctx of that path, and the error as it was returned.
type failure struct {
	ctx   context.Context
	err   error
	cause error
}

func failuresOf(ctx context.Context) failures {
	bound, _ := ctx.Value(errorsKey{}).(errorsBound)
	return failures{bound: bound}
}

// forget removes all errors.
func (f *failures) forget() { f.list, f.more, f.texts = nil, 0, nil }

// count is the number of errors.
func (f *failures) count() int { return len(f.list) + f.more }

// take reports whether an error is to be reported. Otherwise it is counted.
func (f *failures) take(cause error) bool {
	n := len(f.list)
	if f.bound.more == nil || n < f.bound.most || n < f.bound.most+maxCauses && f.isNew(cause) {
		return true
	}
	f.more++
	return false
}

// isNew reports whether no error in the list has the same text.
func (f *failures) isNew(cause error) bool {
	if f.texts == nil {
		f.texts = map[string]bool{}
		for _, known := range f.list {
			f.texts[known.cause.Error()] = true
		}
	}
	text := cause.Error()
	if f.texts[text] {
		return false
	}
	f.texts[text] = true
	return true
}

type mostKey struct{}

// WithMost returns a ctx that limits an answer in bytes. A longer one is null, with a [LimitError].
func WithMost(ctx context.Context, bytes int) context.Context {
	return context.WithValue(ctx, mostKey{}, bytes)
}

func mostOf(ctx context.Context) int {
	most, _ := ctx.Value(mostKey{}).(int)
	return most
}
