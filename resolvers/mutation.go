package resolvers

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

// mutation is the common part of the fields of the mutation root. Its cost excludes the reads of
// writers.
type mutation struct {
	action  permission.Action
	payload []payloadRead
}

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
	call.Forget()
	call.Returns("", call.Set(call.Parents, 1, at))
	return nil
}

func (m mutation) run(
	ctx context.Context, target permission.Target, write func(ctx context.Context, viewer string) error, checks ...check,
) ([]*model.UserError, error) {
	viewer, remaining, err := authorize(ctx, m.action, target)
	if err != nil {
		return nil, err
	}
	checks = append([]check{remaining}, checks...)
	return change(ctx, func(ctx context.Context) error { return write(ctx, viewer) }, checks...)
}

// errUnauthorized is the error of the precondition if a check fails. Clients get the error of the
// check.
var errUnauthorized = errors.New("resolvers: unauthorized")

// change calls write, which commits only if the checks succeed, and returns the user errors of
// both. It forgets earlier reads, so that the payload shows the change.
func change(ctx context.Context, write func(ctx context.Context) error, checks ...check) ([]*model.UserError, error) {
	checkErr, err := checkAndWrite(ctx, write, checks)
	loaders.Forget(ctx)
	userErrors, checkUserErrors := writers.UserErrors(nil), writers.UserErrors(nil)
	if checkErr != nil && !errors.As(checkErr, &checkUserErrors) {
		return nil, checkErr
	}
	if err != nil && !errors.As(err, &userErrors) {
		return nil, err
	}
	return userErrorsOf(append(userErrors, checkUserErrors...)), nil
}

func userErrorsOf(userErrors writers.UserErrors) []*model.UserError {
	list := make([]*model.UserError, len(userErrors))
	for i, e := range userErrors {
		list[i] = &model.UserError{Code: model.UserErrorCode(e.Code), Message: e.Message}
		if e.Field != "" {
			list[i].Path = strings.Split(e.Field, ".")
			list[i].Field = &list[i].Path[0]
		}
	}
	return list
}

// checkAndWrite runs the checks while the writer reads. The writer commits only if they succeed.
func checkAndWrite(ctx context.Context, write func(ctx context.Context) error, checks []check) (checkErr, err error) {
	if !slices.ContainsFunc(checks, func(c check) bool { return c != nil }) {
		loaders.Blocking(ctx, func() { err = write(ctx) })
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
		loaders.Blocking(ctx, func() { err = write(guarded) })
	})
	if errors.Is(err, errUnauthorized) {
		err = nil
	}
	return checkErr, err
}

// deleted returns nil if the deletion failed. Otherwise it hides the object from the payload's
// reads, and returns its id.
func deleted(ctx context.Context, id tables.ID, userErrors []*model.UserError, err error) *tables.ID {
	if err != nil || len(userErrors) > 0 {
		return nil
	}
	loaders.Mask(ctx, id)
	return &id
}

type payloadObject[T any] struct{ loaders.Object[T] }

func (p payloadObject[T]) payloadCost(call *costCall, at explain.Stage) explain.Stage {
	if o, reads := p.NamedShape(p.selected(call.Ctx)); reads {
		at = call.read(at, call.Set(call.Parents, 1, at), o)
	}
	return at
}

func (p payloadObject[T]) selected(ctx context.Context) []string {
	return selected(ctx).below(ctx, p.Kind().Name).names()
}

func (p payloadObject[T]) read(ctx context.Context, key string, userErrors []*model.UserError, err error) (*T, error) {
	if err != nil || len(userErrors) > 0 {
		return nil, err
	}
	return p.Named(ctx, []string{norm.NFC.String(key)}, p.selected(ctx))[0], nil
}

// readBefore returns the object before its deletion. It reads nothing, and the object has only the
// key, if the key is invalid or enough for the selection.
func (p payloadObject[T]) readBefore(ctx context.Context, key string) (*T, error) {
	fields := p.selected(ctx)
	if _, needed := p.NamedShape(fields); !needed || p.Kind().CheckKey(key) != nil {
		return p.Named(ctx, []string{key}, nil)[0], nil
	}
	found, err := p.Read(ctx, []string{key}, fields)
	return found[0], loaders.At(err, 0)
}

type writer[I any] func(ctx context.Context, w *writers.Writers, viewer string, in *I) (key string, err error)

type objectMutation[T, I any] struct {
	mutation
	object payloadObject[T]
	write  writer[I]
	owner  func(in *I) string // for the permission; may be nil
}

func changes[T, I any](action permission.Action, objects loaders.Object[T], write writer[I]) objectMutation[T, I] {
	object := payloadObject[T]{objects}
	return objectMutation[T, I]{mutation: mutationOf(action, object), object: object, write: write}
}

func (m objectMutation[T, I]) resolve(ctx context.Context, r *Resolver, in *I, object **T) ([]*model.UserError, error) {
	var target permission.Target
	if m.owner != nil {
		target.Owner = norm.NFC.String(m.owner(in))
	}
	var key string
	userErrors, err := m.run(ctx, target, func(ctx context.Context, viewer string) (err error) {
		key, err = m.write(ctx, r.Writers, viewer, in)
		return err
	})
	*object, err = m.object.read(ctx, key, userErrors, err)
	return userErrors, err
}

type relationWriter func(w *writers.Writers, ctx context.Context, x *tables.Relation, from, to string) error

func relatesViewer[T, I any](
	action permission.Action, write relationWriter, x *tables.Relation, objects loaders.Object[T], to func(in *I) string,
) objectMutation[T, I] {
	return changes(action, objects, func(ctx context.Context, w *writers.Writers, viewer string, in *I) (string, error) {
		return to(in), write(w, ctx, x, viewer, to(in))
	})
}

type pairMutation[A, B, I any] struct {
	objectMutation[B, I]
	first payloadObject[A]
	from  func(in *I) string
}

func relates[A, B, I any](
	action permission.Action, write relationWriter, x *tables.Relation,
	first loaders.Object[A], from func(in *I) string, second loaders.Object[B], to func(in *I) string,
) pairMutation[A, B, I] {
	m := changes(action, second, func(ctx context.Context, w *writers.Writers, _ string, in *I) (string, error) {
		return to(in), write(w, ctx, x, from(in), to(in))
	})
	m.payload = append(m.payload, payloadObject[A]{first})
	return pairMutation[A, B, I]{m, payloadObject[A]{first}, from}
}

func (m pairMutation[A, B, I]) resolve(
	ctx context.Context, r *Resolver, in *I, first **A, second **B,
) ([]*model.UserError, error) {
	userErrors, err := m.objectMutation.resolve(ctx, r, in, second)
	*first, err = m.first.read(ctx, m.from(in), userErrors, err)
	return userErrors, err
}

// deletion is a mutation whose payload has the object as it was before the deletion.
type deletion[T, I any] struct {
	mutation
	object payloadObject[T]
	key    func(in *I) string
	remove func(ctx context.Context, w *writers.Writers, key string, in *I) error
}

func deletes[T, I any](
	action permission.Action, objects loaders.Object[T], key func(in *I) string,
	remove func(ctx context.Context, w *writers.Writers, key string, in *I) error,
) deletion[T, I] {
	object := payloadObject[T]{objects}
	return deletion[T, I]{mutationOf(action, object), object, key, remove}
}

func (m deletion[T, I]) resolve(
	ctx context.Context, r *Resolver, in *I, object **T, deletedID **tables.ID,
) ([]*model.UserError, error) {
	id, target := tables.ID{Noun: m.object.Kind().Noun, Key: norm.NFC.String(m.key(in))}, permission.Target{}
	if id.Noun == tables.NounUser {
		target.Owner = id.Key
	}
	var before *T
	userErrors, err := m.run(ctx, target, func(ctx context.Context, _ string) error {
		return m.remove(ctx, r.Writers, id.Key, in)
	}, func(ctx context.Context) (err error) {
		before, err = m.object.readBefore(ctx, id.Key)
		return err
	})
	if *deletedID = deleted(ctx, id, userErrors, err); *deletedID != nil {
		*object = before
	}
	return userErrors, err
}

func notFound(field, what string) error {
	return writers.UserErrors{{Code: writers.NotFound, Field: field, Message: "there is no such " + what}}
}
