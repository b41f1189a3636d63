package main

import (
	"context"
	"fmt"
	"iter"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var owners = comparison{
	name:   "owners",
	scale:  "members of each list",
	scales: []int{50, 500},
	at: func(scale int) trial {
		l := lists{scale}
		wide, tall := newTable("lab_lists_wide", "l"), newTable("lab_lists_tall", "l")
		return trial{
			designs: []design{
				{"a row per member, scans in turn", []hbase.Table{tall}, l.rows(func(owner, member string) hbase.Put {
					return put(tall.Name, l.tallKey(owner)+member, "l", [2]string{"", ""})
				})},
				{name: "a row per member, 16 scans at once"},
				{"a wide row per list", []hbase.Table{wide}, l.rows(func(owner, member string) hbase.Put {
					return put(wide.Name, tables.RowKey(owner), "l", [2]string{member, ""})
				})},
			},
			queries: []query{{
				name: "the first pages of the lists of N owners", axis: "N", sizes: []int{1, 10, 100, 1000}, instances: 4,
				want: l.firstPages,
				run:  []queryFunc{l.scans(tall.Name, 1), l.scans(tall.Name, 16), l.gets(wide.Name)},
			}},
		}
	},
}

const ownerCount = 1000

type lists struct{ length int }

func (lists) owner(instance, n int) string {
	return fmt.Sprintf("o%04d", (instance*131+n*7)%ownerCount)
}

func (lists) member(owner string, n int) string { return fmt.Sprintf("%s-m%05d", owner, n) }

func (lists) tallKey(owner string) string { return tables.RowKey(owner) + "\x00" }

func (l lists) rows(of func(owner, member string) hbase.Put) iter.Seq[hbase.Put] {
	return func(yield func(hbase.Put) bool) {
		for i := range ownerCount {
			owner := l.owner(0, i)
			for n := range l.length {
				if !yield(of(owner, l.member(owner, n))) {
					return
				}
			}
		}
	}
}

func (l lists) firstPages(size, instance int) (members []string) {
	for i := range size {
		for n := range min(pageSize, l.length) {
			members = append(members, l.member(l.owner(instance, i), n))
		}
	}
	return members
}

func (l lists) scans(table string, concurrent int) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) (members []string, err error) {
		scans := make([]hbase.Scan, size)
		for i := range scans {
			scans[i] = limited(withPrefix(table, l.tallKey(l.owner(instance, i))), pageSize)
		}
		ranges, err := scanEach(ctx, store, scans, concurrent)
		for i, rows := range ranges {
			for _, row := range rows {
				members = append(members, row.Key[len(scans[i].Start):])
			}
		}
		return members, err
	}
}

func (l lists) gets(table string) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) (members []string, err error) {
		gets := make([]hbase.Get, size)
		for i := range gets {
			gets[i] = hbase.Get{Table: table, Row: tables.RowKey(l.owner(instance, i)), Columns: "l",
				Page: hbase.Page{Limit: pageSize}}
		}
		results, err := get(ctx, store, gets...)
		for _, r := range results {
			members = append(members, qualifiers(r.Cells)...)
		}
		return members, err
	}
}
