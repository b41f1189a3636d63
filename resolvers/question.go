package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// question is a Boolean field: whether each parent is related to the object whose key an argument
// is.
type question[P any, K comparable] struct {
	parents  func([]*P) []string
	argument string
	check    func(key string) error       // reports why a key can't be that of the other object
	exists   loaders.Loader[string, bool] // whether the other object exists
	related  loaders.Loader[K, bool]
	key      func(parent, other string) K
}

// isRelated returns the question whether users have a relation to an object.
func isRelated[T any](argument string, others loaders.Object[T], x *tables.Relation) question[tables.User, loaders.Relation] {
	return question[tables.User, loaders.Relation]{
		usernames, argument, others.Kind().CheckKey, others.Exists, loaders.Related,
		func(username, other string) loaders.Relation { return loaders.Relation{Kind: x, A: username, B: other} },
	}
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
	if existsErr != nil {
		err = loaders.At(existsErr, 0)
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
	call.ask(call.Begin(), call.Shared(), q.exists.Shape(""), other, 1, "")
	call.ask(call.Begin(), call.Parents, q.related.Shape(q.key("", "")), subject, 1, "")
}

// viewerQuestion is the question whether the viewer is related to each parent. The answers to a
// stranger are false.
type viewerQuestion[P any] struct{ question[P, loaders.Relation] }

func viewerIsRelated[P any](parents func([]*P) []string, x *tables.Relation) viewerQuestion[P] {
	return viewerQuestion[P]{question[P, loaders.Relation]{
		parents: parents, exists: loaders.Users.Exists, related: loaders.Related,
		key: func(parent, viewer string) loaders.Relation { return loaders.Relation{Kind: x, A: viewer, B: parent} },
	}}
}

func (q viewerQuestion[P]) resolve(ctx context.Context, parents []*P) ([]*bool, error) {
	viewer, known := auth.ViewerOf(ctx)
	if !known {
		return pointers(make([]bool, len(parents))), nil
	}
	return q.ask(ctx, parents, viewer.Username)
}

func (q viewerQuestion[P]) cost(call *costCall) error {
	if _, known := auth.ViewerOf(call.Ctx); known {
		q.askCost(call, theViewer, byViewer)
	}
	return nil
}
