package resolvers

import (
	"context"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

// CreateDepartment is the resolver for the createDepartment field.
func (r *mutationResolver) CreateDepartment(ctx context.Context, input model.CreateDepartmentInput) (*model.CreateDepartmentPayload, error) {
	viewer, may, err := permit(ctx, permission.CreateDepartment, permission.About{})
	if err != nil {
		return nil, err
	}
	department := writers.NewDepartment{Code: input.Code, Name: input.Name, Parent: input.Parent.Value(), IdempotencyKey: input.IdempotencyKey.Value()}
	errs, made, err := written(ctx, may, loaders.Departments, "CreateDepartmentPayload", "department", "Department", func(ctx context.Context) (string, error) {
		return r.Writers.CreateDepartment(ctx, viewer.Username, department)
	})
	if err != nil {
		return nil, err
	}
	return &model.CreateDepartmentPayload{Department: made, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// UpdateDepartment is the resolver for the updateDepartment field.
func (r *mutationResolver) UpdateDepartment(ctx context.Context, input model.UpdateDepartmentInput) (*model.UpdateDepartmentPayload, error) {
	_, may, err := permit(ctx, permission.UpdateDepartment, permission.About{})
	if err != nil {
		return nil, err
	}
	change := writers.DepartmentChange{Code: input.Code, Name: given(input.Name), ExpectedVersion: input.ExpectedVersion.Value()}
	errs, department, err := written(ctx, may, loaders.Departments, "UpdateDepartmentPayload", "department", "Department", func(ctx context.Context) (string, error) {
		return r.Writers.UpdateDepartment(ctx, change)
	})
	if err != nil {
		return nil, err
	}
	return &model.UpdateDepartmentPayload{Department: department, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// MoveDepartment is the resolver for the moveDepartment field.
func (r *mutationResolver) MoveDepartment(ctx context.Context, input model.MoveDepartmentInput) (*model.MoveDepartmentPayload, error) {
	_, may, err := permit(ctx, permission.MoveDepartment, permission.About{})
	if err != nil {
		return nil, err
	}
	errs, department, err := written(ctx, may, loaders.Departments, "MoveDepartmentPayload", "department", "Department", func(ctx context.Context) (string, error) {
		return r.Writers.MoveDepartment(ctx, input.Code, input.Parent.Value(), input.ExpectedVersion.Value())
	})
	if err != nil {
		return nil, err
	}
	return &model.MoveDepartmentPayload{Department: department, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// DeleteDepartment is the resolver for the deleteDepartment field.
func (r *mutationResolver) DeleteDepartment(ctx context.Context, input model.DeleteDepartmentInput) (*model.DeleteDepartmentPayload, error) {
	_, may, err := permit(ctx, permission.DeleteDepartment, permission.About{})
	if err != nil {
		return nil, err
	}
	up := input.MoveChildrenUp.Value()
	errs, department, id, err := removed(ctx, may, loaders.Departments, "DeleteDepartmentPayload", "department", "Department", tables.ID{Noun: tables.NounDepartment, Key: input.Code}, func(ctx context.Context) error {
		return r.Writers.DeleteDepartment(ctx, input.Code, up != nil && *up)
	})
	if err != nil {
		return nil, err
	}
	return &model.DeleteDepartmentPayload{Department: department, DeletedID: id, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}
