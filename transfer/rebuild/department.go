package rebuild

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Departments rebuilds the lists of sub-departments, the lists of the roles that a department defines, and the depth of the
// tree, from the rows of departments and roles. It reads both tables whole, because nothing else tells in which lists a
// name is that was changed.
func (s *Rebuilder) Departments(ctx context.Context) error {
	children, roles := wanted{}, wanted{}
	owners, parents := []string{tables.Root}, map[string]string{}
	for d, err := range Objects(ctx, s.Store, tables.Departments, "name", "parent") {
		if err != nil {
			return err
		}
		parent := tables.Root
		if d.Value.ParentCode != nil {
			parent = *d.Value.ParentCode
		}
		children.add(parent, tables.Children.Cell(tables.Child{Name: *d.Value.Name, Code: d.Value.Code}, d.Timestamp))
		owners = append(owners, d.Value.Code)
		parents[d.Value.Code] = parent
	}
	for r, err := range Objects(ctx, s.Store, tables.Roles, "name", "department") {
		if err != nil {
			return err
		}
		if r.Value.DepartmentCode != nil {
			roles.add(*r.Value.DepartmentCode, tables.DepartmentRoles.Cell(r.Value.Code, r.Timestamp))
		}
	}
	if err := makeMembers(ctx, s, &tables.Children.AnyList, owners, children); err != nil {
		return err
	}
	if err := makeMembers(ctx, s, &tables.DepartmentRoles.AnyList, owners, roles); err != nil {
		return err
	}
	return s.depth(ctx, parents)
}

// depth writes how deep the tree is into its row, given the parent of each department.
func (s *Rebuilder) depth(ctx context.Context, parents map[string]string) error {
	levels := map[string]int{tables.Root: 0}
	deepest := 0
	for code := range parents {
		var path []string
		for at := code; levels[at] == 0 && at != tables.Root && len(path) <= tables.MaxDepth; at = parents[at] {
			path = append(path, at)
		}
		for _, at := range slices.Backward(path) {
			levels[at] = levels[parents[at]] + 1
			deepest = max(deepest, levels[at])
		}
	}
	get := tables.Tree.Get()
	stored, err := Read(ctx, s.Store, []hbase.Get{get})
	if err != nil {
		return err
	}
	want := tables.Tree.DepthCell(deepest, 1)
	cell, differs := replace(find(stored[0], want.Qualifier), want)
	if !differs || len(parents) == 0 {
		return nil
	}
	return Write(ctx, s.Store, []hbase.Mutation{tables.Tree.Put(cell)})
}

// wanted are the columns that the lists of owners should have: owner → qualifier → column.
type wanted map[string]map[string]hbase.Cell

func (w wanted) add(owner string, member hbase.Cell) {
	if w[owner] == nil {
		w[owner] = map[string]hbase.Cell{}
	}
	w[owner][member.Qualifier] = member
}

// makeMembers gives lists exactly the wanted members, and rebuilds them. A member is deleted with a marker of its own
// timestamp. If it returns later it is younger, because every change makes the row of its object younger.
func makeMembers(ctx context.Context, s *Rebuilder, l *tables.AnyList, owners []string, want wanted) error {
	err := s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		var mutations []hbase.Mutation
		directories := make(map[string][]tables.Bucket, len(owners))
		found := map[[2]string]bool{}
		err := Spans(ctx, s.Store, l, owners, func(span *Span) error {
			directories[span.Owner] = span.Directory
			gone := hbase.Delete{Table: l.Table, Row: l.Row(span.Owner, span.Bucket)}
			for i, c := range span.Cells {
				wanted, ok := want[span.Owner][c.Qualifier]
				switch {
				case !ok:
					gone.Columns = append(gone.Columns, gonePart(c))
				case span.Covers(i) && c.Timestamp >= wanted.Timestamp && string(c.Value) == string(wanted.Value):
					found[[2]string{span.Owner, c.Qualifier}] = true
				}
			}
			if len(gone.Columns) > 0 {
				mutations = append(mutations, gone)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, owner := range owners {
			for qualifier, cell := range want[owner] {
				if !found[[2]string{owner, qualifier}] {
					row := l.Row(owner, tables.BucketOf(directories[owner], qualifier))
					mutations = append(mutations, hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{cell}})
				}
			}
		}
		return Write(ctx, s.Store, mutations)
	})
	if err != nil {
		return err
	}
	return s.Lists(ctx, l, owners)
}
