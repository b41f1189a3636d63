package writers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func retryOnConflict[T any](
	ctx context.Context, w *Writers, get hbase.Get, o *tables.Object[T], version func(*T) *string, change func(*T) error,
) error {
	read := func() (*T, error) {
		cells, err := cellsOf(ctx, w.store, get)
		if err != nil {
			return nil, err
		}
		object, err := o.Decode("", cells)
		if err == nil && object == nil {
			err = reject(NotFound, "code", "there is no such object")
		}
		return object, err
	}
	for {
		before, err := read()
		if err != nil {
			return err
		}
		err = change(before)
		if code := outcome(err); code == "" || code == unknownOutcome {
			return err
		}
		after, readErr := read()
		if readErr != nil {
			return readErr
		}
		if *version(before) == *version(after) {
			return err
		}
	}
}

func incremented(name string) string {
	n, _ := strconv.Atoi(name)
	return strconv.Itoa(n + 1)
}

func renamed(name *string) Change[string] { return Change[string]{true, new(incremented(*name))} }

func callIncrement(fact string, do func(ctx context.Context, w *Writers) error, value func(before string) string) call {
	return call{"next " + fact, do, func(f facts) Code {
		if f[fact] == "" {
			return NotFound
		}
		f[fact] = value(f[fact])
		return ""
	}}
}

func callIncrementGame(code string) call {
	return callIncrement("game "+code, func(ctx context.Context, w *Writers) error {
		version := func(g *tables.Game) *string { return g.Version }
		get := tables.Games.Get(code, tables.Attributes)
		return retryOnConflict(ctx, w, get, tables.Games, version, func(g *tables.Game) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: code, Name: renamed(g.Name), ExpectedVersion: g.Version})
			return err
		})
	}, incremented)
}

func callIncrementRole(code string) call {
	return callIncrement("role "+code, func(ctx context.Context, w *Writers) error {
		version := func(r *tables.Role) *string { return r.Version }
		get := tables.Roles.Get(code, tables.Attributes)
		return retryOnConflict(ctx, w, get, tables.Roles, version, func(r *tables.Role) error {
			_, err := w.UpdateRole(ctx, RoleChange{Code: code, Name: renamed(r.Name), ExpectedVersion: r.Version})
			return err
		})
	}, func(before string) string {
		name, in, _ := strings.Cut(before, "|")
		return incremented(name) + "|" + in
	})
}

func callIncrementDepartment(code string) call {
	return callIncrement("department "+code, func(ctx context.Context, w *Writers) error {
		get := departmentOf(code)
		return retryOnConflict(ctx, w, get, tables.Departments, departmentVersion, func(d *tables.Department) error {
			_, err := w.UpdateDepartment(ctx, DepartmentChange{code, renamed(d.Name), d.Version})
			return err
		})
	}, incremented)
}

func departmentVersion(d *tables.Department) *string { return d.Version }

func callToggleParent(code, under string) call {
	return call{fmt.Sprintf("toggle %s between top and %s", code, under), func(ctx context.Context, w *Writers) error {
		get := departmentOf(code)
		return retryOnConflict(ctx, w, get, tables.Departments, departmentVersion, func(d *tables.Department) error {
			var parent *string
			if d.ParentCode == nil {
				parent = &under
			}
			_, err := w.MoveDepartment(ctx, code, parent, d.Version)
			return err
		})
	}, func(f facts) Code {
		switch {
		case f["department "+code] == "":
			return NotFound
		case f["under "+code] != tables.Root:
			f["under "+code] = tables.Root
			return ""
		}
		return modelMove(f, code, under)
	}}
}
