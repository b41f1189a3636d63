package resolvers

import (
	"context"
	"slices"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var departmentFields = fields{
	"Mutation.createDepartment": createDepartment,
	"Mutation.updateDepartment": updateDepartment,
	"Mutation.moveDepartment":   moveDepartment,
	"Mutation.deleteDepartment": deleteDepartment,
	"Query.department":          department,
	"Query.topDepartments":      subDepartments,
	"Department.subDepartments": subDepartments,
	"Department.parent":         parentDepartment,
	"Department.ancestors":      costFunc(ancestorsCost),
	"Department.roles":          departmentRoles,
	"Department.descendants":    costFunc(descendantsCost),
}

var (
	createDepartment = changes(permission.CreateDepartment, departmentPayload)
	updateDepartment = changes(permission.UpdateDepartment, departmentPayload)
	moveDepartment   = changes(permission.MoveDepartment, departmentPayload)
	deleteDepartment = changes(permission.DeleteDepartment, departmentPayload)
	department       = lookup[tables.Department]{loaders.Departments, "code", tables.CheckCode}
	departmentRoles  = connectionOf(relay.DepartmentRoles, loaders.DepartmentRoles, loaders.Roles,
		self, roleConnection[string])
	subDepartments = connectionOf(relay.SubDepartments, loaders.Children, loaders.Departments,
		func(c tables.Child) string { return c.Code }, departmentConnection[tables.Child](nil))
	parentDepartment = reference[tables.Department, tables.Department]{
		loaders.Departments, true, func(d *tables.Department) *string { return d.ParentCode },
	}
)

// Department is the resolver for the department field.
func (r *queryResolver) Department(ctx context.Context, code string) (*tables.Department, error) {
	return department.resolve(ctx, code)
}

// TopDepartments is the resolver for the topDepartments field.
func (r *queryResolver) TopDepartments(
	ctx context.Context, first *int, after *string, last *int, before *string,
) (*model.DepartmentConnection, error) {
	connections, err := subDepartments.resolve(ctx, []string{tables.Root}, pageArgs{first, after, last, before})
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	return connections[0], nil
}

// CreateDepartment is the resolver for the createDepartment field.
func (r *mutationResolver) CreateDepartment(
	ctx context.Context, input model.CreateDepartmentInput,
) (*model.CreateDepartmentPayload, error) {
	c, err := create(ctx, createDepartment, r.Writers.CreateDepartment, writers.NewDepartment{
		Code: input.Code, Name: input.Name, Parent: input.Parent.Value(), IdempotencyKey: input.IdempotencyKey.Value(),
	})
	return &model.CreateDepartmentPayload{
		Department: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// UpdateDepartment is the resolver for the updateDepartment field.
func (r *mutationResolver) UpdateDepartment(
	ctx context.Context, input model.UpdateDepartmentInput,
) (*model.UpdateDepartmentPayload, error) {
	c, err := update(ctx, updateDepartment, permission.About{}, r.Writers.UpdateDepartment, writers.DepartmentChange{
		Code: input.Code, Name: given(input.Name), ExpectedVersion: input.ExpectedVersion.Value(),
	})
	return &model.UpdateDepartmentPayload{
		Department: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// MoveDepartment is the resolver for the moveDepartment field.
func (r *mutationResolver) MoveDepartment(ctx context.Context, input model.MoveDepartmentInput) (*model.MoveDepartmentPayload, error) {
	c, err := moveDepartment.write(ctx, permission.About{}, func(ctx context.Context, _ string) (string, error) {
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
	c, err := deleteDepartment.delete(ctx, permission.About{}, input.Code, func(ctx context.Context, code string) error {
		return r.Writers.DeleteDepartment(ctx, code, up != nil && *up)
	})
	return &model.DeleteDepartmentPayload{
		Department: c.object, DeletedID: c.deletedID, UserErrors: c.userErrors,
		ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// SubDepartments is the batch resolver for the subDepartments field.
func (r *departmentResolver) SubDepartments(
	ctx context.Context, objs []*tables.Department, first *int, after *string, last *int, before *string,
) ([]*model.DepartmentConnection, error) {
	return subDepartments.resolve(ctx, departmentCodes(objs), pageArgs{first, after, last, before})
}

// Parent is the batch resolver for the parent field.
func (r *departmentResolver) Parent(ctx context.Context, objs []*tables.Department) ([]*tables.Department, error) {
	return parentDepartment.resolve(ctx, objs)
}

// Ancestors is the batch resolver for the ancestors field. It reads the next ancestor of all
// objects in one round.
func (r *departmentResolver) Ancestors(ctx context.Context, objs []*tables.Department) ([][]*tables.Department, error) {
	fields := ancestorFields(ctx)
	chains, errs := make([][]*tables.Department, len(objs)), make(loaders.Errors, len(objs))
	next := parentDepartment.keys(ctx, objs)
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

func ancestorsCost(call *costCall) error {
	r := aside(loaders.Departments.OutlineRoot(ancestorFields(call.Ctx)), "", "")
	r.Times, r.Rounds = tables.MaxDepth, tables.MaxDepth
	at := call.Read(awaitParents(call.Begin()), call.Parents, r)
	call.Returns("", call.Set(call.Parents, tables.MaxDepth, at))
	return nil
}

// Roles is the batch resolver for the roles field.
func (r *departmentResolver) Roles(
	ctx context.Context, objs []*tables.Department, first *int, after *string, last *int, before *string,
) ([]*model.RoleConnection, error) {
	return departmentRoles.resolve(ctx, departmentCodes(objs), pageArgs{first, after, last, before})
}

func departmentCodes(departments []*tables.Department) []string {
	return keysOf(departments, func(d *tables.Department) string { return d.Code })
}

// departmentConnection returns the function that shows a page as a connection. fill sets what an
// edge shows of its member; it may be nil.
func departmentConnection[E any](
	fill func(edge *model.DepartmentEdge, member E),
) func(*page[E, tables.Department]) model.DepartmentConnection {
	return func(p *page[E, tables.Department]) model.DepartmentConnection {
		fillEdge := func(e *model.DepartmentEdge, i int) {
			e.Cursor, e.Node = p.cursor(i), p.nodes[i]
			if fill != nil {
				fill(e, p.members[i])
			}
		}
		return model.DepartmentConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, fillEdge)}
	}
}

// Department returns exec.DepartmentResolver implementation.
func (r *Resolver) Department() exec.DepartmentResolver { return &departmentResolver{r} }

type departmentResolver struct{ *Resolver }
