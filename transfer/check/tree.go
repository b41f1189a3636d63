package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// readTree sets r.parents and r.unread. References to an unreadable department are not repaired,
// because it may exist.
func (r *run) readTree(ctx context.Context) error {
	r.parents, r.unread = map[string]string{}, map[string]bool{}
	for row, err := range r.Store.Scan(ctx, tables.Parents.Objects()) {
		if err != nil {
			return err
		}
		key, err := tables.OwnerOf(row.Key)
		if err != nil {
			continue // reported with the department
		}
		d, exists, err := tables.Parents.Decode(key, row.Cells)
		switch {
		case err != nil:
			r.unread[key] = true
		case exists:
			r.parents[key] = d.Owner
		}
	}
	return nil
}

// climb reports departments with a missing parent or too long a path, and one department of each
// cycle. wrong is true if the parent is missing, or the department is in a cycle.
func (r *run) climb(d referrer) (wrong bool) {
	path := []string{d.Key}
	for at := d.Owner; at != tables.Root; at = r.parents[at] {
		_, exists := r.parents[at]
		switch {
		case r.unread[at]:
			return false
		case !exists && len(path) == 1:
			r.wrongReference(tables.Parents, d, noObject(&tables.Departments.AnyObject, at))
			return true
		case at == d.Key:
			if d.Key == slices.Min(path) { // once
				r.wrongReference(tables.Parents, d, "the department is below itself")
			}
			return true
		case !exists, slices.Contains(path, at): // reported with a department above
			return false
		case len(path) == tables.MaxDepth:
			column := attribute(tables.Departments.Table, tables.RowKey(d.Key), tables.Parents.Attribute)
			r.report(column, text([]byte(d.Owner)), "another",
				fmt.Sprintf("the department is below more than %d others", tables.MaxDepth-1))
			return false
		}
		path = append(path, at)
	}
	r.levels = max(r.levels, len(path))
	return false
}

// depth checks the stored number of levels, on which writers rely.
func (r *run) depth(ctx context.Context) error {
	get := tables.Tree.Get()
	cells, err := hbase.GetOne(ctx, r.Store, get)
	if err != nil {
		return err
	}
	want := tables.Tree.DepthCell(r.levels, 0)
	for _, c := range cells {
		if c.Family != want.Family || c.Qualifier != want.Qualifier {
			continue
		}
		if levels, err := strconv.Atoi(string(c.Value)); err != nil || levels < r.levels {
			r.compareColumn(get, &c, want, "the depth of the tree")
		}
	}
	return nil
}
