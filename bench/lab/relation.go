package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// relation compares both directions of a relation in one table with a table for each, for edges that are rows and for lists that are.
var relation = comparison{
	name:   "relation",
	scale:  "users whom each follows",
	scales: []int{50},
	at: func(scale int) trial {
		f := follows{scale}
		tall1, tall2 := sides{"lab_edges", "lab_edges", ">", "<", "e", "e"}, sides{"lab_follows", "lab_followed", "", "", "e", "e"}
		wide1, wide2 := sides{"lab_pairs", "lab_pairs", "", "", "f", "g"}, sides{"lab_following", "lab_followers", "", "", "f", "f"}
		sizes := []int{1, 10, 100}
		return trial{
			designs: []design{
				{"edges, one table", tall1.tables(), f.rows(tall1.edge)},
				{"edges, two tables", tall2.tables(), f.rows(tall2.edge)},
				{"lists, one table", wide1.tables(), f.rows(wide1.entry)},
				{"lists, two tables", wide2.tables(), f.rows(wide2.entry)},
			},
			questions: []question{
				{name: "does A follow B? for N pairs", axis: "N", sizes: sizes, instances: 16, truth: f.pairs, asks: []ask{
					f.askPairs(tall1.edgeOf), f.askPairs(tall2.edgeOf), f.askPairs(wide1.entryOf), f.askPairs(wide2.entryOf)}},
				{name: "both first pages of N users", axis: "N", sizes: sizes, instances: 16, truth: f.pages, asks: []ask{
					f.scanPages(tall1), f.scanPages(tall2), f.getPages(wide1), f.getPages(wide2)}},
				{name: "N follows, written to both sides", axis: "N", sizes: sizes, instances: 16, asks: []ask{
					f.write(tall1.edge), f.write(tall2.edge), f.write(wide1.entry), f.write(wide2.entry)}},
			},
		}
	},
}

// sides are where the two directions of a relation lie: whom a user follows, and who follows him.
type sides struct {
	out, in         string // tables
	outKey, inKey   string // what follows the user in the key of an edge
	outList, inList string // families
}

func (s sides) tables() []hbase.Table {
	if s.out != s.in {
		return []hbase.Table{newTable(s.out, s.outList), newTable(s.in, s.inList)}
	}
	return []hbase.Table{newTable(s.out, slices.Compact([]string{s.outList, s.inList})...)}
}

func edgePrefix(user, side string) string { return tables.RowKey(user) + "\x00" + side }

func (s sides) edge(a, b string) []hbase.Put {
	return []hbase.Put{
		put(s.out, edgePrefix(a, s.outKey)+b, s.outList, [2]string{"", ""}),
		put(s.in, edgePrefix(b, s.inKey)+a, s.inList, [2]string{"", ""}),
	}
}

func (s sides) edgeOf(a, b string) hbase.Get {
	return hbase.Get{Table: s.out, Row: edgePrefix(a, s.outKey) + b, Columns: s.outList}
}

func (s sides) entry(a, b string) []hbase.Put {
	return []hbase.Put{
		put(s.out, tables.RowKey(a), s.outList, [2]string{b, ""}),
		put(s.in, tables.RowKey(b), s.inList, [2]string{a, ""}),
	}
}

func (s sides) entryOf(a, b string) hbase.Get {
	return hbase.Get{Table: s.out, Row: tables.RowKey(a), Columns: s.outList, Page: hbase.Exactly(b)}
}

// userCount is how many users there are.
const userCount = 1000

// follows is a regular graph: how many each of the users follows, and is followed by.
type follows struct{ degree int }

func userName(n int) string { return fmt.Sprintf("u%04d", n%userCount) }

// followed is the k-th user whom n follows.
func followed(n, k int) int { return (n + 7*k + 1) % userCount }

// follower is the k-th user who follows n.
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

// pair is the i-th of an instance's pairs; every other one is of users who do not follow each other.
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

func (f follows) askPairs(of func(a, b string) hbase.Get) ask {
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

// pages are, of each user, whom he follows and who follows him, by name.
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

func (f follows) scanPages(s sides) ask {
	return func(ctx context.Context, store hbase.Store, size, instance int) (users []string, err error) {
		var scans []hbase.Scan
		for i := range size {
			user := userName(instance*37 + i)
			scans = append(scans, firstOf(under(s.out, edgePrefix(user, s.outKey)), pageSize), firstOf(under(s.in, edgePrefix(user, s.inKey)), pageSize))
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

func (f follows) getPages(s sides) ask {
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

// write writes follows again that are there already: what is asked for stays the truth.
func (f follows) write(of func(a, b string) []hbase.Put) ask {
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
