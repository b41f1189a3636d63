package transfer

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// exportDepartments emits parents before their children, level by level. One whose parents end in nothing comes at the end.
func exportDepartments(ctx context.Context, store hbase.Store, row emit) error {
	var all []*tables.Department
	children := map[string][]*tables.Department{}
	err := objects(ctx, store, tables.Departments, []string{"name", "parent"}, func(d *tables.Department) error {
		all = append(all, d)
		children[value(d.ParentCode)] = append(children[value(d.ParentCode)], d)
		return nil
	})
	if err != nil {
		return err
	}
	order := children[tables.Root]
	for i := 0; i < len(order); i++ {
		order = append(order, children[order[i].Code]...)
	}
	emitted := map[string]bool{}
	for _, d := range append(order, all...) {
		if emitted[d.Code] {
			continue
		}
		emitted[d.Code] = true
		if err := row(tables.Departments.Row(d)...); err != nil {
			return err
		}
	}
	return nil
}
