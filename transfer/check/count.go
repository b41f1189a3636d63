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
	var owners []string
	var gets []hbase.Get
	for _, row := range rows {
		owner, err := tables.OwnerOf(row.Key)
		if err != nil {
			r.unreadable(attribute(l.Owner.Table, row.Key, l.Count), err)
			continue
		}
		if slices.ContainsFunc(row.Cells, func(c hbase.Cell) bool { return string(c.Value) != "0" }) {
			owners, gets = append(owners, owner), append(gets, l.Get(owner, 0, hbase.Page{Limit: 1}))
		}
	}
	cells, err := hbase.GetAll(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	var empty []string
	for i, owner := range owners {
		if len(cells[i]) == 0 {
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
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = l.Lengths(owner)
	}
	cells, err := hbase.GetAll(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		n, off := lengths[owner], r.off[listOf{l, owner}]
		n = rebuild.Length{All: n.All + off.All, Public: n.Public + off.Public}
		for _, change := range n.Changes(l, gets[i], cells[i], false) {
			r.differs(change, fmt.Sprintf("%s has so many members", l))
		}
	}
	return nil
}
