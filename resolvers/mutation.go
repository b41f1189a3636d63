package resolvers

import (
	"context"
	"errors"

	"twibase/graph/model"
	"twibase/loaders"
	"twibase/writers"
)

// change makes a change, and returns the userErrors of its payload: none if it was made. What was read before is forgotten, so that
// the payload shows what was written.
func change(ctx context.Context, write func() error) ([]*model.UserError, error) {
	var err error
	loaders.Away(ctx, func() { err = write() })
	loaders.Forget(ctx)
	problems := writers.Problems(nil)
	if err != nil && !errors.As(err, &problems) {
		return nil, err
	}
	list := make([]*model.UserError, len(problems))
	for i, p := range problems {
		list[i] = &model.UserError{Code: model.UserErrorCode(p.Code), Message: p.Message}
		if p.Field != "" {
			list[i].Field = &problems[i].Field
		}
	}
	return list, nil
}

// changed returns an object of the payload that is being resolved, with what is selected of it.
func changed[T any](ctx context.Context, objects loaders.Object[T], payload, field, typ, key string) (*T, error) {
	fields := selected(ctx, payload).below(ctx, field, typ).names()
	found, err := objects.Named(ctx, []string{key}, fields)
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	return found[0], nil
}
