package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/loaders"
)

// question is a Boolean field: whether each parent is related to the object whose key an argument
// is.
type question[P any, K comparable] struct {
	parents  func([]*P) []string
	argument string
	check    func(key string) error
	exists   loaders.Loader[string, bool] // whether the other object exists
	related  loaders.Loader[K, bool]
	key      func(parent, other string) K
}

// resolve returns the answers. They are false if the other object does not exist.
func (q question[P, K]) resolve(ctx context.Context, parents []*P, other string) ([]*bool, error) {
	if q.check(other) != nil {
		return pointers(make([]bool, len(parents))), nil
	}
	return q.ask(ctx, parents, other)
}

func (q question[P, K]) ask(ctx context.Context, parents []*P, other string) ([]*bool, error) {
	keys := make([]K, len(parents))
	for i, parent := range q.parents(parents) {
		keys[i] = q.key(parent, other)
	}
	awaitExists := q.exists.Ask(ctx, []string{other})
	answers, err := q.related.Load(ctx, keys)
	exists, existsErr := awaitExists()
	if !exists[0] {
		clear(answers)
	}
	if existsErr = loaders.At(existsErr, 0); existsErr != nil {
		return pointers(answers), existsErr
	}
	return pointers(answers), err
}

func (q question[P, K]) cost(call *costCall) error {
	if other := argument[string](call, q.argument); q.check(other) == nil {
		q.askCost(call, other, q.argument+" "+other)
	}
	return nil
}

// askCost declares what ask reads. The subject is what all parents may be related to.
func (q question[P, K]) askCost(call *costCall, other, subject string) {
	call.askOnce(call.Begin(), q.exists.Outline(""), other, 1, "")
	call.ask(call.Begin(), call.Parents, q.related.Outline(q.key("", "")), subject, 1, "")
}

// viewerQuestion is a question whose other object is the viewer. The answers to a stranger are
// false.
type viewerQuestion[P any, K comparable] struct{ question[P, K] }

func (q viewerQuestion[P, K]) resolve(ctx context.Context, parents []*P) ([]*bool, error) {
	viewer, known := auth.ViewerOf(ctx)
	if !known {
		return pointers(make([]bool, len(parents))), nil
	}
	return q.ask(ctx, parents, viewer.Username)
}

func (q viewerQuestion[P, K]) cost(call *costCall) error {
	if _, known := auth.ViewerOf(call.Ctx); known {
		q.askCost(call, theViewer, byViewer)
	}
	return nil
}
