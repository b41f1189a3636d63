package check

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// twits checks twits against twit_ids and albums.
func (r *run) twits(ctx context.Context) error {
	return membersOf(ctx, r, tables.Twits, r.explainTwits)
}

func (r *run) twitNames(ctx context.Context) error {
	all := hbase.Scan{Table: tables.TwitNames.Table, Columns: tables.Attributes}
	return r.rows(ctx, all, func(rows []hbase.Row) error {
		var twits, albums []entry
		var named []hbase.Row
		for _, row := range rows {
			key, gone, ok, err := tables.TwitNames.Decode(row.Cells)
			if err != nil {
				r.unreadable(attribute(tables.TwitNames.Table, row.Key, "key"), err)
			} else if ok && !gone {
				twits, named = append(twits, entryAt(&tables.Twits.AnyList, key.Author, key.Position)), append(named, row)
				albums = append(albums, entryAt(&tables.Albums.AnyList, key.Author, key.Position))
			}
		}
		if err := r.find(ctx, twits); err != nil {
			return err
		}
		if err := r.find(ctx, albums); err != nil {
			return err
		}
		for i, e := range twits {
			switch copied := albums[i].found; {
			case e.found != nil:
			case copied != nil:
				e.cell.Timestamp, e.cell.Value = copied.Timestamp, copied.Value
				e.why = "it is in twit_ids and in the album"
				r.missing(e)
			default:
				r.deleteName(named[i].Key, named[i].Cells, "the twit is in no list: its content is lost")
			}
		}
		return nil
	})
}

// The repair of deleteName marks the twit as deleted.
func (r *run) deleteName(row string, cells []hbase.Cell, why string) {
	gone := tables.TwitNames.DeletedCell(hbase.LatestTimestamp(cells) + 1)
	r.differs(rebuild.Change{Table: tables.TwitNames.Table, Row: row, New: &gone}, why)
}

func (r *run) explainTwits(ctx context.Context, author string, members []*tables.Twit) ([]string, error) {
	why := make([]string, len(members))
	name := func(t *tables.Twit) hbase.Get { return tables.TwitNames.Get(t.Name) }
	cells, err := hbase.GetEach(ctx, r.Store, members, name)
	if err != nil {
		return nil, err
	}
	exists, err := r.existing(ctx, &tables.Users.AnyObject, []string{author})
	if err != nil {
		return nil, err
	}
	var albums []entry
	for i, t := range members {
		t = r.asRestricted(t)
		key, deleted, ok, err := tables.TwitNames.Decode(cells[i])
		put := tables.TwitNames.Put(t, t.PostedAt.UnixMilli())
		at := columnOf(put.Table, put.Row, put.Cells[0])
		switch {
		case err != nil: // reported by twitNames
		case !exists[author]:
			why[i] = noObject(&tables.Users.AnyObject, author)
			if ok && !deleted && key == t.Key() {
				r.deleteName(put.Row, cells[i], why[i])
			}
		case deleted:
			why[i] = "twit_ids has the twit as deleted"
		case ok && key != t.Key():
			why := fmt.Sprintf("two twits have the id %q", t.Name)
			r.report(at, text([]byte(key.String())), text(put.Cells[0].Value), why)
		case !ok:
			r.unnamed[t.Key()] = true
			r.report(at, absent, text(put.Cells[0].Value), author+" posted it", put)
		}
		if why[i] == "" && t.InAlbum() {
			albums = append(albums, entryOf(tables.Albums, author, t, t.PostedAt.UnixMilli(),
				tables.Twits.String(), "the twit has photos or is for followers"))
		}
	}
	return why, r.expect(ctx, albums)
}

func (r *run) sourceOfAlbum(author string, member hbase.Cell) (source, error) {
	_, err := decode(tables.Albums, author, member)
	e := entryAt(&tables.Twits.AnyList, author, member.Qualifier)
	return source{entry: &e, why: func(cells []hbase.Cell) string {
		if len(cells) == 0 {
			return "the author has no such twit"
		}
		if t, err := decode(tables.Twits, author, cells[0]); err == nil && !r.asRestricted(t).InAlbum() {
			return "the twit has no photos and is public"
		}
		return ""
	}}, err
}
