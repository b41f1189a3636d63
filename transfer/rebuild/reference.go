package rebuild

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// References rebuilds the lists of the objects that are referred to. It reads the tables of both kinds of objects whole, because
// nothing else tells in which lists an object is that was changed.
func (s *Rebuilder) References(ctx context.Context, ref *tables.Reference) error {
	owners, want := []string{}, wanted{}
	if ref.Rooted {
		owners = append(owners, tables.Root)
	}
	scan := hbase.Scan{Table: ref.List.Owner.Table, Columns: tables.Existence, PageSize: nextPage}
	for row, err := range s.Store.Scan(ctx, scan) {
		if err != nil {
			return err
		}
		owner, err := tables.OwnerOf(row.Key)
		if err != nil {
			return err
		}
		owners = append(owners, owner)
	}
	parents := map[string]string{}
	err := Referrers(ctx, s.Store, ref, func(r tables.Referrer) error {
		if parents[r.Key] = r.Owner; r.Listed {
			want.add(r.Owner, r.Member)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := makeMembers(ctx, s, ref.List, owners, want); err != nil || ref != tables.Parents {
		return err
	}
	return s.depth(ctx, parents)
}

// Referrers calls f with all objects that may refer to another one.
func Referrers(ctx context.Context, store hbase.Store, ref *tables.Reference, f func(tables.Referrer) error) error {
	scan := ref.Objects()
	scan.PageSize = nextPage
	for row, err := range store.Scan(ctx, scan) {
		if err != nil {
			return err
		}
		key, err := tables.OwnerOf(row.Key)
		if err != nil {
			return err
		}
		r, exists, err := ref.Decode(key, row.Cells)
		if err == nil && exists {
			err = f(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// depth writes how deep the tree is into its row, given the parent of each department.
func (s *Rebuilder) depth(ctx context.Context, parents map[string]string) error {
	if len(parents) == 0 {
		return nil
	}
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
	return writeChanges(ctx, s.Store, Differs(nil, get, find(stored[0], want.Qualifier), want))
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
		var changes []Change
		directories := make(map[string][]tables.Bucket, len(owners))
		found := map[[2]string]bool{}
		err := Spans(ctx, s.Store, l, owners, func(span *Span) error {
			directories[span.Owner] = span.Directory
			for i := range span.Cells {
				c := &span.Cells[i]
				wanted, ok := want[span.Owner][c.Qualifier]
				switch {
				case !ok:
					changes = append(changes, Change{l.Table, l.Row(span.Owner, span.Bucket), c, nil})
				case span.Covers(i) && c.Timestamp >= wanted.Timestamp && string(c.Value) == string(wanted.Value):
					found[[2]string{span.Owner, c.Qualifier}] = true
				}
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
					changes = append(changes, Change{l.Table, row, nil, &cell})
				}
			}
		}
		return writeChanges(ctx, s.Store, changes)
	})
	if err != nil {
		return err
	}
	return s.Lists(ctx, l, owners)
}
