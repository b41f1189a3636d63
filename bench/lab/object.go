package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var object = comparison{
	name:   "object",
	scale:  "members of each list",
	scales: []int{50},
	at: func(scale int) trial {
		p := profiles{follows{scale}}
		one, two := layout{"lab_users", "lab_users"}, layout{"lab_attributes", "lab_members"}
		sizes := []int{1, 10, 100, 1000}
		return trial{
			designs: []design{
				{"one row, one Get", one.tables(), p.rows(one)},
				{name: "one row, two Gets"},
				{"two tables, two Gets", two.tables(), p.rows(two)},
			},
			queries: []query{
				{name: "the names of N users and the first pages of their lists", axis: "N", sizes: sizes, instances: 4,
					want: p.namesAndPages,
					run:  []queryFunc{p.runGets(one.together), p.runGets(one.apart), p.runGets(two.apart)}},
				{name: "the names alone", axis: "N", sizes: sizes, instances: 4, want: p.names,
					run: []queryFunc{p.runNames(one), nil, p.runNames(two)}},
				{name: "N lists have a new member and a new length, written", axis: "N", sizes: []int{1, 10, 100}, instances: 16,
					run: []queryFunc{p.write(one), nil, p.write(two)}},
			},
		}
	},
}

type layout struct{ attributes, lists string }

func (h layout) tables() []hbase.Table {
	if h.attributes == h.lists {
		return []hbase.Table{newTable(h.attributes, "i", "f")}
	}
	return []hbase.Table{newTable(h.attributes, "i"), newTable(h.lists, "f")}
}

func (h layout) together(row string) []hbase.Get {
	return []hbase.Get{{Table: h.attributes, Row: row, Columns: "i:name f", Page: hbase.Page{Limit: pageSize}}}
}

func (h layout) apart(row string) []hbase.Get {
	return []hbase.Get{
		{Table: h.attributes, Row: row, Columns: "i:name"},
		{Table: h.lists, Row: row, Columns: "f", Page: hbase.Page{Limit: pageSize}},
	}
}

func (h layout) puts(user string, attributes [][2]string, members ...string) []hbase.Put {
	var list [][2]string
	for _, m := range members {
		list = append(list, [2]string{m, ""})
	}
	i, f := put(h.attributes, tables.RowKey(user), "i", attributes...), put(h.lists, tables.RowKey(user), "f", list...)
	if h.attributes == h.lists {
		i.Cells = append(i.Cells, f.Cells...)
		return []hbase.Put{i}
	}
	return []hbase.Put{i, f}
}

type profiles struct{ follows }

func (profiles) name(user string) string { return "The one called " + user }

func (profiles) user(instance, i int) int { return instance*131 + i }

func (p profiles) followers(n int) (members []string) {
	for k := range p.degree {
		members = append(members, userName(follower(n, k)))
	}
	slices.Sort(members)
	return members
}

func (p profiles) rows(h layout) iter.Seq[hbase.Put] {
	return func(yield func(hbase.Put) bool) {
		for n := range userCount {
			user := userName(n)
			attributes := [][2]string{{"name", p.name(user)}, {"email", user + "@example.com"}, {"age", "30"},
				{"followers", fmt.Sprint(p.degree)}}
			for _, row := range h.puts(user, attributes, p.followers(n)...) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func (p profiles) names(size, instance int) (names []string) {
	for i := range size {
		names = append(names, p.name(userName(p.user(instance, i))))
	}
	return names
}

func (p profiles) namesAndPages(size, instance int) (all []string) {
	for i, name := range p.names(size, instance) {
		all = append(append(all, name), firstNames(p.followers(p.user(instance, i)))...)
	}
	return all
}

func (p profiles) runNames(h layout) queryFunc {
	return p.runGets(func(row string) []hbase.Get { return h.apart(row)[:1] })
}

func (p profiles) runGets(of func(row string) []hbase.Get) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) (all []string, err error) {
		var gets []hbase.Get
		for i := range size {
			gets = append(gets, of(tables.RowKey(userName(p.user(instance, i))))...)
		}
		results, err := get(ctx, store, gets...)
		for _, r := range results {
			var members []string
			for _, cell := range r.Cells {
				if cell.Family == "i" {
					all = append(all, string(cell.Value))
				} else {
					members = append(members, cell.Qualifier)
				}
			}
			all = append(all, members...)
		}
		return all, err
	}
}

// write writes existing members again, so that the expected results stay the same.
func (p profiles) write(h layout) queryFunc {
	return func(ctx context.Context, store hbase.Store, size, instance int) ([]string, error) {
		var all []hbase.Mutation
		for i := range size {
			n := p.user(instance, i)
			for _, row := range h.puts(userName(n), [][2]string{{"followers", fmt.Sprint(p.degree)}}, p.followers(n)[0]) {
				all = append(all, row)
			}
		}
		return nil, mutate(ctx, store, all)
	}
}
