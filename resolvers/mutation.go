package resolvers

import (
	"context"
	"errors"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/hbase/tables"
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

// written makes a change to an object, whose key it returns, and returns the object as it is then; nil with userErrors.
func written[T any](ctx context.Context, objects loaders.Object[T], payload, field, typ string, write func() (string, error)) ([]*model.UserError, *T, error) {
	var key string
	errs, err := change(ctx, func() (err error) {
		key, err = write()
		return err
	})
	if err != nil || len(errs) > 0 {
		return errs, nil, err
	}
	object, err := changed(ctx, objects, payload, field, typ, key)
	return errs, object, err
}

// deleted makes a change that deletes an object, and returns the userErrors and, if it was made, the id. What the payload reads of the object after
// that is nothing.
func deleted(ctx context.Context, id tables.ID, remove func() error) ([]*model.UserError, *tables.ID, error) {
	errs, err := change(ctx, remove)
	if err != nil || len(errs) > 0 {
		return errs, nil, err
	}
	loaders.Gone(ctx, id)
	return errs, &id, nil
}

// removed deletes an object of which id has the key as it was given, and returns it as it was and its id; nil with userErrors.
func removed[T any](ctx context.Context, objects loaders.Object[T], payload, field, typ string, id tables.ID, remove func() error) ([]*model.UserError, *T, *tables.ID, error) {
	key := norm.NFC.String(id.Key)
	fields := selected(ctx, payload).below(ctx, field, typ).names()
	read := objects.Read
	if _, needed := objects.OutlineNamed(fields); !needed || tables.CheckCode(key) != nil && tables.CheckUsername(key) != nil {
		read = objects.Named
		fields = nil
	}
	before, err := read(ctx, []string{key}, fields)
	if err != nil {
		return nil, nil, nil, loaders.At(err, 0)
	}
	errs, gone, err := deleted(ctx, tables.ID{Noun: id.Noun, Key: key}, remove)
	if gone == nil {
		return errs, nil, nil, err
	}
	return errs, before[0], gone, nil
}

// showing tells what it costs to show an object in a payload, and returns when that is there.
type showing func(q *inquiry, at explain.Moment) explain.Moment

// changeCost is that of the resolver of a mutation: it asks whether the viewer may, does it, and shows what was changed. What that reads and
// writes is the writers' business.
func changeCost(shows ...showing) func(*inquiry) error {
	return func(q *inquiry) error {
		at := q.adminCost(q.Begin(), notOwn)
		for _, show := range shows {
			at = show(q, at)
		}
		q.Lead("", q.Crowd(q.Parents, 1, at))
		return nil
	}
}

// show is for what [changed] returns.
func show[T any](objects loaders.Object[T], payload, field, typ string) showing {
	return func(q *inquiry, at explain.Moment) explain.Moment {
		if o, reads := objects.OutlineNamed(selected(q.Ctx, payload).below(q.Ctx, field, typ).names()); reads {
			at = q.read(at, q.Crowd(q.Parents, 1, at), o)
		}
		return at
	}
}

func showTwit(q *inquiry, at explain.Moment) explain.Moment { return q.twitsCost(at, q.Parents) }

func showComment(q *inquiry, at explain.Moment) explain.Moment { return q.commentsCost(at, q.Parents) }
