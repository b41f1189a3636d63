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

// inbox compares an inbox that is the versions of one cell with one that is a wide row.
var inbox = comparison{
	name:   "inbox",
	more:   loseOnAll,
	scale:  "entries of each inbox",
	scales: []int{100, 1000, 10_000},
	at: func(scale int) trial {
		b := inboxes{scale}
		return trial{
			designs: []design{
				{"versions of one cell", []hbase.Table{versionsTable}, b.rows(versionOf)},
				{name: "versions, by time"},
				{"a list row", []hbase.Table{listTable}, b.rows(columnOf)},
			},
			questions: []question{
				{name: "the first page", instances: inboxCount, truth: b.page(0), asks: []ask{b.versions(0), nil, b.columns(0)}},
				{name: "the page in the middle", instances: inboxCount, truth: b.page(scale / 2),
					asks: []ask{b.versions(scale / 2), b.versionsBefore(scale / 2), b.columns(scale / 2)}},
				{name: "a new entry, written to N inboxes", axis: "N", sizes: []int{1, inboxCount}, instances: 16,
					asks: []ask{b.post(versionOf), nil, b.post(columnOf)}},
			},
		}
	},
}

// inboxCount is how many inboxes there are, and inboxBound how many entries one keeps at most.
const inboxCount, inboxBound = 32, 10_000

var versionsTable, listTable = func() hbase.Table {
	t := newTable("lab_inbox_versions", "l")
	t.Families[0].Versions = inboxBound
	return t
}(), newTable("lab_inbox_list", "l")

// inboxes all have so many entries.
type inboxes struct{ length int }

func inboxOwner(n int) string { return fmt.Sprintf("o%02d", n%inboxCount) }

// entryTime is when the n-th entry came, the oldest being 0: each in a millisecond of its own.
func entryTime(n int) int64 { return 1_400_000_000_000 + int64(n)*1009 }

// entryName is the entry's author and id, which is all that an inbox holds of it.
func entryName(n int) string { return fmt.Sprintf("u%05d/%08d", n*7919%100_000, n) }

func versionOf(owner string, time int64, name string) hbase.Put {
	return hbase.Put{Table: versionsTable.Name, Row: tables.RowKey(owner),
		Cells: []hbase.Cell{{Family: "l", Qualifier: "e", Timestamp: time, Value: []byte(name)}}}
}

// position is where entries of a time are in a list.
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

// page is the page behind so many entries, newest first.
func (b inboxes) page(behind int) func(size, instance int) []string {
	return func(_, _ int) (names []string) {
		for n := behind; n < min(behind+pageSize, b.length); n++ {
			names = append(names, entryName(b.length-1-n))
		}
		return names
	}
}

// versions reads all that come before the page, too.
func (b inboxes) versions(behind int) ask {
	return func(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
		results, err := get(ctx, store, hbase.Get{Table: versionsTable.Name, Row: tables.RowKey(inboxOwner(instance)), Columns: "l:e", Versions: behind + pageSize})
		if err != nil {
			return nil, err
		}
		return values(results[0].Cells[min(behind, len(results[0].Cells)):]), nil
	}
}

// versionsBefore reads those that are older than the entry before the page, whose time a cursor would hold.
func (b inboxes) versionsBefore(behind int) ask {
	return func(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
		results, err := get(ctx, store, hbase.Get{Table: versionsTable.Name, Row: tables.RowKey(inboxOwner(instance)), Columns: "l:e", Versions: pageSize,
			Time: hbase.TimeRange{To: entryTime(b.length - behind)}})
		if err != nil {
			return nil, err
		}
		return values(results[0].Cells), nil
	}
}

func values(cells []hbase.Cell) (values []string) {
	for _, c := range cells {
		values = append(values, string(c.Value))
	}
	return values
}

func (b inboxes) columns(behind int) ask {
	page := hbase.Page{Limit: pageSize}
	if behind > 0 {
		last := b.length - behind
		page = hbase.After(position(entryTime(last))+entryName(last), pageSize)
	}
	return func(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
		results, err := get(ctx, store, hbase.Get{Table: listTable.Name, Row: tables.RowKey(inboxOwner(instance)), Columns: "l", Page: page})
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

// post writes the newest entry, and 15 that are newer, each again and again.
func (b inboxes) post(of func(owner string, time int64, name string) hbase.Put) ask {
	return func(ctx context.Context, store hbase.Store, size, instance int) ([]string, error) {
		all := make([]hbase.Mutation, size)
		for i := range all {
			all[i] = of(inboxOwner(instance+i), entryTime(b.length-1+instance), entryName(b.length-1+instance))
		}
		return nil, mutate(ctx, store, all)
	}
}
