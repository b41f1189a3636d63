package loaders

import (
	"context"
	"slices"

	"twibase/hbase"
)

// Search reads a page of the keys whose rows begin with a prefix from [tables.Search.Prefix], in
// the order of the rows. Deletions of their objects may be in progress. The page omits rows that
// this version of twibase would not write, so it may be short although more rows follow.
func (o Object[T]) Search(ctx context.Context, prefix string, r Range) (Page[string], error) {
	rows, err := from(ctx).scan(ctx, o.name, o.searchOf(prefix, r))
	if err != nil {
		return Page[string]{}, err
	}
	page, err := scanned(rows, r, func(row hbase.Row) (key, position string, err error) {
		if key, err = o.of.Search.Decode(row.Key); err != nil {
			return "", row.Key, nil
		}
		return key, key, nil
	})
	page.Members = slices.DeleteFunc(page.Members, func(key string) bool { return key == "" })
	page.Positions = page.Members
	return page, err
}

func (o Object[T]) searchOf(prefix string, r Range) hbase.Scan {
	// After and Before exclude their rows, but no row is equal to the prefix or its end.
	scan, rows := o.of.Search.Scan(), Range{After: prefix, Before: hbase.PrefixEnd(prefix)}
	rows.Limit, rows.Backward = r.Limit, r.Backward
	if r.After != "" {
		rows.After = max(rows.After, o.of.Search.Row(r.After))
	}
	if r.Before != "" {
		rows.Before = min(rows.Before, o.of.Search.Row(r.Before))
	}
	return pageScan(rows, scan)
}
