package check

import (
	"context"
	"slices"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// lengths checks that the lengths which are attributes are those of the lists: first of all lists that have a row, and then
// that the others are 0.
func (r *run) lengths(ctx context.Context) error {
	for _, l := range tables.Lists() {
		if l.Count == "" {
			continue
		}
		if err := r.owners(ctx, l, func(owners []string) error { return r.compare(ctx, l, owners) }); err != nil {
			return err
		}
		if err := r.empty(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// empty checks the lengths of lists that have no row.
func (r *run) empty(ctx context.Context, l *tables.AnyList) error {
	scan := hbase.Scan{Table: l.Owner.Table, Columns: l.Lengths("").Columns}
	return r.rows(ctx, scan, func(rows []hbase.Row) error {
		var owners []string
		var gets []hbase.Get
		for _, row := range rows {
			owner, err := tables.OwnerOf(row.Key)
			if err != nil {
				r.corrupt(l.Owner.Table, row.Key, l.Count, err)
				continue
			}
			if slices.ContainsFunc(row.Cells, func(c hbase.Cell) bool { return string(c.Value) != "0" }) {
				owners, gets = append(owners, owner), append(gets, l.Get(owner, 0, hbase.Page{Limit: 1}))
			}
		}
		cells, err := rebuild.Read(ctx, r.Store, gets)
		if err != nil {
			return err
		}
		var none []string
		for i, owner := range owners {
			if len(cells[i]) == 0 {
				none = append(none, owner)
			}
		}
		return r.compare(ctx, l, none)
	})
}

// compare compares the counts of some owners with the lengths of their lists.
func (r *run) compare(ctx context.Context, l *tables.AnyList, owners []string) error {
	lengths := make(map[string]rebuild.Length, len(owners))
	err := rebuild.Spans(ctx, r.Store, l, owners, func(s *rebuild.Span) error {
		public, err := l.Public(s.Owner, s.Cells)
		if err != nil {
			return err
		}
		n := lengths[s.Owner]
		for i := range s.Cells {
			if s.Covers(i) {
				n = n.Grown(public != nil && public[i])
			}
		}
		lengths[s.Owner] = n
		return nil
	})
	if err != nil {
		return err
	}
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = l.Lengths(owner)
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		n, off := lengths[owner], r.off[listOf{l, owner}]
		r.count(l, gets[i], cells[i], l.Count, n.All+off.All)
		if l.PublicCount != "" {
			r.count(l, gets[i], cells[i], l.PublicCount, n.Public+off.Public)
		}
	}
	return nil
}

// count compares one count with the length that it should be.
func (r *run) count(l *tables.AnyList, at hbase.Get, cells []hbase.Cell, column string, length int) {
	is, timestamp := "0", int64(1)
	shown := absent
	for _, c := range cells {
		if c.Family == tables.Attributes && c.Qualifier == column {
			is, shown, timestamp = string(c.Value), string(c.Value), max(timestamp, c.Timestamp)
		}
	}
	if should := strconv.Itoa(length); is != should {
		r.report(violationOf(at.Table, at.Row, tables.Attributes, column, shown, should, "%s has so many members", l),
			hbase.Put{Table: at.Table, Row: at.Row, Cells: []hbase.Cell{
				{Family: tables.Attributes, Qualifier: column, Timestamp: timestamp, Value: []byte(should)}}})
	}
}
