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

// Of the departments, which the random calls are about, the first three are there at the beginning: ceo at the top, dev below it, web below
// that. The names of those that are made are 0 or 1.
var departments = []string{"ceo", "dev", "web", "ops"}

func init() {
	movedAtOnce = 1 // so that histories come to what is moved later
	modelled = append(modelled, modelNoun{name: "department", begin: beginDepartments, call: callDepartment, observe: observeDepartments})
}

func beginDepartments(_ hbase.Store, w world) (rows []hbase.Mutation) {
	parent := tables.Root
	for i, code := range departments[:3] {
		d := &tables.Department{Name: &code}
		if i > 0 {
			d.ParentCode = pointer(departments[i-1])
		}
		if i < 2 {
			d.ChildCount = pointer(1)
		}
		rows = append(rows, tables.Departments.Put(code, d, 1), lists(tables.Children, parent, tables.Child{Name: code, Code: code}))
		w["department "+code], w["under "+code] = code, parent
		parent = code
	}
	n := tables.Departments.Put(tables.Root, &tables.Department{ChildCount: pointer(1)}, 1)
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
		return call{fmt.Sprintf("create %s under %q as %s", code, under, name), func(ctx context.Context, w *Writers) error {
			_, err := w.CreateDepartment(ctx, "a", NewDepartment{Code: code, Name: name, Parent: parent, IdempotencyKey: &name})
			return err
		}, func(w world) Code {
			before := w[fact]
			switch got := modelCreate(w, fact, name, name); {
			case got != "" || before != "" || w[fact] == "":
				return got
			case parent != nil && (w["department "+under] == "" || under == code):
				return NotFound
			}
			w["under "+code] = under
			return ""
		}}
	case 1:
		switch r.IntN(3) {
		case 0:
			return callNextDepartment(code)
		case 1:
			if parent != nil {
				return callTurn(code, under)
			}
		}
		return call{"rename " + fact + " to " + name, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateDepartment(ctx, DepartmentChange{Code: code, Name: Change[string]{true, &name}})
			return err
		}, func(w world) Code {
			if w[fact] == "" {
				return NotFound
			}
			w[fact] = name
			return ""
		}}
	case 2:
		up := r.IntN(2) == 0
		return call{fmt.Sprintf("delete %s, children up %v", code, up), func(ctx context.Context, w *Writers) error {
			return w.DeleteDepartment(ctx, code, up)
		}, func(w world) Code { return modelDeleteDepartment(w, code, up) }}
	}
	if r.IntN(4) == 0 {
		return callRole(r)
	}
	return call{fmt.Sprintf("move %s under %q", code, under), func(ctx context.Context, w *Writers) error {
		_, err := w.MoveDepartment(ctx, code, parent, nil)
		return err
	}, func(w world) Code { return modelMove(w, code, under) }}
}

func modelMove(w world, code, under string) Code {
	if w["department "+code] == "" || under != tables.Root && w["department "+under] == "" {
		return NotFound
	}
	for at := under; at != tables.Root; at = w["under "+at] {
		if at == code {
			return Cycle
		}
	}
	w["under "+code] = under
	return ""
}

func modelDeleteDepartment(w world, code string, up bool) Code {
	if w["department "+code] == "" {
		return NotFound
	}
	for _, child := range departments {
		if under, there := w["under "+child]; there && under == code {
			if !up {
				return HasChildren
			}
			w["under "+child] = w["under "+code]
		}
	}
	delete(w, "department "+code)
	delete(w, "under "+code)
	for fact, value := range w {
		if name, in, _ := strings.Cut(value, "|"); strings.HasPrefix(fact, "role ") && in == code {
			w[fact] = name + "|"
		}
	}
	return ""
}

func observeDepartments(ctx context.Context, store hbase.Store, w world) error {
	for _, code := range departments {
		cells, err := cellsOf(ctx, store, tables.Departments.Get(code, tables.Departments.All()+" "+tables.Attributes+":"+tables.Origin))
		if err != nil {
			return err
		}
		observeMade(w, "department "+code, cells, attribute(cells, "name"))
		d, err := tables.Departments.Decode(code, cells)
		if err != nil {
			return err
		}
		if d != nil {
			w["under "+code] = parentOf(d.ParentCode)
		}
	}
	cells, err := cellsOf(ctx, store, tables.Tree.Get())
	if err != nil {
		return err
	}
	if _, known, err := tables.Tree.Depth(cells); err != nil || !known {
		return fmt.Errorf("how deep the tree is must be known: %w", err)
	}
	return nil
}
