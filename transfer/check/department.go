package check

import (
	"context"
	"fmt"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// departments shows that departments are a tree, and that they are in the lists of their parents.
func (r *run) departments(ctx context.Context) error {
	err := objects(ctx, r, tables.Departments, "name parent", func(some []stored[tables.Department]) error {
		wrong, err := r.tree(ctx, some)
		if err != nil {
			return err
		}
		var entries []entry
		for _, d := range some {
			if !wrong[d.key] {
				entries = append(entries, entryOf(tables.Children, parentOf(d.value), tables.Child{Name: *d.value.Name, Code: d.key}, d.timestamp()))
			}
		}
		if err := r.find(ctx, entries); err != nil {
			return err
		}
		for _, s := range entries {
			if s.found == nil {
				r.missing(s, false, "that is the department's name, and its parent is %q", s.owner)
			}
		}
		return nil
	})
	if err == nil {
		err = r.depth(ctx)
	}
	if err != nil {
		return err
	}
	return r.definedRoles(ctx)
}

// definedRoles shows that the departments which roles name exist, and have them in their lists.
func (r *run) definedRoles(ctx context.Context) error {
	return objects(ctx, r, tables.Roles, "name department", func(some []stored[tables.Role]) error {
		var codes []string
		for _, role := range some {
			if role.value.DepartmentCode != nil {
				codes = append(codes, *role.value.DepartmentCode)
			}
		}
		exist, err := r.which(ctx, &tables.Departments.AnyObject, codes)
		if err != nil {
			return err
		}
		var entries []entry
		for _, role := range some {
			if code := role.value.DepartmentCode; code == nil {
				continue
			} else if !exist[*code] {
				role.without(r, tables.Roles.Table, "department", "there is no department %q", *code)
			} else {
				entries = append(entries, entryOf(tables.DepartmentRoles, *code, role.key, role.timestamp()))
			}
		}
		if err := r.find(ctx, entries); err != nil {
			return err
		}
		for _, s := range entries {
			if s.found == nil {
				r.missing(s, false, "the department defines the role")
			}
		}
		return nil
	})
}

// stored is an object with the cells that say so.
type stored[T any] struct {
	key, row string
	value    *T
	cells    []hbase.Cell
}

func (s stored[T]) timestamp() int64 { return rebuild.Youngest(s.cells) }

// without reports an attribute that names what does not exist.
func (s stored[T]) without(r *run, table, column, why string, args ...any) {
	for _, c := range s.cells {
		if c.Qualifier == column {
			r.report(violationOf(table, s.row, tables.Attributes, column, text(c.Value), absent, why, args...), gone(table, s.row, c))
		}
	}
}

// objects hands all objects of a kind to f, some at a time, with these attributes.
func objects[T any](ctx context.Context, r *run, o *tables.Object[T], fields string, f func([]stored[T]) error) error {
	columns := ""
	for _, field := range strings.Fields(fields) {
		columns += " " + tables.Attributes + ":" + field
	}
	return r.rows(ctx, hbase.Scan{Table: o.Table, Columns: columns}, func(rows []hbase.Row) error {
		var all []stored[T]
		for _, row := range rows {
			key, err := tables.OwnerOf(row.Key)
			var value *T
			if err == nil {
				value, err = o.Decode(key, row.Cells)
			}
			if err != nil {
				r.corrupt(o.Table, row.Key, "name", err)
			} else if value != nil {
				all = append(all, stored[T]{key, row.Key, value, row.Cells})
			}
		}
		return f(all)
	})
}

func parentOf(d *tables.Department) string {
	if d.ParentCode == nil {
		return tables.Root
	}
	return *d.ParentCode
}

func explainChildren(ctx context.Context, r *run, owner string, members []tables.Child) ([]string, error) {
	gets, why := make([]hbase.Get, len(members)), make([]string, len(members))
	for i, m := range members {
		gets[i] = tables.Departments.Get(m.Code, "i:name i:parent")
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		d, err := tables.Departments.Decode(m.Code, cells[i])
		switch {
		case err != nil: // reported with the department
		case d == nil:
			why[i] = fmt.Sprintf("there is no department %q", m.Code)
		case parentOf(d) != owner:
			why[i] = fmt.Sprintf("the parent of department %q is %q", m.Code, parentOf(d))
		case *d.Name != m.Name:
			why[i] = fmt.Sprintf("the name of department %q is %q", m.Code, *d.Name)
		}
	}
	return why, nil
}

func explainDepartmentRoles(ctx context.Context, r *run, owner string, members []string) ([]string, error) {
	gets, why := make([]hbase.Get, len(members)), make([]string, len(members))
	for i, code := range members {
		gets[i] = tables.Roles.Get(code, "i:name i:department")
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, code := range members {
		role, err := tables.Roles.Decode(code, cells[i])
		switch {
		case err != nil: // reported with the role
		case role == nil:
			why[i] = fmt.Sprintf("there is no role %q", code)
		case role.DepartmentCode == nil || *role.DepartmentCode != owner:
			why[i] = fmt.Sprintf("the department does not define role %q", code)
		}
	}
	return why, nil
}
