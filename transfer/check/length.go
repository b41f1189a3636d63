package check

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// lengths also checks owners whose list has no row.
func (r *run) lengths(ctx context.Context) error {
	for _, l := range tables.Lists() {
		if l.Count == "" {
			continue
		}
		err := r.owners(ctx, l, func(owners []string) error { return r.compareLengths(ctx, l, owners) })
		if err != nil {
			return err
		}
		scan := hbase.Scan{Table: l.Owner.Table, Columns: l.Lengths("").Columns}
		err = r.rows(ctx, scan, func(rows []hbase.Row) error { return r.emptyLists(ctx, l, rows) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) emptyLists(ctx context.Context, l *tables.AnyList, rows []hbase.Row) error {
	var owners, empty []string
	for _, row := range rows {
		owner, err := tables.OwnerOf(row.Key)
		if err != nil {
			r.unreadable(attribute(l.Owner.Table, row.Key, l.Count), err)
		} else if slices.ContainsFunc(row.Cells, func(c hbase.Cell) bool { return string(c.Value) != "0" }) {
			owners = append(owners, owner)
		}
	}
	first, err := hbase.GetEach(ctx, r.Store, owners, func(owner string) hbase.Get {
		return l.Get(owner, 0, hbase.Page{Limit: 1})
	})
	if err != nil {
		return err
	}
	for i, owner := range owners {
		if len(first[i]) == 0 {
			empty = append(empty, owner)
		}
	}
	return r.compareLengths(ctx, l, empty)
}

func (r *run) compareLengths(ctx context.Context, l *tables.AnyList, owners []string) error {
	lengths, err := rebuild.Count(ctx, r.Store, l, owners)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		lengths[owner] = lengths[owner].Plus(r.lengthDiff[listOf{l, owner}])
	}
	stored, err := hbase.GetEach(ctx, r.Store, owners, l.Lengths)
	if err != nil {
		return err
	}
	for _, change := range rebuild.LengthChanges(l, owners, lengths, stored, false) {
		members := "members"
		if change.New.Qualifier == l.PublicCount {
			members = "public members"
		}
		r.differs(change, fmt.Sprintf("the number of %s of %s", members, l))
	}
	return nil
}
