package resolvers

import (
	"context"
	"slices"

	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateDepartment = changes(permission.CreateDepartment, loaders.Departments)
	mutationUpdateDepartment = changes(permission.UpdateDepartment, loaders.Departments)
	mutationMoveDepartment   = changes(permission.MoveDepartment, loaders.Departments)
	mutationDeleteDepartment = changes(permission.DeleteDepartment, loaders.Departments)

	queryDepartment     = lookup[tables.Department]{loaders.Departments, "code"}
	queryTopDepartments = topDepartments{}

	departmentSubDepartments = connectionOf(
		departmentCodes, relay.SubDepartments, loaders.Children, loaders.Departments,
		func(c tables.Child) string { return c.Code }, departmentConnection[tables.Child](nil))
	departmentRoles = connectionOf(
		departmentCodes, relay.DepartmentRoles, loaders.DepartmentRoles, loaders.Roles, self, roleConnection[string](nil))
	departmentAncestors   = ancestors{}
	departmentDescendants = descendants{}
	departmentParent      = reference[tables.Department, tables.Department]{
		loaders.Departments, true, func(d *tables.Department) *string { return d.ParentCode },
	}
)

// topDepartments is the connection of the departments that have no parent.
type topDepartments struct{}

func (topDepartments) resolve(ctx context.Context, args pageArgs) (*model.DepartmentConnection, error) {
	connections, err := departmentSubDepartments.resolve(ctx, []*tables.Department{{Code: tables.Root}}, args)
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	return connections[0], nil
}

func (topDepartments) cost(call *costCall) error { return departmentSubDepartments.cost(call) }

// CreateDepartment is the resolver for the createDepartment field.
func (r *mutationResolver) CreateDepartment(
	ctx context.Context, input model.CreateDepartmentInput,
) (*model.CreateDepartmentPayload, error) {
	c, err := mutationCreateDepartment.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		return r.Writers.CreateDepartment(ctx, viewer, writers.NewDepartment{
			Code: input.Code, Name: input.Name, Parent: input.Parent.Value(), IdempotencyKey: input.IdempotencyKey.Value(),
		})
	})
	return &model.CreateDepartmentPayload{
		Department: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// UpdateDepartment is the resolver for the updateDepartment field.
func (r *mutationResolver) UpdateDepartment(
	ctx context.Context, input model.UpdateDepartmentInput,
) (*model.UpdateDepartmentPayload, error) {
	c, err := mutationUpdateDepartment.write(ctx, permission.About{}, func(ctx context.Context, _ string) (string, error) {
		return r.Writers.UpdateDepartment(ctx, writers.DepartmentChange{
			Code: input.Code, Name: given(input.Name), ExpectedVersion: input.ExpectedVersion.Value(),
		})
	})
	return &model.UpdateDepartmentPayload{
		Department: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// MoveDepartment is the resolver for the moveDepartment field.
func (r *mutationResolver) MoveDepartment(ctx context.Context, input model.MoveDepartmentInput) (*model.MoveDepartmentPayload, error) {
	c, err := mutationMoveDepartment.write(ctx, permission.About{}, func(ctx context.Context, _ string) (string, error) {
		return r.Writers.MoveDepartment(ctx, input.Code, input.Parent.Value(), input.ExpectedVersion.Value())
	})
	return &model.MoveDepartmentPayload{
		Department: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// DeleteDepartment is the resolver for the deleteDepartment field.
func (r *mutationResolver) DeleteDepartment(
	ctx context.Context, input model.DeleteDepartmentInput,
) (*model.DeleteDepartmentPayload, error) {
	up := input.MoveChildrenUp.Value()
	c, err := mutationDeleteDepartment.delete(ctx, permission.About{}, input.Code, func(ctx context.Context, code string) error {
		return r.Writers.DeleteDepartment(ctx, code, up != nil && *up)
	})
	return &model.DeleteDepartmentPayload{
		Department: c.object, DeletedID: c.deletedID, UserErrors: c.userErrors,
		ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// ancestors is the field that lists the departments above each parent, the nearest first. It reads
// the next ancestor of all parents in one round.
type ancestors struct{}

func (ancestors) resolve(ctx context.Context, objs []*tables.Department) ([][]*tables.Department, error) {
	fields := ancestorFields(ctx)
	chains, errs := make([][]*tables.Department, len(objs)), make(loaders.Errors, len(objs))
	next := departmentParent.keys(ctx, objs)
	for i := range chains {
		chains[i] = []*tables.Department{}
	}
	for range tables.MaxDepth {
		if !slices.ContainsFunc(next, func(code *string) bool { return code != nil }) {
			break
		}
		parents, err := optional(ctx, next, fields, loaders.Departments.Read)
		for i, parent := range parents {
			if next[i] = nil; loaders.At(err, i) != nil {
				chains[i], errs[i] = nil, loaders.At(err, i)
			} else if parent != nil {
				chains[i], next[i] = append(chains[i], parent), parent.ParentCode
			}
		}
	}
	return chains, loaders.Join(len(objs), errs)
}

// ancestorFields returns the fields to read of each ancestor: those that are selected, and its
// parent.
func ancestorFields(ctx context.Context) []string {
	return append(selected(ctx).names(), "parent")
}

func (ancestors) cost(call *costCall) error {
	r := aside(loaders.Departments.OutlineRoot(ancestorFields(call.Ctx)), "", "")
	r.Times, r.Rounds = tables.MaxDepth, tables.MaxDepth
	at := call.Read(awaitParents(call.Begin()), call.Parents, r)
	call.Returns("", call.Set(call.Parents, tables.MaxDepth, at))
	return nil
}

func departmentCodes(departments []*tables.Department) []string {
	return keysOf(departments, func(d *tables.Department) string { return d.Code })
}
