package writers

import "context"

type provided struct{}

// Provided returns a context for one write, which is decided only if allowed then returns nil; else it changes nothing, and allowed's error is its
// own. The write reads meanwhile, so that a caller can find out in the same round whether it may be made. allowed waits until that is known, and
// may be called several times.
func Provided(ctx context.Context, allowed func() error) context.Context {
	return context.WithValue(ctx, provided{}, allowed)
}

// provision returns what the write of a context depends on. What that write demands, and what it helps, was decided and depends on nothing.
func provision(ctx context.Context) func() error {
	if allowed, given := ctx.Value(provided{}).(func() error); given {
		return allowed
	}
	return always
}

func always() error { return nil }
