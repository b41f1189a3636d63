package resolvers

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

// mutation is a field of the mutation root: its resolver checks the authorization, lets a writer
// make the change, and reads what the payload shows. The reads of writers are not part of its cost.
type mutation struct {
	action  permission.Action
	payload []payloadRead
}

// payloadRead is what a payload reads of one object.
type payloadRead interface {
	payloadCost(call *costCall, at explain.Stage) explain.Stage
}

func mutationOf(action permission.Action, payload ...payloadRead) mutation {
	return mutation{action, payload}
}

func (m mutation) cost(call *costCall) error {
	at := call.adminCost(call.Begin(), ifOtherOwner)
	for _, read := range m.payload {
		at = read.payloadCost(call, at)
	}
	call.Forget() // as change does
	call.Returns("", call.Set(call.Parents, 1, at))
	return nil
}

// run authorizes the viewer and lets write make the change. It returns the user errors, none if the
// change was made. See [change].
func (m mutation) run(
	ctx context.Context, about permission.About, write func(ctx context.Context, viewer string) error, checks ...check,
) ([]*model.UserError, error) {
	viewer, left, err := authorize(ctx, m.action, about)
	if err != nil {
		return nil, err
	}
	return change(ctx, func(ctx context.Context) error { return write(ctx, viewer) }, append([]check{left}, checks...)...)
}

// errUnauthorized fails the write of a viewer who is not authorized. The error of the check says
// why.
var errUnauthorized = errors.New("resolvers: unauthorized")

// change makes a change if the checks succeed; a nil check does. It returns the user errors, none
// if the change was made. What was read before is read again afterwards, so that the payload shows
// what was written.
func change(ctx context.Context, write func(ctx context.Context) error, checks ...check) ([]*model.UserError, error) {
	checkErr, err := checkAndWrite(ctx, write, checks)
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

// checkAndWrite does the checks while the writer reads. The write commits only after they have
// succeeded.
func checkAndWrite(ctx context.Context, write func(ctx context.Context) error, checks []check) (checkErr, err error) {
	if !slices.ContainsFunc(checks, func(c check) bool { return c != nil }) {
		loaders.Away(ctx, func() { err = write(ctx) })
		return nil, err
	}
	checkErr = errUnauthorized // if a check panics
	checked := make(chan struct{})
	guarded := writers.WithPrecondition(ctx, func() error {
		if <-checked; checkErr != nil {
			return errUnauthorized
		}
		return nil
	})
	loaders.Together(ctx, func() {
		defer close(checked)
		checkErr = all(ctx, checks...)
	}, func() {
		loaders.Away(ctx, func() { err = write(guarded) })
	})
	if errors.Is(err, errUnauthorized) {
		err = nil
	}
	return checkErr, err
}

// deleteObject is change for a change that deletes an object. It also returns the object's id, if
// it was deleted. The payload reads nothing of the object from then on.
func deleteObject(
	ctx context.Context, id tables.ID, remove func(ctx context.Context) error, checks ...check,
) ([]*model.UserError, *tables.ID, error) {
	userErrors, err := change(ctx, remove, checks...)
	if err != nil || len(userErrors) > 0 {
		return userErrors, nil, err
	}
	loaders.Mask(ctx, id)
	return userErrors, &id, nil
}

// payloadObject is an object that a payload shows, in the field of the noun's name.
type payloadObject[T any] struct{ loaders.Object[T] }

func (p payloadObject[T]) payloadCost(call *costCall, at explain.Stage) explain.Stage {
	if o, reads := p.OutlineNamed(p.selected(call.Ctx)); reads {
		at = call.read(at, call.Set(call.Parents, 1, at), o)
	}
	return at
}

// selected returns the fields of the object that the payload selects.
func (p payloadObject[T]) selected(ctx context.Context) []string {
	return selected(ctx).below(ctx, p.Kind().Name).names()
}

// read returns the object of a key after the change, nil if that was not made because of an error.
func (p payloadObject[T]) read(ctx context.Context, key string, userErrors []*model.UserError, err error) (*T, error) {
	if err != nil || len(userErrors) > 0 {
		return nil, err
	}
	found, err := p.Named(ctx, []string{norm.NFC.String(key)}, p.selected(ctx))
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	return found[0], nil
}

// readBefore returns the object as it is before it is deleted, nil if it can't exist.
func (p payloadObject[T]) readBefore(ctx context.Context, key string) (*T, error) {
	fields, read := p.selected(ctx), p.Read
	if _, needed := p.OutlineNamed(fields); !needed || p.Kind().CheckKey(key) != nil {
		fields, read = nil, p.Named
	}
	found, err := read(ctx, []string{key}, fields)
	return found[0], loaders.At(err, 0)
}

// objectMutation is a mutation that changes one object and shows it.
type objectMutation[T any] struct {
	mutation
	object payloadObject[T]
}

// changes returns a mutation that changes one of the objects, and whose payload reads more.
func changes[T any](action permission.Action, objects loaders.Object[T], more ...payloadRead) objectMutation[T] {
	object := payloadObject[T]{objects}
	return objectMutation[T]{mutationOf(action, append([]payloadRead{object}, more...)...), object}
}

// changed is the result of a mutation: the object, or the user errors that say why it was not
// changed.
type changed[T any] struct {
	object     *T
	deletedID  *tables.ID // if it was deleted
	userErrors []*model.UserError
}

// write lets write change an object, whose key it returns. The result shows the object after the
// change.
func (m objectMutation[T]) write(
	ctx context.Context, about permission.About, write func(ctx context.Context, viewer string) (key string, err error),
) (c changed[T], err error) {
	var key string
	c.userErrors, err = m.run(ctx, about, func(ctx context.Context, viewer string) (err error) {
		key, err = write(ctx, viewer)
		return err
	})
	c.object, err = m.object.read(ctx, key, c.userErrors, err)
	return c, err
}

// relate lets write, which is [writers.Writers.Relate] or [writers.Writers.Unrelate], relate two
// objects, or end that. It shows the second. The first is the viewer if the relation's input does
// not name it.
func (m objectMutation[T]) relate(
	ctx context.Context, write func(ctx context.Context, x *tables.Relation, from, to string) error,
	x *tables.Relation, from, to string,
) (changed[T], error) {
	return m.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		if x.From.Input == "" {
			from = viewer
		}
		return to, write(ctx, x, from, to)
	})
}

// delete lets remove delete an object. The result shows the object as it was.
func (m objectMutation[T]) delete(
	ctx context.Context, about permission.About, key string, remove func(ctx context.Context, key string) error,
) (c changed[T], err error) {
	_, left, err := authorize(ctx, m.action, about)
	if err != nil {
		return c, err
	}
	key = norm.NFC.String(key)
	var before *T
	read := func(ctx context.Context) (err error) {
		before, err = m.object.readBefore(ctx, key)
		return err
	}
	c.userErrors, c.deletedID, err = deleteObject(ctx, tables.ID{Noun: m.object.Kind().Noun, Key: key},
		func(ctx context.Context) error { return remove(ctx, key) }, left, read)
	if c.deletedID != nil {
		c.object = before
	}
	return c, err
}

// notFound is the user error for an object that does not exist or that the viewer may not see.
func notFound(field, what string) error {
	return writers.UserErrors{{Code: writers.NotFound, Field: field, Message: "there is no such " + what}}
}
