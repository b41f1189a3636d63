package transfer

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// treeSchema has an import that reads all files before it writes.
func treeSchema() schema {
	s := objectSchema(tables.Departments)
	s.imports, s.exports = (*importer).importDepartments, exportDepartments
	return s
}

func (im *importer) importDepartments(ctx context.Context) error {
	if !im.has(tables.Departments.Table) {
		return nil
	}
	t := newTree()
	add := func(it item[*tables.Department]) error { t.add(it); return nil }
	err := read(ctx, im, tables.Departments.Table, parseObject(tables.Departments), add)
	if err != nil {
		return err
	}
	for d, err := range rebuild.Objects(ctx, im.store, tables.Departments, "parent") {
		if err != nil {
			return err
		}
		t.stored[d.Code] = value(d.ParentCode)
	}
	kept, err := t.prune(im.progress.skip)
	if err != nil {
		return err
	}
	if t.levels > 0 {
		if err := rebuild.WriteColumn(ctx, im.store, tables.Tree.Get(), tables.Tree.DepthCell(t.levels, 1)); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(kept, batchRows) {
		if err := revise(ctx, im, tables.Departments, batch); err != nil {
			return err
		}
	}
	return nil
}

// exportDepartments exports parents before children. Departments without a path to the top come
// last.
func exportDepartments(ctx context.Context, store hbase.Store, row emit) error {
	var all []*tables.Department
	children := map[string][]*tables.Department{}
	for d, err := range rebuild.Objects(ctx, store, tables.Departments, "name", "parent") {
		if err != nil {
			return err
		}
		all = append(all, d)
		children[value(d.ParentCode)] = append(children[value(d.ParentCode)], d)
	}
	levels := children[tables.Root]
	for i := 0; i < len(levels); i++ {
		levels = append(levels, children[levels[i].Code]...)
	}
	emitted := map[*tables.Department]bool{}
	for _, d := range slices.Concat(levels, all) {
		if !emitted[d] {
			emitted[d] = true
			if err := row(tables.Departments.Row(d)...); err != nil {
				return err
			}
		}
	}
	return nil
}
