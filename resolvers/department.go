package resolvers

import (
	"context"

	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateDepartment = changes(permission.CreateDepartment, loaders.Departments, writeNewDepartment)
	mutationUpdateDepartment = changes(permission.UpdateDepartment, loaders.Departments, writeDepartment)
	mutationMoveDepartment   = changes(permission.MoveDepartment, loaders.Departments,
		func(ctx context.Context, w *writers.Writers, _ string, in *model.MoveDepartmentInput) (string, error) {
			return w.MoveDepartment(ctx, named(in.Code), in.Parent.Value(), in.ExpectedVersion.Value())
		})
	mutationDeleteDepartment = deletes(permission.DeleteDepartment, loaders.Departments,
		func(in *model.DeleteDepartmentInput) string { return named(in.Code) },
		func(ctx context.Context, w *writers.Writers, code string, in *model.DeleteDepartmentInput) error {
			up := in.MoveChildrenUp.Value()
			return w.DeleteDepartment(ctx, code, up != nil && *up)
		})

	createDepartmentPayloadDepartmentEdge = departmentEdgeOf(
		func(p *model.CreateDepartmentPayload) *tables.Department { return p.Department })
	updateDepartmentPayloadDepartmentEdge = departmentEdgeOf(
		func(p *model.UpdateDepartmentPayload) *tables.Department { return p.Department })
	moveDepartmentPayloadDepartmentEdge = departmentEdgeOf(
		func(p *model.MoveDepartmentPayload) *tables.Department { return p.Department })

	queryDepartment     = lookup[tables.Department]{loaders.Departments, "code"}
	queryTopDepartments = topDepartments{}

	departmentSubDepartments = connectionOf(
		departmentCodes, loaders.Children, loaders.Departments,
		func(c tables.Child) string { return c.Code }, departmentConnection[tables.Child](nil))
	departmentRoles = connectionOf(
		departmentCodes, loaders.DepartmentRoles, loaders.Roles, self, roleConnection[string](nil))
	departmentAncestors   = ancestors{}
	departmentDescendants = descendants{}
	departmentParent      = reference[tables.Department, tables.Department]{
		loaders.Departments, true, func(d *tables.Department) *string { return d.ParentCode },
	}
)

type topDepartments struct{}

func (topDepartments) resolve(ctx context.Context, args pageArgs) (*model.DepartmentConnection, error) {
	connections, err := departmentSubDepartments.resolve(ctx, []*tables.Department{{Code: tables.Root}}, args)
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	return connections[0], nil
}

func (topDepartments) cost(call *costCall) error { return departmentSubDepartments.cost(call) }

func writeNewDepartment(
	ctx context.Context, w *writers.Writers, viewer string, in *model.CreateDepartmentInput,
) (string, error) {
	return w.CreateDepartment(ctx, viewer, writers.NewDepartment{
		Code: in.Code, Name: in.Name, Parent: in.Parent.Value(), IdempotencyKey: in.IdempotencyKey.Value(),
	})
}

func writeDepartment(
	ctx context.Context, w *writers.Writers, _ string, in *model.UpdateDepartmentInput,
) (string, error) {
	return w.UpdateDepartment(ctx, writers.DepartmentChange{
		Code: named(in.Code), Name: given(in.Name), ExpectedVersion: in.ExpectedVersion.Value(),
	})
}

// childEntry reads the name of the department, because the position of the entry contains it.
type childEntry[P any] struct{ code keyOf[P] }

var childFields = []string{"name"}

func (e childEntry[P]) find(ctx context.Context, payload *P) (*listEntry[tables.Child], error) {
	code := e.code(ctx, payload)
	if code == "" {
		return nil, nil
	}
	departments, err := loaders.Departments.Read(ctx, []string{code}, childFields)
	if err != nil || departments[0] == nil {
		return nil, loaders.At(err, 0)
	}
	child := tables.Child{Name: *departments[0].Name, Code: code}
	return &listEntry[tables.Child]{child, loaders.Children.Position(child)}, nil
}

func (childEntry[P]) shapes() []loaders.ReadShape {
	return []loaders.ReadShape{loaders.Departments.RootShape(childFields)}
}

func departmentEdgeOf[P any](
	field func(*P) *tables.Department,
) payloadEdge[P, tables.Child, tables.Department, model.DepartmentEdge] {
	in, code := departmentSubDepartments, keyIn(departmentCodes, field)
	return payloadEdge[P, tables.Child, tables.Department, model.DepartmentEdge]{
		relay.CursorsOf(in.list.Kind()), childEntry[P]{code}, namedNode[P, tables.Department]{in.objects, code},
		func(p *page[tables.Child, tables.Department]) []*model.DepartmentEdge { return in.as(p).Edges },
	}
}

// ancestors reads one level per round, nearest first.
type ancestors struct{}

func (ancestors) resolve(ctx context.Context, objs []*tables.Department) ([][]*tables.Department, error) {
	fields := ancestorFields(ctx)
	chains, errs := make([][]*tables.Department, len(objs)), make(loaders.Errors, len(objs))
	next := departmentParent.keys(ctx, objs)
	for i := range chains {
		chains[i] = []*tables.Department{}
	}
	for range tables.MaxDepth {
		codes, indexes := present(next)
		if len(codes) == 0 {
			break
		}
		parents, err := loaders.Departments.Read(ctx, codes, fields)
		for j, i := range indexes {
			if next[i], errs[i] = nil, loaders.At(err, j); errs[i] != nil {
				chains[i] = nil
			} else if parent := parents[j]; parent != nil {
				chains[i], next[i] = append(chains[i], parent), parent.ParentCode
			}
		}
	}
	return chains, loaders.Join(len(objs), errs)
}

func ancestorFields(ctx context.Context) []string {
	return append(selected(ctx).names(), "parent")
}

func (ancestors) cost(call *costCall) error {
	level := elsewhere([]loaders.ReadShape{loaders.Departments.RootShape(ancestorFields(call.Ctx))})
	level[0].Rounds = tables.MaxDepth
	at := call.reads(awaitParents(call.Begin()), call.Parents, level, tables.MaxDepth, "")
	call.Returns("", call.Set(call.Parents, tables.MaxDepth, at))
	return nil
}

func departmentCodes(departments []*tables.Department) []string {
	return keysOf(departments, func(d *tables.Department) string { return d.Code })
}
