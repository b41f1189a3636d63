package resolvers

import (
	"context"

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
// change was made.
func (m mutation) run(
	ctx context.Context, about permission.About, write func(ctx context.Context, viewer string) error,
) ([]*model.UserError, error) {
	viewer, left, err := authorize(ctx, m.action, about)
	if err != nil {
		return nil, err
	}
	return change(ctx, left, func(ctx context.Context) error { return write(ctx, viewer) })
}

// payloadObject is a field of payloads that shows an object.
type payloadObject[T any] struct {
	objects loaders.Object[T]
	noun    tables.Noun
	field   string
}

// The objects that payloads show.
var (
	userPayload       = payloadObject[tables.User]{loaders.Users, tables.NounUser, "user"}
	rolePayload       = payloadObject[tables.Role]{loaders.Roles, tables.NounRole, "role"}
	departmentPayload = payloadObject[tables.Department]{loaders.Departments, tables.NounDepartment, "department"}
	gamePayload       = payloadObject[tables.Game]{loaders.Games, tables.NounGame, "game"}
)

func (p payloadObject[T]) payloadCost(call *costCall, at explain.Stage) explain.Stage {
	if o, reads := p.objects.OutlineNamed(p.selected(call.Ctx)); reads {
		at = call.read(at, call.Set(call.Parents, 1, at), o)
	}
	return at
}

// selected returns the fields of the object that the payload selects.
func (p payloadObject[T]) selected(ctx context.Context) []string {
	return selected(ctx).below(ctx, p.field).names()
}

// read returns the object of a key.
func (p payloadObject[T]) read(ctx context.Context, key string) (*T, error) {
	found, err := p.objects.Named(ctx, []string{norm.NFC.String(key)}, p.selected(ctx))
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	return found[0], nil
}

// readBefore returns the object as it is before it is deleted, nil if it can't exist.
func (p payloadObject[T]) readBefore(ctx context.Context, key string) (*T, error) {
	fields := p.selected(ctx)
	read := p.objects.Read
	_, needed := p.objects.OutlineNamed(fields)
	if !needed || tables.CheckCode(key) != nil && tables.CheckUsername(key) != nil {
		read, fields = p.objects.Named, nil
	}
	found, err := read(ctx, []string{key}, fields)
	return found[0], loaders.At(err, 0)
}

// objectMutation is a mutation that changes one object and shows it.
type objectMutation[T any] struct {
	mutation
	object payloadObject[T]
}

func changes[T any](action permission.Action, object payloadObject[T]) objectMutation[T] {
	return objectMutation[T]{mutationOf(action, object), object}
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
	if err == nil && len(c.userErrors) == 0 {
		c.object, err = m.object.read(ctx, key)
	}
	return c, err
}

// create lets write create an object, whose key it returns.
func create[T, I any](
	ctx context.Context, m objectMutation[T], write func(ctx context.Context, viewer string, in I) (string, error), in I,
) (changed[T], error) {
	return m.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		return write(ctx, viewer, in)
	})
}

// update lets write update an object, whose key it returns.
func update[T, I any](
	ctx context.Context, m objectMutation[T], about permission.About, write func(context.Context, I) (string, error), in I,
) (changed[T], error) {
	return m.write(ctx, about, func(ctx context.Context, _ string) (string, error) { return write(ctx, in) })
}

// relation is [writers.Writers.Relate] or [writers.Writers.Unrelate].
type relation func(ctx context.Context, x *tables.Relation, from, to string) error

// relate lets write relate the viewer to an object, or end that.
func (m objectMutation[T]) relate(
	ctx context.Context, write relation, x *tables.Relation, key string,
) (changed[T], error) {
	return m.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		return key, write(ctx, x, viewer, key)
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
	c.userErrors, c.deletedID, err = deleteObject(ctx, left.and(read), tables.ID{Noun: m.object.noun, Key: key},
		func(ctx context.Context) error { return remove(ctx, key) })
	if c.deletedID != nil {
		c.object = before
	}
	return c, err
}

// pairMutation is a mutation that relates two objects, or ends that, and shows both.
type pairMutation[A, B any] struct {
	objectMutation[A]
	second payloadObject[B]
}

func relates[A, B any](action permission.Action, first payloadObject[A], second payloadObject[B]) pairMutation[A, B] {
	return pairMutation[A, B]{objectMutation[A]{mutationOf(action, first, second), first}, second}
}

// write lets write relate two objects, whose keys it returns. The results show them after the
// change.
func (m pairMutation[A, B]) write(
	ctx context.Context, write func(ctx context.Context, viewer string) (first, second string, err error),
) (c changed[A], second *B, err error) {
	var key string
	writeFirst := func(ctx context.Context, viewer string) (first string, err error) {
		first, key, err = write(ctx, viewer)
		return first, err
	}
	c, err = m.objectMutation.write(ctx, permission.About{}, writeFirst)
	if err == nil && len(c.userErrors) == 0 {
		second, err = m.second.read(ctx, key)
	}
	return c, second, err
}

// relate lets write relate two objects, or end that. The results show both.
func (m pairMutation[A, B]) relate(
	ctx context.Context, write relation, x *tables.Relation, from, to string,
) (changed[A], *B, error) {
	return m.write(ctx, func(ctx context.Context, _ string) (string, string, error) {
		return to, from, write(ctx, x, from, to)
	})
}

// notFound is the user error for an object that does not exist or that the viewer may not see.
func notFound(field, what string) error {
	return writers.UserErrors{{Code: writers.NotFound, Field: field, Message: "there is no such " + what}}
}
