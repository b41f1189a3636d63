package check

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// lengths checks that the lengths which are attributes are those of the lists: first of all lists that have a row,
// and then that the others are 0.
func (r *run) lengths(ctx context.Context) error {
	for _, l := range tables.Lists() {
		if l.Count == "" {
			continue
		}
		if err := r.owners(ctx, l, func(owners []string) error { return r.compare(ctx, l, owners) }); err != nil {
			return err
		}
		scan := hbase.Scan{Table: l.Owner.Table, Columns: l.Lengths("").Columns}
		if err := r.rows(ctx, scan, func(rows []hbase.Row) error { return r.empty(ctx, l, rows) }); err != nil {
			return err
		}
	}
	return nil
}

// empty checks the counts of lists that have no row.
func (r *run) empty(ctx context.Context, l *tables.AnyList, rows []hbase.Row) error {
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
	return r.compare(ctx, l, empty)
}

// compare compares the counts of some owners with the lengths of their lists.
func (r *run) compare(ctx context.Context, l *tables.AnyList, owners []string) error {
	lengths, err := rebuild.Count(ctx, r.Store, l, owners)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		lengths[owner] = lengths[owner].Plus(r.off[listOf{l, owner}])
	}
	stored, err := hbase.GetEach(ctx, r.Store, owners, l.Lengths)
	if err != nil {
		return err
	}
	for _, change := range rebuild.LengthChanges(l, owners, lengths, stored, false) {
		r.differs(change, fmt.Sprintf("%s has so many members", l))
	}
	return nil
}
