package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// vacate clears the list of an owner that does not exist any more, to which no write adds members.
//
// It scans all rows of the list, also those of pending buckets, whatever they hold. So a clearing
// that was interrupted is repeated as a whole, and the copies that a split has still to make are
// masked by the deletions. A split that starts when the other rows are cleared copies nothing.
func vacate[E any](l *tables.List[E], owner string, o op) step {
	return each{"vacate", func(ctx context.Context, p port, _ string) ([]step, string, error) {
		rows := listscan.NewRows(&l.AnyList, owner, listscan.RowsOptions{First: cutPage, Next: cutPage, Pending: true})
		for !rows.Done() {
			cells, err := p.one(ctx, "vacate, read", rows.Get())
			if err != nil {
				return nil, "", err
			}
			page, ok, err := rows.Take(cells)
			if err == nil && ok {
				err = vacatePage(ctx, p, &l.AnyList, owner, page, o)
			}
			if err != nil {
				return nil, "", err
			}
		}
		return nil, "", nil
	}}
}

// vacatePage deletes the members of a page from bucket 0, as every removal does, because a late
// write may still add them there. When the last page of another bucket is done, it deletes that
// row.
func vacatePage(ctx context.Context, p port, l *tables.AnyList, owner string, page listscan.RowPage, o op) error {
	if len(page.Cells) > 0 {
		gone := hbase.Delete{Table: l.Table, Row: l.Row(owner, 0)}
		for _, c := range page.Cells {
			gone.Columns = append(gone.Columns,
				hbase.Deletion{Kind: hbase.AllVersions, Family: c.Family, Qualifier: c.Qualifier, Timestamp: o.at})
		}
		if err := p.mutate(ctx, write{"vacate", gone}); err != nil {
			return err
		}
	}
	if page.Bucket == 0 || !page.Last {
		return nil
	}
	return p.mutate(ctx, write{"vacate bucket", hbase.Delete{Table: l.Table, Row: l.Row(owner, page.Bucket),
		Columns: []hbase.Deletion{{Kind: hbase.Family, Family: l.Family, Timestamp: o.at}}}})
}
