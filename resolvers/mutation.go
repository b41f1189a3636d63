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

// change makes a change if may, nil if there is nothing to ask, returns nil, and returns the userErrors of its payload: none if it was made. What was
// read before is forgotten, so that the payload shows what was written.
func change(ctx context.Context, may leave, write func(context.Context) error) ([]*model.UserError, error) {
	refused, err := attempt(ctx, may, write)
	loaders.Forget(ctx)
	problems, why := writers.Problems(nil), writers.Problems(nil)
	if refused != nil && !errors.As(refused, &why) {
		return nil, refused
	}
	if err != nil && !errors.As(err, &problems) {
		return nil, err
	}
	problems = append(problems, why...)
	list := make([]*model.UserError, len(problems))
	for i, p := range problems {
		list[i] = &model.UserError{Code: model.UserErrorCode(p.Code), Message: p.Message}
		if p.Field != "" {
			list[i].Field = &problems[i].Field
		}
	}
	return list, nil
}

// noSuch is the problem of who names something that is not there, or that they may not see.
func noSuch(field, what string) error {
	return writers.Problems{{Code: writers.NotFound, Field: field, Message: "there is no such " + what}}
}

// errRefused is a write that may not be made: may has said why.
var errRefused = errors.New("resolvers: refused")

// attempt asks whether a change may be made while it reads what it needs, and returns the error of either.
func attempt(ctx context.Context, may leave, write func(context.Context) error) (refused, err error) {
	if may == nil {
		loaders.Away(ctx, func() { err = write(ctx) })
		return nil, err
	}
	refused = errRefused
	known := make(chan struct{})
	provided := writers.Provided(ctx, func() error {
		if <-known; refused != nil {
			return errRefused
		}
		return nil
	})
	loaders.Together(ctx, func() {
		defer close(known)
		refused = may(ctx)
	}, func() {
		loaders.Away(ctx, func() { err = write(provided) })
	})
	if errors.Is(err, errRefused) {
		err = nil
	}
	return refused, err
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
func written[T any](ctx context.Context, may leave, objects loaders.Object[T], payload, field, typ string, write func(context.Context) (string, error)) ([]*model.UserError, *T, error) {
	var key string
	errs, err := change(ctx, may, func(ctx context.Context) (err error) {
		key, err = write(ctx)
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
func deleted(ctx context.Context, may leave, id tables.ID, remove func(context.Context) error) ([]*model.UserError, *tables.ID, error) {
	errs, err := change(ctx, may, remove)
	if err != nil || len(errs) > 0 {
		return errs, nil, err
	}
	loaders.Gone(ctx, id)
	return errs, &id, nil
}

// removed deletes an object of which id has the key as it was given, and returns it as it was and its id; nil with userErrors.
func removed[T any](ctx context.Context, may leave, objects loaders.Object[T], payload, field, typ string, id tables.ID, remove func(context.Context) error) ([]*model.UserError, *T, *tables.ID, error) {
	key := norm.NFC.String(id.Key)
	fields := selected(ctx, payload).below(ctx, field, typ).names()
	read := objects.Read
	if _, needed := objects.OutlineNamed(fields); !needed || tables.CheckCode(key) != nil && tables.CheckUsername(key) != nil {
		read = objects.Named
		fields = nil
	}
	var before []*T
	look := func(ctx context.Context) (err error) {
		before, err = read(ctx, []string{key}, fields)
		return loaders.At(err, 0)
	}
	errs, gone, err := deleted(ctx, both(may, look), tables.ID{Noun: id.Noun, Key: key}, remove)
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
		q.Forget() // as [change] does
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

// ifSelected is for what is read only for who selects it of the payload.
func ifSelected(payload, field string, show showing) showing {
	return func(q *inquiry, at explain.Moment) explain.Moment {
		if selected(q.Ctx, payload).has(field) {
			at = show(q, at)
		}
		return at
	}
}
