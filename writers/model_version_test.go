package writers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// insist reads an object and changes it as it was read, from its version: who finds that others changed it since reads again. What is
// refused for another reason is so only if it was as it was read.
func insist[T any](ctx context.Context, w *Writers, get hbase.Get, o *tables.Object[T], version func(*T) *string, change func(*T) error) error {
	read := func() (*T, error) {
		cells, err := cellsOf(ctx, w.store, get)
		if err != nil {
			return nil, err
		}
		object, err := o.Decode("", cells)
		if err == nil && object == nil {
			err = refuse(NotFound, "code", "there is none")
		}
		return object, err
	}
	for {
		before, err := read()
		if err != nil {
			return err
		}
		err = change(before)
		if code := outcome(err); code == "" || code == unsure {
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

// next is a name that counts how often it was changed since it was given.
func next(name string) string {
	n, _ := strconv.Atoi(name)
	return strconv.Itoa(n + 1)
}

func renamed(name *string) Change[string] { return Change[string]{true, pointer(next(*name))} }

// callNext changes a name to the next, in the fact that is what is said of the object up to a "|".
func callNext(fact string, do func(ctx context.Context, w *Writers) error, value func(before string) string) call {
	return call{"next " + fact, do, func(w world) Code {
		if w[fact] == "" {
			return NotFound
		}
		w[fact] = value(w[fact])
		return ""
	}}
}

func callNextGame(code string) call {
	return callNext("game "+code, func(ctx context.Context, w *Writers) error {
		return insist(ctx, w, tables.Games.Get(code, tables.Games.All()), tables.Games, func(g *tables.Game) *string { return g.Version }, func(g *tables.Game) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: code, Name: renamed(g.Name), ExpectedVersion: g.Version})
			return err
		})
	}, next)
}

func callNextRole(code string) call {
	return callNext("role "+code, func(ctx context.Context, w *Writers) error {
		return insist(ctx, w, tables.Roles.Get(code, tables.Roles.All()), tables.Roles, func(r *tables.Role) *string { return r.Version }, func(r *tables.Role) error {
			_, err := w.UpdateRole(ctx, RoleChange{Code: code, Name: renamed(r.Name), ExpectedVersion: r.Version})
			return err
		})
	}, func(before string) string {
		name, in, _ := strings.Cut(before, "|")
		return next(name) + "|" + in
	})
}

func callNextDepartment(code string) call {
	return callNext("department "+code, func(ctx context.Context, w *Writers) error {
		return insist(ctx, w, departmentOf(code), tables.Departments, departmentVersion, func(d *tables.Department) error {
			_, err := w.UpdateDepartment(ctx, DepartmentChange{code, renamed(d.Name), d.Version})
			return err
		})
	}, next)
}

func departmentVersion(d *tables.Department) *string { return d.Version }

// callTurn moves a department that is at the top under another one, and one that is elsewhere to the top.
func callTurn(code, under string) call {
	return call{fmt.Sprintf("turn %s from or to %s", code, under), func(ctx context.Context, w *Writers) error {
		return insist(ctx, w, departmentOf(code), tables.Departments, departmentVersion, func(d *tables.Department) error {
			var parent *string
			if d.ParentCode == nil {
				parent = &under
			}
			_, err := w.MoveDepartment(ctx, code, parent, d.Version)
			return err
		})
	}, func(w world) Code {
		switch {
		case w["department "+code] == "":
			return NotFound
		case w["under "+code] != tables.Root:
			w["under "+code] = tables.Root
			return ""
		}
		return modelMove(w, code, under)
	}}
}
