package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// clearings are how lists that belong to no relation are cleared when their owner was deleted. nil
// needs nothing.
var clearings = map[*tables.AnyList]func(owner string) effect{
	&tables.Twits.AnyList:  deleteTwits,
	&tables.Albums.AnyList: nil, // deleteTwit removes twits from it
	&tables.Timelines.AnyList: func(owner string) effect {
		row := tables.Timelines.Row(owner, 0)
		return put{hbase.Delete{Table: tables.Timelines.Table, Row: row, Timestamp: tables.Forever}}
	},
	&tables.Comments.AnyList:        deleteCommentsOn,
	&tables.UserComments.AnyList:    deleteCommentsBy,
	&tables.Children.AnyList:        nil, // deleteDepartment moves them first
	&tables.DepartmentRoles.AnyList: undefineRolesOf,
	&tables.UserGames.AnyList:       erasePlaysOf,
	&tables.Players.AnyList:         erasePlaysIn,
}

// clearAll ends the relations of an object that was deleted, and then clears its other lists.
func clearAll(o *tables.AnyObject, key string) (stages []stage) {
	var others stage
	for _, l := range tables.Lists() {
		if clearing := clearings[l]; l.Owner == o && clearing != nil {
			others = append(others, clearing(key))
		}
	}
	for _, s := range []stage{unrelateAll(o, key), others} {
		if len(s) > 0 {
			stages = append(stages, s)
		}
	}
	return stages
}

// clearList deletes all members of the list of an owner that does not exist any more, to which no
// operation adds members.
//
// It scans all rows of the list, also those of pending buckets, whatever they hold. So a clearing
// that was interrupted is repeated as a whole, and the copies that a split has still to make are
// masked by the deletions. A split that starts when the other rows are cleared copies nothing.
func clearList[E any](l *tables.List[E], owner string, o operation) effect {
	return each{"clear", func(ctx context.Context, c client, _ func([]effect) error) error {
		options := listscan.RowsOptions{First: splitPage, Next: splitPage, Pending: true}
		rows := listscan.NewRows(&l.AnyList, owner, options)
		for !rows.Done() {
			cells, err := c.one(ctx, "clear, read", rows.Get())
			if err != nil {
				return err
			}
			page, ok, err := rows.Take(cells)
			if err == nil && ok {
				err = clearPage(ctx, c, &l.AnyList, owner, page, o)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}}
}

// clearPage deletes the members of a page from bucket 0, as every removal does, because a late
// write may still add them there. When the last page of another bucket is done, it deletes that
// row.
func clearPage(ctx context.Context, c client, l *tables.AnyList, owner string, page listscan.RowPage, o operation) error {
	if len(page.Cells) > 0 {
		members := hbase.Delete{Table: l.Table, Row: l.Row(owner, 0)}
		for _, cell := range page.Cells {
			members.Columns = append(members.Columns, deletionOfCell(cell, o.at))
		}
		if err := c.mutate(ctx, write{"clear", members}); err != nil {
			return err
		}
	}
	if page.Bucket == 0 || !page.Last {
		return nil
	}
	return c.mutate(ctx, write{"clear bucket", hbase.Delete{Table: l.Table, Row: l.Row(owner, page.Bucket),
		Columns: []hbase.Deletion{{Kind: hbase.Family, Family: l.Family, Timestamp: o.at}}}})
}
