package resolvers

import (
	"context"
	"errors"
	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

var errUnwritten = errors.New("not written yet")

func (r *mutationResolver) CreateDepartment(ctx context.Context, input model.CreateDepartmentInput) (*model.CreateDepartmentPayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) UpdateDepartment(ctx context.Context, input model.UpdateDepartmentInput) (*model.UpdateDepartmentPayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) MoveDepartment(ctx context.Context, input model.MoveDepartmentInput) (*model.MoveDepartmentPayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) DeleteDepartment(ctx context.Context, input model.DeleteDepartmentInput) (*model.DeleteDepartmentPayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) CreateGame(ctx context.Context, input model.CreateGameInput) (*model.CreateGamePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) UpdateGame(ctx context.Context, input model.UpdateGameInput) (*model.UpdateGamePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) DeleteGame(ctx context.Context, input model.DeleteGameInput) (*model.DeleteGamePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) RecordPlay(ctx context.Context, input model.RecordPlayInput) (*model.RecordPlayPayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) CreateRole(ctx context.Context, input model.CreateRoleInput) (*model.CreateRolePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) UpdateRole(ctx context.Context, input model.UpdateRoleInput) (*model.UpdateRolePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) DeleteRole(ctx context.Context, input model.DeleteRoleInput) (*model.DeleteRolePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) AssignRole(ctx context.Context, input model.AssignRoleInput) (*model.AssignRolePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) RevokeRole(ctx context.Context, input model.RevokeRoleInput) (*model.RevokeRolePayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) CreateUser(ctx context.Context, input model.CreateUserInput) (*model.CreateUserPayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) UpdateUser(ctx context.Context, input model.UpdateUserInput) (*model.UpdateUserPayload, error) {
	return nil, errUnwritten
}
func (r *mutationResolver) DeleteUser(ctx context.Context, input model.DeleteUserInput) (*model.DeleteUserPayload, error) {
	return nil, errUnwritten
}
func (r *subscriptionResolver) TimelineTwitAdded(ctx context.Context, after *tables.ID) (<-chan *tables.Twit, error) {
	return nil, errUnwritten
}
func (r *subscriptionResolver) TwitPosted(ctx context.Context, username string, after *tables.ID) (<-chan *tables.Twit, error) {
	return nil, errUnwritten
}

// Subscription returns exec.SubscriptionResolver implementation.
func (r *Resolver) Subscription() exec.SubscriptionResolver { return &subscriptionResolver{r} }

type subscriptionResolver struct{ *Resolver }
