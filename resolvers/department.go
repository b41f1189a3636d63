package resolvers

import (
	"context"
	"slices"

	"twibase/graph/exec"
	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

var departmentCosts = costs{
	"Mutation.createDepartment": changeCost(show(loaders.Departments, "CreateDepartmentPayload", "department", "Department")),
	"Mutation.updateDepartment": changeCost(show(loaders.Departments, "UpdateDepartmentPayload", "department", "Department")),
	"Mutation.moveDepartment":   changeCost(show(loaders.Departments, "MoveDepartmentPayload", "department", "Department")),
	"Mutation.deleteDepartment": changeCost(show(loaders.Departments, "DeleteDepartmentPayload", "department", "Department")),
	"Query.department":          rootCost(loaders.Departments, "Department", "code", tables.CheckCode),
	"Query.topDepartments":      subDepartments.cost,
	"Department.subDepartments": subDepartments.cost,
	"Department.parent":         optionalCost(loaders.Departments, "Department"),
	"Department.ancestors":      ancestorsCost,
	"Department.roles":          departmentRoles.cost,
	"Department.descendants":    descendantsCost,
}

// The lists of departments.
var (
	subDepartments = edge[tables.Child, tables.Department]{relay.SubDepartments, "Department", loaders.Children, loaders.Departments,
		func(c tables.Child) string { return c.Code }}
	departmentRoles = edge[string, tables.Role]{relay.DepartmentRoles, "Role", loaders.DepartmentRoles, loaders.Roles, self}
)

// Department is the resolver for the department field.
func (r *queryResolver) Department(ctx context.Context, code string) (*tables.Department, error) {
	return rootObject(ctx, loaders.Departments, "Department", code, tables.CheckCode)
}

// TopDepartments is the resolver for the topDepartments field.
func (r *queryResolver) TopDepartments(ctx context.Context, first *int, after *string, last *int, before *string) (*model.DepartmentConnection, error) {
	connections, err := children(ctx, []string{tables.Root}, pageArgs{first, after, last, before})
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	return connections[0], nil
}

// SubDepartments is the batch resolver for the subDepartments field.
func (r *departmentResolver) SubDepartments(ctx context.Context, objs []*tables.Department, first *int, after *string, last *int, before *string) ([]*model.DepartmentConnection, error) {
	return children(ctx, departmentCodes(objs), pageArgs{first, after, last, before})
}

func children(ctx context.Context, parents []string, args pageArgs) ([]*model.DepartmentConnection, error) {
	pages, err := subDepartments.pages(ctx, parents, args)
	return convert(pages, err, func(p *entries[tables.Child, tables.Department]) model.DepartmentConnection {
		return departmentConnection(p, nil)
	})
}

// Parent is the batch resolver for the parent field.
func (r *departmentResolver) Parent(ctx context.Context, objs []*tables.Department) ([]*tables.Department, error) {
	return optional(ctx, parents(ctx, objs), selected(ctx, "Department").names(), loaders.Departments.Named)
}

// parents returns the codes of the parents.
func parents(ctx context.Context, departments []*tables.Department) []*string {
	loaders.Settle(ctx)
	codes := make([]*string, len(departments))
	for i, department := range departments {
		if department != nil {
			codes[i] = department.ParentCode
		}
	}
	return codes
}

// Ancestors is the batch resolver for the ancestors field. All chains are climbed together, one round a level.
func (r *departmentResolver) Ancestors(ctx context.Context, objs []*tables.Department) ([][]*tables.Department, error) {
	fields := ancestorFields(ctx)
	chains, errs := make([][]*tables.Department, len(objs)), make(loaders.Errors, len(objs))
	next := parents(ctx, objs)
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

// ancestorFields are what is read of each ancestor: what is selected, and where to go on.
func ancestorFields(ctx context.Context) []string {
	return append(selected(ctx, "Department").names(), "parent")
}

func ancestorsCost(q *inquiry) error {
	r := readOf(loaders.Departments.OutlineRoot(ancestorFields(q.Ctx)))
	r.Kind, r.Times, r.Rounds = explain.Alone, tables.MaxDepth, tables.MaxDepth
	at := q.Read(settled(q.Begin()), q.Parents, r)
	q.Lead("", q.Crowd(q.Parents, tables.MaxDepth, at))
	return nil
}

// Roles is the batch resolver for the roles field.
func (r *departmentResolver) Roles(ctx context.Context, objs []*tables.Department, first *int, after *string, last *int, before *string) ([]*model.RoleConnection, error) {
	pages, err := departmentRoles.pages(ctx, departmentCodes(objs), pageArgs{first, after, last, before})
	return convert(pages, err, roleConnection)
}

func departmentCodes(departments []*tables.Department) []string {
	return keysOf(departments, func(d *tables.Department) string { return d.Code })
}

// departmentConnection makes a connection of a page. depth is nil where the entries have none.
func departmentConnection[E any](p *entries[E, tables.Department], depth func(E) *int) model.DepartmentConnection {
	return model.DepartmentConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.DepartmentEdge, i int) {
		e.Cursor, e.Node = p.cursor(i), p.nodes[i]
		if depth != nil {
			e.Depth = depth(p.members[i])
		}
	})}
}

// Department returns exec.DepartmentResolver implementation.
func (r *Resolver) Department() exec.DepartmentResolver { return &departmentResolver{r} }

type departmentResolver struct{ *Resolver }
