package invariant

import (
	"context"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// lengths shows that the lengths which are attributes are those of the lists.
func (r *run) lengths(ctx context.Context) error {
	for _, prove := range []func(context.Context, *run) error{
		of(settle.Followers), of(settle.Following), of(settle.Twits), of(settle.Albums), of(settle.Comments), of(settle.UserRoles),
		of(settle.RoleUsers), of(settle.Children), of(settle.DepartmentRoles), of(settle.UserGames), of(settle.Players),
	} {
		if err := prove(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// of proves the lengths of one kind of list: of all lists that there are, and then that the others are 0.
func of[E any](k settle.Kind[E]) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		err := r.rows(ctx, hbase.Scan{Table: k.Table, Columns: k.Family, Page: hbase.Page{Limit: 1}}, func(rows []hbase.Row) error {
			var owners []string
			for _, row := range rows {
				if owner, bucket, err := k.OwnerOf(row.Key); err == nil && bucket == 0 {
					owners = append(owners, owner)
				}
			}
			return compare(ctx, r, k, owners)
		})
		if err != nil {
			return err
		}
		columns := tables.Attributes + ":" + k.Count
		if k.Public() != "" {
			columns += " " + tables.Attributes + ":" + k.Public()
		}
		return r.rows(ctx, hbase.Scan{Table: k.Owner.Table, Columns: columns}, func(rows []hbase.Row) error {
			var owners []string
			var gets []hbase.Get
			for _, row := range rows {
				owner, err := tables.OwnerOf(row.Key)
				if err != nil {
					r.corrupt(k.Owner.Table, row.Key, k.Count, err)
					continue
				}
				for _, c := range row.Cells {
					if string(c.Value) != "0" {
						owners, gets = append(owners, owner), append(gets, k.Get(owner, 0, hbase.Page{Limit: 1}))
						break
					}
				}
			}
			cells, err := settle.Read(ctx, r.Store, gets)
			if err != nil {
				return err
			}
			var none []string
			for i, owner := range owners {
				if len(cells[i]) == 0 {
					none = append(none, owner)
				}
			}
			return compare(ctx, r, k, none)
		})
	}
}

// compare counts the lists of some owners.
func compare[E any](ctx context.Context, r *run, k settle.Kind[E], owners []string) error {
	lengths := make(map[string]settle.Length, len(owners))
	err := settle.Spans(ctx, r.Store, k.List, owners, func(s *settle.Span[E]) error {
		all, err := s.Members()
		if err != nil {
			return err
		}
		n := lengths[s.Owner]
		for i, m := range all {
			if s.Covers(i) {
				n = n.Grown(k.IsPublic(m))
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
		gets[i] = k.Length(owner)
		if k.Public() != "" {
			gets[i].Columns += " " + tables.Attributes + ":" + k.Public()
		}
	}
	cells, err := settle.Read(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		n, off := lengths[owner], r.off[listOf{k.Table, k.Family, owner}]
		r.count(gets[i], cells[i], k.Count, n.All+off.All, k.Table, k.Family)
		if k.Public() != "" {
			r.count(gets[i], cells[i], k.Public(), n.Public+off.Public, k.Table, k.Family)
		}
	}
	return nil
}

// count compares one count with the length that it should be.
func (r *run) count(at hbase.Get, cells []hbase.Cell, column string, length int, table, family string) {
	is, timestamp := "0", int64(1)
	shown := absent
	for _, c := range cells {
		if c.Family == tables.Attributes && c.Qualifier == column {
			is, shown, timestamp = string(c.Value), string(c.Value), max(timestamp, c.Timestamp)
		}
	}
	if should := strconv.Itoa(length); is != should {
		r.breach(breachOf(at.Table, at.Row, tables.Attributes, column, shown, should, "%s:%s has so many members", table, family),
			hbase.Put{Table: at.Table, Row: at.Row, Cells: []hbase.Cell{
				{Family: tables.Attributes, Qualifier: column, Timestamp: timestamp, Value: []byte(should)}}})
	}
}
