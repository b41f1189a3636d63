package resolvers

import (
	"context"
	"errors"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/writers"
)

// errUnauthorized fails the write of a viewer who is not authorized. The error of the check says
// why.
var errUnauthorized = errors.New("resolvers: unauthorized")

// change makes a change if the check, nil if there is none, succeeds. It returns the user errors,
// none if the change was made. What was read before is read again afterwards, so that the payload
// shows what was written.
func change(ctx context.Context, left check, write func(ctx context.Context) error) ([]*model.UserError, error) {
	checkErr, err := checkAndWrite(ctx, left, write)
	loaders.Forget(ctx)
	problems, checkProblems := writers.UserErrors(nil), writers.UserErrors(nil)
	if checkErr != nil && !errors.As(checkErr, &checkProblems) {
		return nil, checkErr
	}
	if err != nil && !errors.As(err, &problems) {
		return nil, err
	}
	problems = append(problems, checkProblems...)
	list := make([]*model.UserError, len(problems))
	for i, p := range problems {
		list[i] = &model.UserError{Code: model.UserErrorCode(p.Code), Message: p.Message}
		if p.Field != "" {
			list[i].Field = &problems[i].Field
		}
	}
	return list, nil
}

// checkAndWrite runs the check while the writer reads. The write commits only after the check has
// succeeded.
func checkAndWrite(ctx context.Context, left check, write func(ctx context.Context) error) (checkErr, err error) {
	if left == nil {
		loaders.Away(ctx, func() { err = write(ctx) })
		return nil, err
	}
	checkErr = errUnauthorized // if the check panics
	checked := make(chan struct{})
	guarded := writers.WithPrecondition(ctx, func() error {
		if <-checked; checkErr != nil {
			return errUnauthorized
		}
		return nil
	})
	loaders.Together(ctx, func() {
		defer close(checked)
		checkErr = left(ctx)
	}, func() {
		loaders.Away(ctx, func() { err = write(guarded) })
	})
	if errors.Is(err, errUnauthorized) {
		err = nil
	}
	return checkErr, err
}

// deleteObject makes a change that deletes an object. It returns the user errors and, if the object
// was deleted, its id. The payload reads nothing of the object from then on.
func deleteObject(
	ctx context.Context, left check, id tables.ID, remove func(ctx context.Context) error,
) ([]*model.UserError, *tables.ID, error) {
	userErrors, err := change(ctx, left, remove)
	if err != nil || len(userErrors) > 0 {
		return userErrors, nil, err
	}
	loaders.Mask(ctx, id)
	return userErrors, &id, nil
}
