package check

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// twits shows that each twit is where the row of its id says, and the other way round, and that albums have those that belong there.
func (r *run) twits(ctx context.Context) error {
	if err := r.walk(ctx, &tables.Twits.AnyList, typed(tables.Twits, explainTwits)); err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	return r.rows(ctx, hbase.Scan{Table: tables.TwitNames.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		var twits, albums []entry
		var of []hbase.Row
		for _, row := range rows {
			key, gone, ok, err := tables.TwitNames.Decode(row.Cells)
			if err != nil {
				r.corrupt(tables.TwitNames.Table, row.Key, "key", err)
			} else if ok && !gone {
				twits, of = append(twits, entryAt(&tables.Twits.AnyList, key.Author, key.Position)), append(of, row)
				albums = append(albums, entryAt(&tables.Albums.AnyList, key.Author, key.Position))
			}
		}
		if err := r.find(ctx, twits); err != nil {
			return err
		}
		if err := r.find(ctx, albums); err != nil {
			return err
		}
		for i, s := range twits {
			switch copied := albums[i].found; {
			case s.found != nil:
			case copied != nil:
				s.cell = *copied
				s.cell.Family, s.cell.Memo = s.list.Family, nil
				t, _, _, err := tables.Twits.Decode(s.owner, []hbase.Cell{s.cell})
				r.missing(s, err == nil && tables.Twits.IsPublic(t[0]), "twit_ids names it, and the album has it")
			default:
				r.report(violationOf(tables.TwitNames.Table, of[i].Key, tables.Attributes, "gone", absent, `"1"`, "the twit is in no list: what it said is lost"),
					hbase.Put{Table: tables.TwitNames.Table, Row: of[i].Key, Cells: []hbase.Cell{tables.TwitNames.Gone(rebuild.Youngest(of[i].Cells) + 1)}})
			}
		}
		return nil
	})
}

// twit returns the place of a twit by the cells of its id's row, and whether there is such a twit.
func (r *run) twit(name string, cells []hbase.Cell) (tables.TwitKey, bool, error) {
	key, deleted, ok, err := tables.TwitNames.Decode(cells)
	if named, lacks := r.named[name]; lacks && !ok {
		return named, true, err
	}
	return key, ok && !deleted, err
}

// explainTwits looks at some of an author's twits.
func explainTwits(ctx context.Context, r *run, author string, members []*tables.Twit) ([]string, error) {
	gets, why := make([]hbase.Get, len(members)), make([]string, len(members))
	for i, t := range members {
		members[i] = r.asRestricted(t)
		gets[i] = tables.TwitNames.Get(t.Name)
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	exists, err := r.which(ctx, &tables.Users.AnyObject, []string{author})
	if err != nil {
		return nil, err
	}
	var albums []entry
	var public []bool
	for i, t := range members {
		key, deleted, ok, err := tables.TwitNames.Decode(cells[i])
		row := gets[i].Row
		switch {
		case err != nil: // reported with the row
		case !exists[author]:
			why[i] = fmt.Sprintf("there is no user %q", author)
			if ok && !deleted && key == t.Key() {
				r.report(violationOf(tables.TwitNames.Table, row, tables.Attributes, "gone", absent, `"1"`, "%s", why[i]),
					hbase.Put{Table: tables.TwitNames.Table, Row: row, Cells: []hbase.Cell{tables.TwitNames.Gone(rebuild.Youngest(cells[i]) + 1)}})
			}
		case deleted:
			why[i] = "twit_ids says that the twit was deleted"
		case ok && key != t.Key():
			r.report(violationOf(tables.TwitNames.Table, row, tables.Attributes, "key", text([]byte(key.String())), text([]byte(t.Key().String())),
				"two twits have the id %q", t.Name))
		case !ok:
			r.named[t.Name] = t.Key()
			put := tables.TwitNames.Put(t, t.PostedAt.UnixMilli())
			r.report(violationOf(tables.TwitNames.Table, row, tables.Attributes, "key", absent, text(put.Cells[0].Value), "%s posted it", author), put)
		}
		if why[i] == "" && t.InAlbum() {
			albums, public = append(albums, entryOf(tables.Albums, author, t, t.PostedAt.UnixMilli())), append(public, tables.Albums.IsPublic(t))
		}
	}
	if err := r.find(ctx, albums); err != nil {
		return nil, err
	}
	for i, s := range albums {
		switch {
		case s.found == nil:
			r.missing(s, public[i], "the twit has photos or is for followers")
		case !readable(tables.Albums, author, *s.found): // reported before
		case string(s.found.Value) != string(s.cell.Value):
			s.cell.Timestamp = max(s.cell.Timestamp, s.found.Timestamp)
			isNew := r.report(violationOf(s.list.Table, s.row, s.list.Family, s.cell.Qualifier, text(s.found.Value), text(s.cell.Value), "users:t says so"),
				hbase.Put{Table: s.list.Table, Row: s.row, Cells: []hbase.Cell{s.cell}})
			if copied, err := twitOf(tables.Albums, author, *s.found); isNew && err == nil && tables.Albums.IsPublic(copied) && !public[i] {
				r.fewerPublic(s)
			}
		}
	}
	return why, nil
}

func explainAlbum(ctx context.Context, r *run, author string, members []*tables.Twit) ([]string, error) {
	entries, why := make([]entry, len(members)), make([]string, len(members))
	for i, t := range members {
		entries[i] = entryAt(&tables.Twits.AnyList, author, t.Key().Position)
	}
	if err := r.find(ctx, entries); err != nil {
		return nil, err
	}
	for i, s := range entries {
		if s.found == nil {
			why[i] = "the author has no such twit"
			continue
		}
		t, err := twitOf(tables.Twits, author, *s.found)
		if err == nil && !r.asRestricted(t).InAlbum() {
			why[i] = "the twit has no photos and is for everybody"
		}
	}
	return why, nil
}
