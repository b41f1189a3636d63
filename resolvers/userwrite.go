package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/text/unicode/norm"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

// CreateUser is the resolver for the createUser field.
func (r *mutationResolver) CreateUser(ctx context.Context, input model.CreateUserInput) (*model.CreateUserPayload, error) {
	viewer, may, err := permit(ctx, permission.CreateUser, permission.About{})
	if err != nil {
		return nil, err
	}
	user := writers.NewUser{Username: input.Username, Name: input.Name, Email: input.Email.Value(), Age: input.Age.Value(), AvatarURL: input.AvatarURL.Value()}
	errs, made, err := written(ctx, may, loaders.Users, "CreateUserPayload", "user", "User", func(ctx context.Context) (string, error) {
		return r.Writers.CreateUser(ctx, viewer.Username, user, input.IdempotencyKey.Value())
	})
	if err != nil {
		return nil, err
	}
	return &model.CreateUserPayload{User: made, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// UpdateUser is the resolver for the updateUser field.
func (r *mutationResolver) UpdateUser(ctx context.Context, input model.UpdateUserInput) (*model.UpdateUserPayload, error) {
	_, may, err := permit(ctx, permission.UpdateUser, permission.About{Owner: norm.NFC.String(input.Username)})
	if err != nil {
		return nil, err
	}
	change := writers.UserChange{Username: input.Username, Name: given(input.Name), Email: given(input.Email), Age: given(input.Age),
		AvatarURL: given(input.AvatarURL), ExpectedVersion: input.ExpectedVersion.Value()}
	errs, user, err := written(ctx, may, loaders.Users, "UpdateUserPayload", "user", "User", func(ctx context.Context) (string, error) { return r.Writers.UpdateUser(ctx, change) })
	if err != nil {
		return nil, err
	}
	return &model.UpdateUserPayload{User: user, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// DeleteUser is the resolver for the deleteUser field.
func (r *mutationResolver) DeleteUser(ctx context.Context, input model.DeleteUserInput) (*model.DeleteUserPayload, error) {
	username := norm.NFC.String(input.Username)
	_, may, err := permit(ctx, permission.DeleteUser, permission.About{Owner: username})
	if err != nil {
		return nil, err
	}
	errs, user, id, err := removed(ctx, may, loaders.Users, "DeleteUserPayload", "user", "User", tables.ID{Noun: tables.NounUser, Key: username}, func(ctx context.Context) error { return r.Writers.DeleteUser(ctx, username) })
	if err != nil {
		return nil, err
	}
	return &model.DeleteUserPayload{User: user, DeletedID: id, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// given is what an input says of an attribute.
func given[T any](value graphql.Omittable[*T]) writers.Change[T] {
	v, given := value.ValueOK()
	return writers.Change[T]{Given: given, Value: v}
}
