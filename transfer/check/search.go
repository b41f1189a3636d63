package check

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (r *run) search(ctx context.Context) error {
	for _, o := range tables.Objects() {
		if o.Search == nil {
			continue
		}
		if err := r.objectsHaveRows(ctx, o); err != nil {
			return err
		}
		if err := r.rowsHaveObjects(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) objectsHaveRows(ctx context.Context, o *tables.AnyObject) error {
	scan := hbase.Scan{Table: o.Table, Columns: tables.Existence}
	return r.rows(ctx, scan, func(rows []hbase.Row) error {
		var keys []string
		var timestamps []int64
		for _, row := range rows {
			key, err := tables.OwnerOf(row.Key)
			exists := false
			if err == nil {
				exists, err = o.Exists(key, row.Cells)
			}
			if err != nil {
				r.unreadable(attribute(o.Table, row.Key, "name"), err)
			} else if exists {
				keys, timestamps = append(keys, key), append(timestamps, hbase.LatestTimestamp(row.Cells))
			}
		}
		found, err := hbase.GetEach(ctx, r.Store, keys, o.Search.Get)
		if err != nil {
			return err
		}
		for i, key := range keys {
			if put := o.Search.Put(key, timestamps[i]); len(found[i]) == 0 {
				why := fmt.Sprintf("there is a %s %q", o.Name, key)
				r.report(columnOf(put.Table, put.Row, put.Cells[0]), absent, present, why, put)
			}
		}
		return nil
	})
}

func (r *run) rowsHaveObjects(ctx context.Context, o *tables.AnyObject) error {
	return r.rows(ctx, o.Search.Scan(), func(rows []hbase.Row) error {
		var named []hbase.Row
		var keys []string
		for _, row := range rows {
			key, err := o.Search.Decode(row.Key)
			if err != nil {
				r.surplus(o.Search.Table, row.Key, row.Cells[0], err.Error())
				continue
			}
			named, keys = append(named, row), append(keys, key)
		}
		exist, err := r.existing(ctx, o, keys)
		if err != nil {
			return err
		}
		for i, row := range named {
			if !exist[keys[i]] {
				r.surplus(o.Search.Table, row.Key, row.Cells[0], noObject(o, keys[i]))
			}
		}
		return nil
	})
}
