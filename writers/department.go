package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// All operations on departments commit on the row of the tree, and read departments after their
// predecessor is complete. So if one commits, the tree has not changed since its reads.

func departmentOf(code string) hbase.Get {
	return tables.Departments.Get(code, tables.Departments.Columns([]string{"name", "version", "parent", "childCount"}))
}

func departmentPut(code string, d tables.Department, o operation, others ...hbase.Cell) effect {
	d.Version = &o.id
	p := tables.Departments.Put(code, &d, o.at)
	p.Cells = append(p.Cells, others...)
	return put{p}
}

func departmentUnder(
	code string, parent *string, d tables.Department, o operation, others ...hbase.Cell,
) effect {
	if d.ParentCode = parent; parent == nil {
		others = append(others, tables.Without("parent", o.at))
	}
	return departmentPut(code, d, o, others...)
}

func parentOf(parent *string) string {
	if parent == nil {
		return tables.Root
	}
	return *parent
}

func (r *reading) after(cells ...[]hbase.Cell) {
	for _, c := range cells {
		r.at = max(r.at, hbase.LatestTimestamp(c)+1)
	}
}

// NewDepartment is the input of createDepartment. A nil Parent is the top.
type NewDepartment struct {
	Code, Name     string
	Parent         *string
	IdempotencyKey *string
}

type createDepartmentArgs struct {
	NewDepartment
	Origin string
	// check sets Depth, the stored bound of the tree's depth, and Level, which is 0 if unknown.
	Depth *int
	Level int
}

var createDepartment = register(opType[createDepartmentArgs]{
	name: "createDepartment", properties: properties{readsEffects: true},
	row: func(createDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a createDepartmentArgs) []hbase.Get {
		gets := []hbase.Get{tables.Departments.Get(a.Code, originColumns)}
		if a.Parent != nil {
			gets = append(gets, departmentOf(*a.Parent))
		}
		return gets
	},
	check: func(a *createDepartmentArgs, r *reading) (decision, error) {
		exists, err := checkNew(&tables.Departments.AnyObject, a.Code, a.Origin, a.IdempotencyKey, r.cells[0])
		if exists && err == nil {
			return unchanged, nil
		}
		r.after(r.cells...)
		a.Level = 1
		if a.Parent != nil {
			_, parentErr := existing(tables.Departments, *a.Parent, r.cells[1], "parent")
			if err = joinUserErrors(err, parentErr); err == nil {
				a.Level, err = levelUnder(r)
			}
		}
		if err == nil && a.Level > tables.MaxDepth {
			err = tooDeep(a.Code)
		}
		if err != nil {
			return unchanged, err
		}
		a.Depth, err = depthOf(r.row)
		return commit(), err
	},
	effects: func(a createDepartmentArgs, o operation) effects {
		parent := parentOf(a.Parent)
		now := append(join(tables.Children, parent, tables.Child{Name: a.Name, Code: a.Code}, o.at),
			departmentUnder(a.Code, a.Parent, tables.Department{Name: &a.Name}, o, originCell(a.Origin, o.at)))
		if a.Level == 0 && a.Depth != nil {
			return effects{now: []stage{now}, later: []stage{{measure(a.Code, a.Depth, o)}}}
		}
		return effects{now: []stage{append(now, deepen(a.Depth, a.Level, o)...)}}
	},
})

// DepartmentChange is the input of updateDepartment.
type DepartmentChange struct {
	Code            string
	Name            Change[string]
	ExpectedVersion *string
}

type updateDepartmentArgs struct {
	DepartmentChange
	// check sets Parent, and Was to the old name.
	Was    string
	Parent *string
}

var updateDepartment = register(opType[updateDepartmentArgs]{
	name: "updateDepartment", properties: properties{readsEffects: true, nonIdempotent: true},
	row:   func(updateDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a updateDepartmentArgs) []hbase.Get { return []hbase.Get{departmentOf(a.Code)} },
	check: func(a *updateDepartmentArgs, r *reading) (decision, error) {
		d, err := existing(tables.Departments, a.Code, r.cells[0], "code")
		if err == nil {
			err = checkVersion(a.ExpectedVersion, *d.Version)
		}
		if err != nil {
			return unchanged, err
		}
		if a.Was, a.Parent = *d.Name, d.ParentCode; !a.Name.Given || *a.Name.Value == a.Was {
			return unchanged, nil
		}
		r.after(r.cells...)
		return commit(), nil
	},
	effects: func(a updateDepartmentArgs, o operation) effects {
		parent := parentOf(a.Parent)
		return effects{now: []stage{{
			departmentPut(a.Code, tables.Department{Name: a.Name.Value}, o),
			remove(tables.Children, parent, tables.Child{Name: a.Was, Code: a.Code}, o.at),
			add(tables.Children, parent, tables.Child{Name: *a.Name.Value, Code: a.Code}, o.at),
		}}}
	},
})

type deleteDepartmentArgs struct {
	Code           string
	MoveChildrenUp bool
	// check sets these fields. Count is the number of children. Children has the first movedAtOnce.
	Name     string
	Parent   *string
	Count    int
	Children []tables.Child
}

const movedAtOnce = 200 // children that move up before the acknowledgement

var deleteDepartment = register(opType[deleteDepartmentArgs]{
	name: "deleteDepartment", properties: properties{readsEffects: true, nonIdempotent: true},
	row: func(deleteDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a deleteDepartmentArgs) []hbase.Get {
		return []hbase.Get{departmentOf(a.Code), tables.Children.Get(a.Code, 0, hbase.Page{Limit: movedAtOnce})}
	},
	check: func(a *deleteDepartmentArgs, r *reading) (decision, error) {
		d, err := existing(tables.Departments, a.Code, r.cells[0], "code")
		if err != nil {
			return unchanged, err
		}
		if *d.ChildCount > 0 && !a.MoveChildrenUp {
			return unchanged, reject(HasChildren, "code",
				"%q has %d sub-departments: move or delete them first, or set moveChildrenUp", a.Code, *d.ChildCount)
		}
		a.Name, a.Parent, a.Count = *d.Name, d.ParentCode, *d.ChildCount
		a.Children, _, err = tables.Children.Decode(a.Code, r.cells[1])
		r.after(r.cells...)
		return commit(), err
	},
	effects: func(a deleteDepartmentArgs, o operation) effects {
		parent := parentOf(a.Parent)
		now := stage{
			departmentUnder(a.Code, nil, tables.Department{}, o, tables.Without("name", o.at)),
			remove(tables.Children, parent, tables.Child{Name: a.Name, Code: a.Code}, o.at),
			countOf(tables.Children, parent, a.Count-1), countOf(tables.Children, a.Code, -a.Count),
		}
		under := func(c tables.Child) effect { return departmentUnder(c.Code, a.Parent, tables.Department{}, o) }
		list := func(c tables.Child) effect { return add(tables.Children, parent, c, o.at) }
		for _, c := range a.Children {
			now = append(now, under(c), list(c), remove(tables.Children, a.Code, c, o.at))
		}
		var later []stage
		if len(a.Children) < a.Count {
			for _, move := range []func(tables.Child) effect{under, list} {
				later = append(later, stage{eachMember(tables.Children, a.Code, move)})
			}
			later = append(later, stage{clearList(tables.Children, a.Code, o)})
		}
		return effects{now: []stage{now}, later: append(later, clearAll(&tables.Departments.AnyObject, a.Code)...)}
	},
})

// CreateDepartment returns the code.
func (w *Writers) CreateDepartment(ctx context.Context, caller string, d NewDepartment) (string, error) {
	var in input
	d.Code = in.code("code", d.Code)
	checkAttributes(&in, tables.Departments, &d)
	d.IdempotencyKey = in.idempotencyKey(d.IdempotencyKey)
	a := createDepartmentArgs{NewDepartment: d, Origin: w.origin(caller, d.IdempotencyKey)}
	return d.Code, execute(ctx, w, &in, createDepartment, &a)
}

// UpdateDepartment returns the code.
func (w *Writers) UpdateDepartment(ctx context.Context, c DepartmentChange) (string, error) {
	var in input
	c.Code = in.code("code", c.Code)
	checkAttributes(&in, tables.Departments, &c)
	return c.Code, execute(ctx, w, &in, updateDepartment, &updateDepartmentArgs{DepartmentChange: c})
}

// DeleteDepartment returns HAS_CHILDREN if the department has children, and moveChildrenUp is
// false.
func (w *Writers) DeleteDepartment(ctx context.Context, code string, moveChildrenUp bool) error {
	var in input
	a := deleteDepartmentArgs{Code: in.code("code", code), MoveChildrenUp: moveChildrenUp}
	return execute(ctx, w, &in, deleteDepartment, &a)
}
