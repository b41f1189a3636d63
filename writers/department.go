package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// All changes of departments are decided in the tree's row, one after the other, and what they say of departments are their steps. Each
// reads departments when the one before is whole, so the tree stands still between its reading and its decision.

// departmentOf reads what there is to change of a department.
func departmentOf(code string) hbase.Get {
	return tables.Departments.Get(code, tables.Departments.Columns([]string{"name", "version", "parent", "childCount"}))
}

func existingDepartment(code string, cells []hbase.Cell, field string) (*tables.Department, error) {
	d, err := tables.Departments.Decode(code, cells)
	if err == nil && d == nil {
		err = refuse(NotFound, field, "there is no %q", code)
	}
	return d, err
}

// departmentPut makes cells of a department be those of a decision.
func departmentPut(code string, d tables.Department, o op, others ...hbase.Cell) step {
	d.Version = &o.id
	p := tables.Departments.Put(code, &d, o.at)
	p.Cells = append(p.Cells, others...)
	return put{p}
}

// departmentUnder puts a department under a parent, nil for the top.
func departmentUnder(code string, parent *string, d tables.Department, o op, others ...hbase.Cell) step {
	if d.ParentCode = parent; parent == nil {
		others = append(others, tables.Without("parent", o.at))
	}
	return departmentPut(code, d, o, others...)
}

// parentOf is the owner of the list that a department is in.
func parentOf(parent *string) string {
	if parent == nil {
		return tables.Root
	}
	return *parent
}

// after makes what is decided younger than what was read of departments: they may have been imported by another clock.
func (r *reading) after(cells ...[]hbase.Cell) {
	for _, c := range cells {
		r.at = max(r.at, youngest(c)+1)
	}
}

// NewDepartment is what is said of a department that is to be made.
type NewDepartment struct {
	Code, Name string
	// Parent is the code of the one above, nil at the top.
	Parent         *string
	IdempotencyKey *string
}

type createDepartmentArgs struct {
	NewDepartment
	Origin string
	// Depth is how deep the tree was, if that was known, and Level the department's own, 0 if that is not: decide completes them.
	Depth *int
	Level int
}

// createDepartment makes a department, in the list of its parent.
var createDepartment = register(kind[createDepartmentArgs]{
	name: "createDepartment", ordered: true,
	row: func(createDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a createDepartmentArgs) []hbase.Get {
		gets := []hbase.Get{tables.Departments.Get(a.Code, originColumns)}
		if a.Parent != nil {
			gets = append(gets, departmentOf(*a.Parent))
		}
		return gets
	},
	more: func(a createDepartmentArgs, r *reading) []hbase.Get {
		if a.Parent == nil || roomy(r.row) {
			return nil
		}
		return climb(r.cells[1:])
	},
	decide: func(a *createDepartmentArgs, r *reading) ([]hbase.Cell, error) {
		taken := free(r.cells[0], a.Code, a.Origin, a.IdempotencyKey)
		a.Level = 1
		if a.Parent != nil {
			_, err := existingDepartment(*a.Parent, r.cells[1], "parent")
			if taken = together(taken, err); taken == nil && len(r.cells) > tables.MaxDepth {
				taken = tooDeep(a.Code)
			}
			if a.Level = len(r.cells); roomy(r.row) {
				a.Level = 0
			}
		}
		if taken != nil {
			return nil, taken
		}
		r.after(r.cells...)
		var err error
		a.Depth, err = depthOf(r.row)
		return nil, err
	},
	plan: func(a createDepartmentArgs, o op) plan {
		parent := parentOf(a.Parent)
		p := plan{now: []stage{{
			departmentUnder(a.Code, a.Parent, tables.Department{Name: &a.Name}, o, originCell(a.Origin, o.at)),
			add(tables.Children, parent, tables.Child{Name: a.Name, Code: a.Code}, o.at),
			countOf(tables.Children, parent, 1),
		}}}
		switch {
		case a.Depth == nil:
		case a.Level > 0:
			p.now[0] = append(p.now[0], deepen(*a.Depth, a.Level, o)...)
		default:
			p.later = []stage{{measure(a.Code, *a.Depth, o)}}
		}
		return p
	},
})

// DepartmentChange is what an update does to a department.
type DepartmentChange struct {
	Code string
	Name Change[string]
	// ExpectedVersion is the one that the caller saw, nil for any.
	ExpectedVersion *string
}

type updateDepartmentArgs struct {
	DepartmentChange
	// Was is its name before, in the list of Parent: decide completes them.
	Was    string
	Parent *string
}

// updateDepartment changes a department's name, by which its parent's list is sorted.
var updateDepartment = register(kind[updateDepartmentArgs]{
	name: "updateDepartment", ordered: true, added: true, // a second one could undo what came between
	row:   func(updateDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a updateDepartmentArgs) []hbase.Get { return []hbase.Get{departmentOf(a.Code)} },
	decide: func(a *updateDepartmentArgs, r *reading) ([]hbase.Cell, error) {
		d, err := existingDepartment(a.Code, r.cells[0], "code")
		if err == nil {
			err = unchanged(a.ExpectedVersion, *d.Version)
		}
		if err != nil {
			return nil, err
		}
		if a.Was, a.Parent = *d.Name, d.ParentCode; !a.Name.Given || *a.Name.Value == a.Was {
			return nil, errNothing
		}
		r.after(r.cells...)
		return nil, nil
	},
	plan: func(a updateDepartmentArgs, o op) plan {
		parent := parentOf(a.Parent)
		return plan{now: []stage{{
			departmentPut(a.Code, tables.Department{Name: a.Name.Value}, o),
			remove(tables.Children, parent, tables.Child{Name: a.Was, Code: a.Code}, o.at),
			add(tables.Children, parent, tables.Child{Name: *a.Name.Value, Code: a.Code}, o.at),
		}}}
	},
})

type deleteDepartmentArgs struct {
	Code           string
	MoveChildrenUp bool
	// Name and Parent were its own, and Count how many children it had: decide completes them. Children are the first of those.
	Name     string
	Parent   *string
	Count    int
	Children []tables.Child
}

// movedAtOnce is how many sub-departments come under their new parent before the deletion of the old one is acknowledged. The others
// follow.
var movedAtOnce = 200

// deleteDepartment says that a department is gone, after that its children come under its parent, and then it defines no role any more.
var deleteDepartment = register(kind[deleteDepartmentArgs]{
	name: "deleteDepartment", ordered: true, added: true, // a second one could delete the next department of that code
	row: func(deleteDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a deleteDepartmentArgs) []hbase.Get {
		return []hbase.Get{departmentOf(a.Code), tables.Children.Get(a.Code, 0, hbase.Page{Limit: movedAtOnce})}
	},
	decide: func(a *deleteDepartmentArgs, r *reading) ([]hbase.Cell, error) {
		d, err := existingDepartment(a.Code, r.cells[0], "code")
		if err != nil {
			return nil, err
		}
		if *d.ChildCount > 0 && !a.MoveChildrenUp {
			return nil, refuse(HasChildren, "code", "%d departments are below %q: move or delete them first, or say moveChildrenUp", *d.ChildCount, a.Code)
		}
		a.Name, a.Parent, a.Count = *d.Name, d.ParentCode, *d.ChildCount
		a.Children, _, _, err = tables.Children.Decode(a.Code, r.cells[1])
		r.after(r.cells...)
		return nil, err
	},
	plan: func(a deleteDepartmentArgs, o op) plan {
		parent := parentOf(a.Parent)
		now := stage{
			departmentUnder(a.Code, nil, tables.Department{}, o, goneCell(o.at)),
			remove(tables.Children, parent, tables.Child{Name: a.Name, Code: a.Code}, o.at),
			countOf(tables.Children, parent, a.Count-1), countOf(tables.Children, a.Code, -a.Count),
		}
		under := func(c tables.Child) step { return departmentUnder(c.Code, a.Parent, tables.Department{}, o) }
		join := func(c tables.Child) step { return add(tables.Children, parent, c, o.at) }
		for _, c := range a.Children {
			now = append(now, under(c), join(c), remove(tables.Children, a.Code, c, o.at))
		}
		var later []stage
		if len(a.Children) < a.Count {
			for _, move := range []func(tables.Child) step{under, join} {
				later = append(later, stage{eachMember(tables.Children, a.Code, move)})
			}
			later = append(later, stage{vacate(tables.Children, a.Code, o)})
		}
		return plan{now: []stage{now}, later: append(later, stage{eachMember(tables.DepartmentRoles, a.Code, func(role string) step {
			return demand{"undefineRole", &undefineRoleArgs{role, a.Code}}
		})})}
	},
})

// CreateDepartment makes a department, and returns its code as it is stored. A second time under the same key, by the same caller, it does
// nothing. It may be refused with Problems.
func (w *Writers) CreateDepartment(ctx context.Context, caller string, d NewDepartment) (string, error) {
	var in input
	d.Code, d.Name = in.code("code", d.Code), in.departmentName("name", d.Name)
	d.Parent = in.optionalCode("parent", d.Parent)
	d.IdempotencyKey = in.idempotencyKey("idempotencyKey", d.IdempotencyKey)
	if err := in.err(); err != nil {
		return "", err
	}
	_, err := do(ctx, w, createDepartment, &createDepartmentArgs{NewDepartment: d, Origin: w.origin(caller, d.IdempotencyKey)})
	return d.Code, err
}

// UpdateDepartment changes a department, and returns its code as it is stored. It may be refused with Problems.
func (w *Writers) UpdateDepartment(ctx context.Context, c DepartmentChange) (string, error) {
	var in input
	c.Code = in.code("code", c.Code)
	if c.Name.Given && c.Name.Value == nil {
		in.bad("name", "it can be changed, but not taken away")
	}
	c.Name = change(func(field string, s *string) *string { return optional(in.departmentName, field, s) }, "name", c.Name)
	if err := in.err(); err != nil {
		return "", err
	}
	_, err := do(ctx, w, updateDepartment, &updateDepartmentArgs{DepartmentChange: c})
	return c.Code, err
}

// DeleteDepartment deletes a department. If others are below it they come under its parent, or it is refused. It may be refused with
// Problems.
func (w *Writers) DeleteDepartment(ctx context.Context, code string, moveChildrenUp bool) error {
	var in input
	a := deleteDepartmentArgs{Code: in.code("code", code), MoveChildrenUp: moveChildrenUp}
	if err := in.err(); err != nil {
		return err
	}
	_, err := do(ctx, w, deleteDepartment, &a)
	return err
}
