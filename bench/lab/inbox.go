package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var inbox = comparison{
	name:   "inbox",
	more:   compareLosses,
	scale:  "entries of each inbox",
	scales: []int{100, 1000, 10_000},
	at: func(scale int) trial {
		b := inboxes{scale}
		return trial{
			designs: []design{
				{"versions of one cell", []hbase.Table{versionsTable}, b.rows(versionOf)},
				{"a list row", []hbase.Table{listTable}, b.rows(columnOf)},
			},
			queries: []query{
				{name: "the first page", instances: inboxCount, want: b.page(0),
					run: []queryFunc{b.versions(0), b.columns(0)}},
				{name: "the page in the middle", instances: inboxCount, want: b.page(scale / 2),
					run: []queryFunc{b.versions(scale / 2), b.columns(scale / 2)}},
				{name: "a new entry, written to N inboxes", axis: "N", sizes: []int{1, inboxCount}, instances: 16,
					run: []queryFunc{b.post(versionOf), b.post(columnOf)}},
			},
		}
	},
}

const inboxCount, inboxBound = 32, 10_000

var versionsTable, listTable = func() hbase.Table {
	t := newTable("lab_inbox_versions", "l")
	t.Families[0].Versions = inboxBound
	return t
}(), newTable("lab_inbox_list", "l")

type inboxes struct{ length int }

func inboxOwner(n int) string { return fmt.Sprintf("o%02d", n%inboxCount) }

func entryTime(n int) int64 { return 1_400_000_000_000 + int64(n)*1009 }

func entryName(n int) string { return fmt.Sprintf("u%05d/%08d", n*7919%100_000, n) }

func versionOf(owner string, time int64, name string) hbase.Put {
	return hbase.Put{Table: versionsTable.Name, Row: tables.RowKey(owner),
		Cells: []hbase.Cell{{Family: "l", Qualifier: "e", Timestamp: time, Value: []byte(name)}}}
}

func position(time int64) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(math.MaxInt64-time)))
}

func columnOf(owner string, time int64, name string) hbase.Put {
	return hbase.Put{Table: listTable.Name, Row: tables.RowKey(owner),
		Cells: []hbase.Cell{{Family: "l", Qualifier: position(time) + name, Timestamp: timestamp}}}
}

func (b inboxes) rows(of func(owner string, time int64, name string) hbase.Put) iter.Seq[hbase.Put] {
	return func(yield func(hbase.Put) bool) {
		for n := range b.length {
			for owner := range inboxCount {
				if !yield(of(inboxOwner(owner), entryTime(n), entryName(n))) {
					return
				}
			}
		}
	}
}

func (b inboxes) page(skip int) func(size, instance int) []string {
	return func(_, _ int) (names []string) {
		for n := skip; n < min(skip+pageSize, b.length); n++ {
			names = append(names, entryName(b.length-1-n))
		}
		return names
	}
}

func (b inboxes) versions(skip int) queryFunc {
	return func(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
		results, err := get(ctx, store, hbase.Get{Table: versionsTable.Name, Row: tables.RowKey(inboxOwner(instance)),
			Columns: "l:e", Versions: skip + pageSize})
		if err != nil {
			return nil, err
		}
		return values(results[0].Cells[min(skip, len(results[0].Cells)):]), nil
	}
}

func values(cells []hbase.Cell) (values []string) {
	for _, c := range cells {
		values = append(values, string(c.Value))
	}
	return values
}

func (b inboxes) columns(skip int) queryFunc {
	page := hbase.Page{Limit: pageSize}
	if skip > 0 {
		last := b.length - skip
		page.Start = hbase.Next(position(entryTime(last)) + entryName(last))
	}
	return func(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
		results, err := get(ctx, store,
			hbase.Get{Table: listTable.Name, Row: tables.RowKey(inboxOwner(instance)), Columns: "l", Page: page})
		if err != nil {
			return nil, err
		}
		names := qualifiers(results[0].Cells)
		for i, name := range names {
			names[i] = name[len(position(0)):]
		}
		return names, nil
	}
}

// post writes the newest entry, or one of 15 newer entries.
func (b inboxes) post(of func(owner string, time int64, name string) hbase.Put) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) ([]string, error) {
		all := make([]hbase.Mutation, size)
		for i := range all {
			all[i] = of(inboxOwner(instance+i), entryTime(b.length-1+instance), entryName(b.length-1+instance))
		}
		return nil, mutate(ctx, store, all)
	}
}
