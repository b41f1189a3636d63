package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

func open(ctx context.Context, setting string) (hbase.Store, error) {
	if dir, is := strings.CutPrefix(setting, "embedded:"); is {
		return embedded.Open(dir)
	}
	return cluster.Open(ctx, setting, zerolog.Nop())
}

type writer struct {
	ctx     context.Context
	store   hbase.Store
	pending []hbase.Mutation
	cells   int
	err     error
}

var stamp = epoch.UnixMilli()

func (w *writer) put(p hbase.Put) {
	w.pending = append(w.pending, p)
	if w.cells += len(p.Cells); w.cells >= 10_000 {
		w.flush()
	}
}

func (w *writer) flush() {
	if w.err != nil || len(w.pending) == 0 {
		return
	}
	errs, err := w.store.Mutate(w.ctx, w.pending)
	w.err = errors.Join(append(errs, err)...)
	w.pending, w.cells = w.pending[:0], 0
}

func fill(ctx context.Context, setting string, write func(w *writer)) error {
	store, err := open(ctx, setting)
	if err != nil {
		return err
	}
	for _, table := range tables.Definitions(3) {
		if err := store.CreateTable(ctx, table); err != nil {
			return errors.Join(err, store.Close())
		}
	}
	w := &writer{ctx: ctx, store: store}
	write(w)
	w.flush()
	return errors.Join(w.err, store.Close())
}

func (w *dataset) store(ctx context.Context, setting string) error {
	return fill(ctx, setting, func(to *writer) {
		for _, u := range w.users {
			row := tables.Users.Put(u.Username, u, stamp)
			for _, e := range w.followers[u.Username].edges {
				row.Cells = append(row.Cells, tables.Followers.Cell(tables.Follow{Username: e.Node.Username, At: *e.FollowedAt},
					stamp))
				to.put(tables.Follows.Put(e.Node.Username, u.Username, true, *e.FollowedAt, stamp))
			}
			for _, t := range w.twits[u.Username].nodes {
				row.Cells = append(row.Cells, tables.Twits.Cell(t, stamp))
				w.storeComments(to, t)
			}
			to.put(row)
		}
		w.storeTree(to)
	})
}

func (w *dataset) storeComments(to *writer, t *tables.Twit) {
	row := hbase.Put{Table: tables.Comments.Table, Row: tables.Comments.Row(t.Key().String(), 0)}
	for _, c := range w.comments[t] {
		row.Cells = append(row.Cells, tables.Comments.Cell(c, stamp))
	}
	if len(row.Cells) > 0 {
		to.put(row)
	}
}

func (w *dataset) storeTree(to *writer) {
	for code, d := range w.department {
		row := tables.Departments.Put(code, d, stamp)
		for _, child := range w.children[code] {
			row.Cells = append(row.Cells, tables.Children.Cell(tables.Child{Name: *child.Name, Code: child.Code}, stamp))
		}
		for _, r := range w.roles[code].nodes {
			row.Cells = append(row.Cells, tables.DepartmentRoles.Cell(r.Code, stamp))
			holders := tables.Roles.Put(r.Code, r, stamp)
			for _, u := range w.holders[r.Code].nodes {
				holders.Cells = append(holders.Cells, tables.RoleUsers.Cell(u.Username, stamp))
			}
			to.put(holders)
		}
		to.put(row)
	}
}

func long(members int) string { return fmt.Sprint("long", members) }

func storeLong(to *writer, members int) {
	row := tables.Users.Put(long(members), &tables.User{Name: new("Long")}, stamp)
	var directory []hbase.Cell
	for from := 0; from < members; from += tables.ListBound {
		number, end := uint32(from/tables.ListBound), min(from+tables.ListBound, members)
		if number > 0 {
			b := tables.Bucket{Number: number, Start: tables.Followers.Position(follower(members, from))}
			if end < members {
				b.Stop = tables.Followers.Position(follower(members, end))
			}
			directory = append(directory, tables.Followers.BucketCell(b, stamp))
		}
		for start := from; start < end; start += 5000 {
			bucket := hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(long(members), number)}
			for i := start; i < min(start+5000, end); i++ {
				bucket.Cells = append(bucket.Cells, tables.Followers.Cell(follower(members, i), stamp))
			}
			to.put(bucket)
		}
	}
	row.Cells = append(row.Cells, directory...)
	to.put(row)
}

func follower(members, i int) tables.Follow {
	return tables.Follow{Username: username(i), At: epoch.Add(time.Duration(members-i) * time.Second)}
}
