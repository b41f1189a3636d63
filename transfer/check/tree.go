package check

import (
	"context"
	"slices"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// tree shows that the way up from each department ends at the top, and returns those of which it does not and whose parent is to blame.
func (r *run) tree(ctx context.Context, some []stored[tables.Department]) (wrong map[string]bool, err error) {
	wrong = map[string]bool{}
	known := map[string]*tables.Department{}
	ways, climbing := make([][]string, len(some)), make([]int, len(some))
	for i, d := range some {
		known[d.key], ways[i], climbing[i] = d.value, []string{d.key}, i
	}
	for len(climbing) > 0 {
		var asked []string
		var gets []hbase.Get
		for _, i := range climbing {
			way := ways[i]
			if parent := parentOf(known[way[len(way)-1]]); parent != tables.Root {
				if _, asking := known[parent]; !asking {
					known[parent] = nil
					asked = append(asked, parent)
					gets = append(gets, tables.Departments.Get(parent, "i:name i:parent"))
				}
			}
		}
		cells, err := rebuild.Read(ctx, r.Store, gets)
		if err != nil {
			return nil, err
		}
		for j, code := range asked {
			if known[code], err = tables.Departments.Decode(code, cells[j]); err != nil {
				return nil, err
			}
		}
		var on []int
		for _, i := range climbing {
			d, way := some[i], ways[i]
			parent := parentOf(known[way[len(way)-1]])
			switch {
			case parent == tables.Root:
				r.levels = max(r.levels, len(way))
			case known[parent] == nil && len(way) > 1: // the fault of one above
			case known[parent] == nil:
				wrong[d.key] = true
				d.without(r, tables.Departments.Table, "parent", "there is no department %q", parent)
			case parent == d.key:
				wrong[d.key] = true
				if d.key == slices.Min(way) { // one for all of them
					d.without(r, tables.Departments.Table, "parent", "the department is below itself")
				}
			case slices.Contains(way, parent): // others go round above it
			case len(way) == tables.MaxDepth:
				r.report(violationOf(tables.Departments.Table, d.row, tables.Attributes, "parent", text([]byte(parentOf(d.value))), "another",
					"the department is below more than %d others", tables.MaxDepth-1))
			default:
				ways[i] = append(way, parent)
				on = append(on, i)
			}
		}
		climbing = on
	}
	return wrong, nil
}

// depth shows that the tree has no more levels than its row says, if that does: departments are made at any place of a tree that has room.
func (r *run) depth(ctx context.Context) error {
	get := tables.Tree.Get()
	cells, err := rebuild.Read(ctx, r.Store, []hbase.Get{get})
	if err != nil {
		return err
	}
	should := tables.Tree.DepthCell(r.levels, 0)
	for _, c := range cells[0] {
		if c.Family != should.Family || c.Qualifier != should.Qualifier {
			continue
		}
		if levels, err := strconv.Atoi(string(c.Value)); err != nil || levels < r.levels {
			should.Timestamp = c.Timestamp
			r.report(violationOf(get.Table, get.Row, c.Family, c.Qualifier, string(c.Value), string(should.Value), "the tree has so many levels"), tables.Tree.Put(should))
		}
	}
	return nil
}
