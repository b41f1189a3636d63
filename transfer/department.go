package transfer

import (
	"context"
	"slices"

	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// importDepartments imports the files of departments together: whether a parent exists and the tree stays one can't be said before all
// are read.
func (im *importer) importDepartments(ctx context.Context) error {
	if !im.has("departments") {
		return nil
	}
	t := tree{rows: map[string]item[*tables.Department]{}, stored: map[string]string{}}
	err := read(ctx, im, "departments", parseObject(tables.Departments), func(it item[*tables.Department]) error {
		t.add(it)
		return nil
	})
	if err != nil {
		return err
	}
	for d, err := range rebuild.Objects(ctx, im.store, tables.Departments, "parent") {
		if err != nil {
			return err
		}
		t.stored[d.Value.Code] = value(d.Value.ParentCode)
	}
	kept, err := t.prune(im.rowErrors.add)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(kept, batchRows) {
		err := revise(ctx, im, tables.Departments, batch)
		if err != nil {
			return err
		}
	}
	return nil
}
