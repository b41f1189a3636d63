package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var relation = comparison{
	name:   "relation",
	scale:  "users whom each follows",
	scales: []int{50},
	at: func(scale int) trial {
		f := follows{scale}
		tall1, tall2 := directions{"lab_edges", "lab_edges", ">", "<", "e", "e"},
			directions{"lab_follows", "lab_followed", "", "", "e", "e"}
		wide1, wide2 := directions{"lab_pairs", "lab_pairs", "", "", "f", "g"},
			directions{"lab_following", "lab_followers", "", "", "f", "f"}
		sizes := []int{1, 10, 100}
		return trial{
			designs: []design{
				{"edges, one table", tall1.tables(), f.rows(tall1.edge)},
				{"edges, two tables", tall2.tables(), f.rows(tall2.edge)},
				{"lists, one table", wide1.tables(), f.rows(wide1.entry)},
				{"lists, two tables", wide2.tables(), f.rows(wide2.entry)},
			},
			queries: []query{
				{name: "does A follow B? for N pairs", axis: "N", sizes: sizes, instances: 16, want: f.pairs, run: []queryFunc{
					f.runPairs(tall1.edgeOf), f.runPairs(tall2.edgeOf), f.runPairs(wide1.entryOf), f.runPairs(wide2.entryOf)}},
				{name: "both first pages of N users", axis: "N", sizes: sizes, instances: 16, want: f.pages, run: []queryFunc{
					f.scanPages(tall1), f.scanPages(tall2), f.getPages(wide1), f.getPages(wide2)}},
				{name: "N follows, written to both directions", axis: "N", sizes: sizes, instances: 16, run: []queryFunc{
					f.write(tall1.edge), f.write(tall2.edge), f.write(wide1.entry), f.write(wide2.entry)}},
			},
		}
	},
}

type directions struct {
	out, in         string
	outKey, inKey   string
	outList, inList string
}

func (s directions) tables() []hbase.Table {
	if s.out != s.in {
		return []hbase.Table{newTable(s.out, s.outList), newTable(s.in, s.inList)}
	}
	return []hbase.Table{newTable(s.out, slices.Compact([]string{s.outList, s.inList})...)}
}

func edgePrefix(user, side string) string { return tables.RowKey(user) + "\x00" + side }

func (s directions) edge(a, b string) []hbase.Put {
	return []hbase.Put{
		put(s.out, edgePrefix(a, s.outKey)+b, s.outList, [2]string{"", ""}),
		put(s.in, edgePrefix(b, s.inKey)+a, s.inList, [2]string{"", ""}),
	}
}

func (s directions) edgeOf(a, b string) hbase.Get {
	return hbase.Get{Table: s.out, Row: edgePrefix(a, s.outKey) + b, Columns: s.outList}
}

func (s directions) entry(a, b string) []hbase.Put {
	return []hbase.Put{
		put(s.out, tables.RowKey(a), s.outList, [2]string{b, ""}),
		put(s.in, tables.RowKey(b), s.inList, [2]string{a, ""}),
	}
}

func (s directions) entryOf(a, b string) hbase.Get {
	return hbase.Get{Table: s.out, Row: tables.RowKey(a), Columns: s.outList, Page: hbase.Exactly(b)}
}

const userCount = 1000

type follows struct{ degree int }

func userName(n int) string { return fmt.Sprintf("u%04d", n%userCount) }

func followed(n, k int) int { return (n + 7*k + 1) % userCount }

func follower(n, k int) int { return (n - 7*k - 1 + 10*userCount) % userCount }

func (f follows) rows(of func(a, b string) []hbase.Put) iter.Seq[hbase.Put] {
	return func(yield func(hbase.Put) bool) {
		for n := range userCount {
			for k := range f.degree {
				for _, row := range of(userName(n), userName(followed(n, k))) {
					if !yield(row) {
						return
					}
				}
			}
		}
	}
}

// Every second pair is no follow.
func (f follows) pair(instance, i int) (a, b string, follows bool) {
	n := instance*37 + i*11
	if i%2 == instance%2 {
		return userName(n), userName(followed(n, i%f.degree)), true
	}
	return userName(n), userName(n + 2), false
}

func (f follows) pairs(size, instance int) (found []string) {
	for i := range size {
		if _, b, is := f.pair(instance, i); is {
			found = append(found, b)
		}
	}
	return found
}

func (f follows) runPairs(of func(a, b string) hbase.Get) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) (found []string, err error) {
		gets := make([]hbase.Get, size)
		for i := range gets {
			a, b, _ := f.pair(instance, i)
			gets[i] = of(a, b)
		}
		results, err := get(ctx, store, gets...)
		for i, r := range results {
			if _, b, _ := f.pair(instance, i); len(r.Cells) > 0 {
				found = append(found, b)
			}
		}
		return found, err
	}
}

func (f follows) pages(size, instance int) (users []string) {
	for i := range size {
		for _, next := range []func(n, k int) int{followed, follower} {
			var all []string
			for k := range f.degree {
				all = append(all, userName(next(instance*37+i, k)))
			}
			slices.Sort(all)
			users = append(users, firstNames(all)...)
		}
	}
	return users
}

func (f follows) scanPages(s directions) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) (users []string, err error) {
		var scans []hbase.Scan
		for i := range size {
			user := userName(instance*37 + i)
			scans = append(scans, limited(withPrefix(s.out, edgePrefix(user, s.outKey)), pageSize),
				limited(withPrefix(s.in, edgePrefix(user, s.inKey)), pageSize))
		}
		ranges, err := scanEach(ctx, store, scans, 16)
		for i, rows := range ranges {
			for _, row := range rows {
				users = append(users, row.Key[len(scans[i].Start):])
			}
		}
		return users, err
	}
}

func (f follows) getPages(s directions) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) (users []string, err error) {
		var gets []hbase.Get
		page := hbase.Page{Limit: pageSize}
		for i := range size {
			row := tables.RowKey(userName(instance*37 + i))
			if s.out == s.in {
				gets = append(gets, hbase.Get{Table: s.out, Row: row, Columns: s.outList + " " + s.inList, Page: page})
				continue
			}
			gets = append(gets, hbase.Get{Table: s.out, Row: row, Columns: s.outList, Page: page},
				hbase.Get{Table: s.in, Row: row, Columns: s.inList, Page: page})
		}
		results, err := get(ctx, store, gets...)
		for _, r := range results {
			users = append(users, qualifiers(r.Cells)...)
		}
		return users, err
	}
}

func (f follows) write(of func(a, b string) []hbase.Put) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) ([]string, error) {
		var all []hbase.Mutation
		for i := range size {
			n := instance*37 + i
			for _, row := range of(userName(n), userName(followed(n, i%f.degree))) {
				all = append(all, row)
			}
		}
		return nil, mutate(ctx, store, all)
	}
}
