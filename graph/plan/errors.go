package plan

import "context"

type errorsKey struct{}

type errorsBound struct {
	most int
	more *int
}

// maxCauses is how many errors are told beyond the bound, each of which is another than those before: whoever presents errors logs what they come of.
const maxCauses = 16

// WithErrors returns a ctx in which the first errors of an answer are told, as many as said, and few others; more is set to the number of those that
// are not. A place for each costs more than all the rest when a store fails below very many objects.
func WithErrors(ctx context.Context, most int, more *int) context.Context {
	return context.WithValue(ctx, errorsKey{}, errorsBound{most, more})
}

// failures are the errors of an answer, in their order.
type failures struct {
	list  []failure
	more  int             // are not in the list
	texts map[string]bool // of the causes of those that are, once there are as many as are told
	bound errorsBound
}

// failure is an error, the ctx that tells where it is, and what it was before it had a place.
type failure struct {
	ctx   context.Context
	err   error
	cause error
}

func failuresOf(ctx context.Context) failures {
	bound, _ := ctx.Value(errorsKey{}).(errorsBound)
	return failures{bound: bound}
}

// forget begins anew.
func (f *failures) forget() { f.list, f.more, f.texts = nil, 0, nil }

// count is how many there are.
func (f *failures) count() int { return len(f.list) + f.more }

// take reports whether an error is to be told. Otherwise it is counted.
func (f *failures) take(cause error) bool {
	n := len(f.list)
	if f.bound.more == nil || n < f.bound.most || n < f.bound.most+maxCauses && f.news(cause) {
		return true
	}
	f.more++
	return false
}

// news reports whether no error in the list says the same.
func (f *failures) news(cause error) bool {
	if f.texts == nil {
		f.texts = map[string]bool{}
		for _, told := range f.list {
			f.texts[told.cause.Error()] = true
		}
	}
	text := cause.Error()
	if f.texts[text] {
		return false
	}
	f.texts[text] = true
	return true
}
