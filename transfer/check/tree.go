package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// tree checks that the path up from each department ends at the top. It returns the departments whose parent is to
// blame if it does not.
func (r *run) tree(ctx context.Context, some []referrer) (wrong map[string]bool, err error) {
	wrong = map[string]bool{}
	parents := map[string]*string{} // nil: there is no such department
	paths := make([][]string, len(some))
	for i, d := range some {
		parents[d.Key], paths[i] = &d.Owner, []string{d.Key}
	}
	for {
		if err := r.readParents(ctx, parents, paths); err != nil {
			return nil, err
		}
		done := true
		for i, path := range paths {
			if path == nil {
				continue
			}
			d, parent := some[i], *parents[path[len(path)-1]]
			paths[i] = nil
			switch {
			case parent == tables.Root:
				r.levels = max(r.levels, len(path))
			case parents[parent] == nil && len(path) > 1: // one above is to blame
			case parents[parent] == nil:
				wrong[d.Key] = true
				r.refersWrongly(tables.Parents, d, noObject(&tables.Departments.AnyObject, parent))
			case parent == d.Key:
				wrong[d.Key] = true
				if d.Key == slices.Min(path) { // one is reported for all of the circle
					r.refersWrongly(tables.Parents, d, "the department is below itself")
				}
			case slices.Contains(path, parent): // there is a circle above
			case len(path) == tables.MaxDepth:
				at := attribute(tables.Departments.Table, tables.RowKey(d.Key), tables.Parents.Attribute)
				r.report(at, text([]byte(d.Owner)), "another",
					fmt.Sprintf("the department is below more than %d others", tables.MaxDepth-1))
			default:
				paths[i], done = append(path, parent), false
			}
		}
		if done {
			return wrong, nil
		}
	}
}

// readParents reads the departments at which paths continue, with their parents.
func (r *run) readParents(ctx context.Context, parents map[string]*string, paths [][]string) error {
	var asked []string
	var gets []hbase.Get
	for _, path := range paths {
		if path == nil {
			continue
		}
		parent := *parents[path[len(path)-1]]
		if _, known := parents[parent]; !known && parent != tables.Root {
			parents[parent] = nil
			asked, gets = append(asked, parent), append(gets, tables.Parents.Get(parent))
		}
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	for i, code := range asked {
		d, exists, err := tables.Parents.Decode(code, cells[i])
		if err != nil {
			return err
		}
		if exists {
			parents[code] = &d.Owner
		}
	}
	return nil
}

// depth checks that the tree has no more levels than its row says, if that does: departments are created wherever the
// tree has room.
func (r *run) depth(ctx context.Context) error {
	get := tables.Tree.Get()
	cells, err := rebuild.Read(ctx, r.Store, []hbase.Get{get})
	if err != nil {
		return err
	}
	want := tables.Tree.DepthCell(r.levels, 0)
	for _, c := range cells[0] {
		if c.Family != want.Family || c.Qualifier != want.Qualifier {
			continue
		}
		if levels, err := strconv.Atoi(string(c.Value)); err != nil || levels < r.levels {
			want.Timestamp = c.Timestamp
			r.differs(rebuild.Change{Table: get.Table, Row: get.Row, Old: &c, New: &want}, "the tree has so many levels")
		}
	}
	return nil
}
