package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/hbase/tables"
	"twibase/loaders"
)

type relationField[P any, K comparable] struct {
	parents  func([]*P) []string
	argument string
	check    func(key string) error
	exists   loaders.Loader[string, bool]
	related  loaders.Loader[K, bool]
	key      func(parent, other string) K
}

func isRelated[T any](
	argument string, others loaders.Object[T], x *tables.Relation,
) relationField[tables.User, loaders.EdgeKey] {
	return relationField[tables.User, loaders.EdgeKey]{
		usernames, argument, others.Kind().CheckKey, others.Exists, loaders.Related,
		func(username, other string) loaders.EdgeKey {
			return loaders.EdgeKey{Relation: x, From: username, To: other}
		},
	}
}

func (f relationField[P, K]) resolve(ctx context.Context, parents []*P, other string) ([]*bool, error) {
	if f.check(other) != nil {
		return pointers(make([]bool, len(parents))), nil
	}
	return f.read(ctx, parents, other)
}

func (f relationField[P, K]) read(ctx context.Context, parents []*P, other string) ([]*bool, error) {
	keys := make([]K, len(parents))
	for i, parent := range f.parents(parents) {
		keys[i] = f.key(parent, other)
	}
	awaitExists := f.exists.Enqueue(ctx, []string{other})
	results, err := f.related.Load(ctx, keys)
	exists, existsErr := awaitExists()
	if !exists[0] {
		clear(results)
	}
	if existsErr != nil {
		err = loaders.At(existsErr, 0)
	}
	return pointers(results), err
}

func (f relationField[P, K]) cost(call *costCall) error {
	if other := argument[string](call, f.argument); f.check(other) == nil {
		f.readCost(call, other, f.argument+" "+other)
	}
	return nil
}

func (f relationField[P, K]) readCost(call *costCall, other, subject string) {
	call.readOther(call.Begin(), call.Shared(), f.exists.Shape(""), other, 1, "")
	call.readOther(call.Begin(), call.Parents, f.related.Shape(f.key("", "")), subject, 1, "")
}

type viewerRelationField[P any] struct {
	relationField[P, loaders.EdgeKey]
}

func viewerIsRelated[P any](parents func([]*P) []string, x *tables.Relation) viewerRelationField[P] {
	return viewerRelationField[P]{relationField[P, loaders.EdgeKey]{
		parents: parents, exists: loaders.Users.Exists, related: loaders.Related,
		key: func(parent, viewer string) loaders.EdgeKey {
			return loaders.EdgeKey{Relation: x, From: viewer, To: parent}
		},
	}}
}

func (f viewerRelationField[P]) resolve(ctx context.Context, parents []*P) ([]*bool, error) {
	viewer, known := auth.ViewerOf(ctx)
	if !known {
		return pointers(make([]bool, len(parents))), nil
	}
	return f.read(ctx, parents, viewer.Username)
}

func (f viewerRelationField[P]) cost(call *costCall) error {
	if _, known := auth.ViewerOf(call.Ctx); known {
		f.readCost(call, theViewer, byViewer)
	}
	return nil
}
