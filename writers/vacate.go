package writers

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// vacate takes all members out of the list of an owner that is gone, to which nobody adds any more. It goes by the rows of the buckets, and not by
// what it finds in them: so what was done in part is done again, and what a cut has still to copy is masked. A cut that is announced when the
// others are empty copies nothing.
func vacate[E any](l *tables.List[E], owner string, o op) step {
	return each{"vacate", func(ctx context.Context, p port, _ string) ([]step, string, error) {
		for empty := []uint32{}; ; {
			cells, err := p.one(ctx, "vacate, read", l.Directories(owner))
			if err != nil {
				return nil, "", err
			}
			buckets, err := l.Buckets(owner, cells)
			if err != nil {
				return nil, "", err
			}
			full := slices.DeleteFunc(buckets, func(b uint32) bool { return slices.Contains(empty, b) })
			if len(full) == 0 {
				return nil, "", nil
			}
			for _, b := range full {
				if err := vacateBucket(ctx, p, l, owner, b, o); err != nil {
					return nil, "", err
				}
			}
			empty = append(empty, full...)
		}
	}}
}

// vacateBucket takes the members of a bucket out of bucket 0 too, as every removal does: somebody who is late may still put them there.
func vacateBucket[E any](ctx context.Context, p port, l *tables.List[E], owner string, bucket uint32, o op) error {
	for page := (hbase.Page{Stop: tables.MembersEnd, Limit: cutPage}); ; {
		cells, err := p.one(ctx, "vacate, read", l.Get(owner, bucket, page))
		if err != nil {
			return err
		}
		gone := hbase.Delete{Table: l.Table, Row: l.Row(owner, 0)}
		for _, c := range cells {
			gone.Columns = append(gone.Columns, hbase.Deletion{Kind: hbase.AllVersions, Family: c.Family, Qualifier: c.Qualifier, Timestamp: o.at})
		}
		if len(cells) > 0 {
			page.Start = hbase.Next(cells[len(cells)-1].Qualifier)
			if err := p.mutate(ctx, write{"vacate", gone}); err != nil {
				return err
			}
		}
		if len(cells) < cutPage {
			break
		}
	}
	if bucket == 0 {
		return nil
	}
	return p.mutate(ctx, write{"vacate bucket", hbase.Delete{Table: l.Table, Row: l.Row(owner, bucket),
		Columns: []hbase.Deletion{{Kind: hbase.Family, Family: l.Family, Timestamp: o.at}}}})
}
