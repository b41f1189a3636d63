package resolvers

import (
	"context"
	"errors"
	"twibase/graph/model"
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
