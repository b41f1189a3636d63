package writers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var departments = []string{"ceo", "dev", "web", "ops"}

func init() {
	modelled = append(modelled, modelNoun{name: "department", begin: beginDepartments, call: callDepartment,
		observe: observeDepartments})
}

func beginDepartments(_ hbase.Store, f facts) (rows []hbase.Mutation) {
	parent := tables.Root
	for i, code := range departments[:3] {
		d := &tables.Department{Name: &code}
		if i > 0 {
			d.ParentCode = new(departments[i-1])
		}
		if i < 2 {
			d.ChildCount = new(1)
		}
		rows = append(rows, tables.Departments.Put(code, d, 1),
			memberPut(tables.Children, parent, tables.Child{Name: code, Code: code}))
		f["department "+code], f["under "+code] = code, parent
		parent = code
	}
	n := tables.Departments.Put(tables.Root, &tables.Department{ChildCount: new(1)}, 1)
	return append(rows, n, tables.Tree.Put(tables.Tree.DepthCell(3, 1)))
}

func callDepartment(r *rand.Rand) call {
	code, name := departments[r.IntN(len(departments))], strconv.Itoa(r.IntN(2))
	var parent *string
	under := tables.Root
	if i := r.IntN(len(departments) + 1); i < len(departments) {
		parent, under = &departments[i], departments[i]
	}
	fact := "department " + code
	switch r.IntN(5) {
	case 0:
		d := NewDepartment{Code: code, Name: name, Parent: parent, IdempotencyKey: &name}
		return call{fmt.Sprintf("create %s under %q as %s", code, under, name), func(ctx context.Context, w *Writers) error {
			_, err := w.CreateDepartment(ctx, "a", d)
			return err
		}, func(f facts) Code {
			before := f[fact]
			switch got := modelCreate(f, fact, name, name); {
			case got != "" || before != "" || f[fact] == "":
				return got
			case parent != nil && (f["department "+under] == "" || under == code):
				return NotFound
			}
			f["under "+code] = under
			return ""
		}}
	case 1:
		switch r.IntN(3) {
		case 0:
			return callIncrementDepartment(code)
		case 1:
			if parent != nil {
				return callToggleParent(code, under)
			}
		}
		return call{"rename " + fact + " to " + name, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateDepartment(ctx, DepartmentChange{Code: code, Name: Change[string]{true, &name}})
			return err
		}, func(f facts) Code {
			if f[fact] == "" {
				return NotFound
			}
			f[fact] = name
			return ""
		}}
	case 2:
		up := r.IntN(2) == 0
		return call{fmt.Sprintf("delete %s, children up %v", code, up), func(ctx context.Context, w *Writers) error {
			return w.DeleteDepartment(ctx, code, up)
		}, func(f facts) Code { return modelDeleteDepartment(f, code, up) }}
	}
	if r.IntN(4) == 0 {
		return callRole(r)
	}
	return call{fmt.Sprintf("move %s under %q", code, under), func(ctx context.Context, w *Writers) error {
		_, err := w.MoveDepartment(ctx, code, parent, nil)
		return err
	}, func(f facts) Code { return modelMove(f, code, under) }}
}

func modelMove(f facts, code, under string) Code {
	if f["department "+code] == "" || under != tables.Root && f["department "+under] == "" {
		return NotFound
	}
	for at := under; at != tables.Root; at = f["under "+at] {
		if at == code {
			return Cycle
		}
	}
	f["under "+code] = under
	return ""
}

func modelDeleteDepartment(f facts, code string, up bool) Code {
	if f["department "+code] == "" {
		return NotFound
	}
	for _, child := range departments {
		if under, exists := f["under "+child]; exists && under == code {
			if !up {
				return HasChildren
			}
			f["under "+child] = f["under "+code]
		}
	}
	delete(f, "department "+code)
	delete(f, "under "+code)
	for fact, value := range f {
		if name, in, _ := strings.Cut(value, "|"); strings.HasPrefix(fact, "role ") && in == code {
			f[fact] = name + "|"
		}
	}
	return ""
}

func observeDepartments(ctx context.Context, store hbase.Store, f facts) error {
	for _, code := range departments {
		cells, err := cellsOf(ctx, store, tables.Departments.Get(code, tables.Attributes))
		if err != nil {
			return err
		}
		observeCreated(f, "department "+code, cells, attribute(cells, "name"))
		d, err := tables.Departments.Decode(code, cells)
		if err != nil {
			return err
		}
		if d != nil {
			f["under "+code] = parentOf(d.ParentCode)
		}
	}
	cells, err := cellsOf(ctx, store, tables.Tree.Get())
	if err != nil {
		return err
	}
	if _, known, err := tables.Tree.Depth(cells); err != nil || !known {
		return fmt.Errorf("the depth of the tree is unknown: %w", err)
	}
	return nil
}
