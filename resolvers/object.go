package resolvers

import (
	"context"

	"twibase/loaders"
)

type lookup[T any] struct {
	objects  loaders.Object[T]
	argument string
}

func (l lookup[T]) resolve(ctx context.Context, key string) (*T, error) {
	if l.objects.Kind().CheckKey(key) != nil {
		return nil, nil
	}
	return l.objects.Roots(ctx, []string{key}, selected(ctx).names())[0], nil
}

func (l lookup[T]) cost(call *costCall) error {
	if l.objects.Kind().CheckKey(argument[string](call, l.argument)) == nil {
		returnRoot(call, l.objects, selected(call.Ctx).names())
	}
	return nil
}

type reference[P, T any] struct {
	objects loaders.Object[T]
	// attribute is true if key reads an attribute, so lazy parents are loaded first.
	attribute bool
	// key returns nil if there is no reference.
	key func(parent *P) *string
}

func (f reference[P, T]) resolve(ctx context.Context, parents []*P) ([]*T, error) {
	keys := f.keys(ctx, parents)
	values, indexes := present(keys)
	objects := make([]*T, len(keys))
	for j, object := range f.objects.Named(ctx, values, selected(ctx).names()) {
		objects[indexes[j]] = object
	}
	return objects, nil
}

func (f reference[P, T]) keys(ctx context.Context, parents []*P) []*string {
	if f.attribute {
		loaders.Await(ctx)
	}
	keys := make([]*string, len(parents))
	for i, parent := range parents {
		if parent != nil {
			keys[i] = f.key(parent)
		}
	}
	return keys
}

func (f reference[P, T]) cost(call *costCall) error {
	at := call.Begin()
	if f.attribute {
		at = awaitParents(at)
	}
	returnNamed(call, at, f.objects, selected(call.Ctx).names(), 1)
	return nil
}

func present(keys []*string) (values []string, indexes []int) {
	for i, key := range keys {
		if key != nil {
			values, indexes = append(values, *key), append(indexes, i)
		}
	}
	return values, indexes
}

func scatter[T any](all []T, errs loaders.Errors, indexes []int, values []T, err error) {
	for j, i := range indexes {
		all[i], errs[i] = values[j], loaders.At(err, j)
	}
}

func keysOf[T any](parents []*T, key func(*T) string) []string {
	keys := make([]string, len(parents))
	for i, parent := range parents {
		if parent != nil {
			keys[i] = key(parent)
		}
	}
	return keys
}

func pointers[T any](values []T) []*T {
	list := make([]*T, len(values))
	for i := range values {
		list[i] = &values[i]
	}
	return list
}
