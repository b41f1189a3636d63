package tables_test

import (
	"errors"
	"slices"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type codec struct {
	name    string
	bytes   string                       // example
	rewrite func(string) (string, error) // decodes and encodes
	damage  error                        // ErrCorrupt for stored bytes, ErrName for bytes of a client
}

func codecs() []codec {
	first := lists[0].cell.Qualifier
	pending := []tables.Bucket{
		{Number: 7, Start: first, Stop: first + "z"}, {Number: 258, Start: first + "z", Stop: first + "zz"}}
	list := []codec{
		{"id of a user", string((&tables.User{Username: "小红"}).ID().Bytes()), rewriteID, tables.ErrName},
		{"id of a role", string((&tables.Role{Code: "lead"}).ID().Bytes()), rewriteID, tables.ErrName},
		{"id of a department", string((&tables.Department{Code: "dev/1"}).ID().Bytes()), rewriteID, tables.ErrName},
		{"id of a game", string((&tables.Game{Code: "go"}).ID().Bytes()), rewriteID, tables.ErrName},
		{"id of a twit", string(moment.ID().Bytes()), rewriteID, tables.ErrName},
		{"id of a comment", string(remark.ID().Bytes()), rewriteID, tables.ErrName},
		{"row of a user", tables.RowKey("小红"), rewriteRow, hbase.ErrCorrupt},
		{"row of a twit's comments", tables.RowKey(moment.Key().String()), rewriteRow, hbase.ErrCorrupt},
		{"row of the top-level departments", tables.RowKey(tables.Root), rewriteRow, hbase.ErrCorrupt},
		{"row of plays", tables.Plays.Get("LiLei", "go").Row,
			rewriteEnds(tables.Plays.Ends, tables.Plays.Get), hbase.ErrCorrupt},
		{"row by which a user is found", tables.Users.Search.Row("Líly"), rewriteSearchRow, hbase.ErrCorrupt},
		{"row of an account", tables.Accounts.Get("LiLei").Row, rewriteRow, hbase.ErrCorrupt},
		{"password of an account", string(tables.Accounts.Put("LiLei", passwordHash, 0).Cells[0].Value),
			rewritePassword, hbase.ErrCorrupt},
		{"row of a twit's id", tables.TwitNames.Get("a/b:7").Row, rewriteRow, hbase.ErrCorrupt},
		{"value of a twit's id", string(tables.TwitNames.Put(moment, 0).Cells[0].Value),
			rewriteTwitName, hbase.ErrCorrupt},
		{"row of an intent", tables.Intents.Row(write.ID), rewriteIntentRow, hbase.ErrCorrupt},
		{"op", write.ID, rewritePosition(tables.CheckCommitRecord), tables.ErrName},
		{"op, fence", write.After, rewritePosition(tables.CheckCommitRecord), tables.ErrName},
		valueOf("Followers, pending buckets", tables.Followers.PendingCell(pending, 0), tables.Followers.RewritePending),
	}
	for _, r := range tables.Relations() {
		row := r.Get("LiLei", counterparts[r.To.Object()]).Row
		list = append(list, codec{"row of " + r.Name, row, rewriteEnds(r.Ends, r.Get), hbase.ErrCorrupt})
	}
	for _, c := range tables.Intents.Put(write).Cells {
		list = append(list, valueOf("intent", c, rewriteIntent))
	}
	journal := tables.Journal{Revision: 12, Ops: []string{write.ID, write.ID}}
	list = append(list, valueOf("counts", journal.Cell(0), rewriteJournal))
	for _, c := range tables.Follows.Put("LiLei", "小红", true, noon, 0).Cells {
		list = append(list, valueOf("edge", c, rewriteEdge))
	}
	list = append(list, codec{"row of a job", tables.Jobs.Row(job.ID), rewriteJobRow, hbase.ErrCorrupt})
	for _, c := range tables.Jobs.Put(job).Cells {
		if c.Qualifier != tables.LeaseColumn { // an unreadable lease has ended
			list = append(list, valueOf("job", c, rewriteJob))
		}
	}
	added := tables.Commenters.AddedCell("again", noon, tables.CommentMark("LiLei", "Hi", 0), 0)
	list = append(list,
		codec{"batch of a job", batch.Encode(), rewriteBatch, hbase.ErrCorrupt},
		codec{"row of an author's comments on a twit", tables.Commenters.Row(moment.Key(), "LiLei"),
			rewriteRow, hbase.ErrCorrupt},
		valueOf("timeline since", tables.PutTimelineSince("LiLei", noon).Cells[0], rewriteSince),
		valueOf("comment added with a key", added, rewriteAdded),
		valueOf("comment added with a key, without its mark", tables.Commenters.AddedCell("again", noon, "", 0),
			rewriteAdded),
		codec{"row of the broadcasters", tables.Broadcasters.Get().Row, rewriteRow, hbase.ErrCorrupt})
	broadcaster := tables.Broadcasters.Put("小红", tables.Leaving(job.ID), 0).Cells[0]
	list = append(list, cellsOf("broadcaster", broadcaster, rewriteBroadcaster)...)
	plays := tables.Plays.Put("LiLei", "go", tables.DayCount{Day: "2014-12-25", Count: 12}, 0).Cells[0]
	list = append(list, cellsOf("plays", plays, rewriteDay)...)
	list = append(list,
		valueOf("depth of the tree", tables.Tree.DepthCell(7, 0), rewriteDepth),
		valueOf("played with a key", tables.Plays.KeyCell("again", "2014-12-25", 0), rewriteDayOfKey))
	for _, l := range lists {
		rewrite := func(c hbase.Cell) (hbase.Cell, error) { return l.rewrite(l.owner, c) }
		inner := tables.Bucket{Number: 2, Start: l.cell.Qualifier, Stop: l.cell.Qualifier + "z"}
		if l.name == "Comments" {
			inner.Stop = l.cell.Qualifier[:len(l.cell.Qualifier)-1] + "\xff"
		}
		last := tables.Bucket{Number: 1, Start: l.cell.Qualifier}
		list = append(list, cellsOf(l.name, l.cell, rewrite)...)
		list = append(list, cellsOf(l.name+", directory", l.bucket(inner), rewrite)...)
		list = append(list, cellsOf(l.name+", end of directory", l.bucket(last), rewrite)...)
		list = append(list,
			codec{l.name + ", position", l.cell.Qualifier, rewritePosition(l.check), tables.ErrName})
	}
	return append(list, attributes()...)
}

func cellsOf(name string, c hbase.Cell, rewrite func(hbase.Cell) (hbase.Cell, error)) []codec {
	list := []codec{{name + ", qualifier", c.Qualifier, func(s string) (string, error) {
		c := hbase.Cell{Family: c.Family, Qualifier: s, Value: c.Value}
		got, err := rewrite(c)
		if err == nil && string(got.Value) != string(c.Value) {
			return "", errors.New("a damaged qualifier changed the value")
		}
		return got.Qualifier, err
	}, hbase.ErrCorrupt}}
	if len(c.Value) > 0 {
		list = append(list, valueOf(name, c, rewrite))
	}
	return list
}

func valueOf(name string, c hbase.Cell, rewrite func(hbase.Cell) (hbase.Cell, error)) codec {
	name += ", value of " + c.Family + ":" + label(c.Qualifier)
	return codec{name, string(c.Value), func(s string) (string, error) {
		got, err := rewrite(hbase.Cell{Family: c.Family, Qualifier: c.Qualifier, Value: []byte(s)})
		return string(got.Value), err
	}, hbase.ErrCorrupt}
}

func label(qualifier string) string {
	for _, r := range qualifier {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return "…"
		}
	}
	return qualifier
}

func rewriteID(s string) (string, error) {
	id, err := tables.ParseID([]byte(s))
	if err != nil {
		return "", err
	}
	return string(id.Bytes()), nil
}

func rewriteSearchRow(row string) (string, error) {
	key, err := tables.Users.Search.Decode(row)
	return tables.Users.Search.Row(key), err
}

func rewriteRow(s string) (string, error) {
	owner, err := tables.OwnerOf(s)
	if err != nil {
		return "", err
	}
	return tables.RowKey(owner), nil
}

func rewriteEnds(
	ends func(string) (string, string, error), get func(a, b string) hbase.Get,
) func(string) (string, error) {
	return func(s string) (string, error) {
		a, b, err := ends(s)
		if err != nil {
			return "", err
		}
		return get(a, b).Row, nil
	}
}

func rewritePosition(check func(string) error) func(string) (string, error) {
	return func(s string) (string, error) { return s, check(s) }
}

const passwordHash = "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$Uj0iXWQkbYFNHqKkyHqLpQe0vVfGm3dXl0rPkJ4mKxA"

func rewritePassword(s string) (string, error) {
	hash, _, err := tables.Accounts.Decode(tables.Accounts.Put("LiLei", s, 0).Cells)
	return hash, err
}

func rewriteTwitName(s string) (string, error) {
	cell := hbase.Cell{Family: tables.Attributes, Qualifier: "key", Value: []byte(s)}
	key, _, _, err := tables.TwitNames.Decode([]hbase.Cell{cell})
	if err != nil {
		return "", err
	}
	return key.String(), nil
}

var write = tables.Intent{
	ID: tables.NewOp(noon, 1), OpType: "follow", Arguments: `{"Followed":"小红"}`, At: noon.UnixMilli(),
	Table: "follows", Row: tables.Follows.Get("LiLei", "小红").Row, Family: "i",
	After: tables.FenceRecord(tables.NewOp(noon, 2), tables.NewOp(noon, 3)), Due: noon.UnixMilli() + 40_000,
}

func rewriteIntentRow(s string) (string, error) {
	id, err := tables.Intents.IDOf(s)
	if err != nil {
		return "", err
	}
	return tables.Intents.Row(id), nil
}

func rewriteIntent(c hbase.Cell) (hbase.Cell, error) {
	return rewriteAmong(tables.Intents.Put(write).Cells, c, func(cells []hbase.Cell) ([]hbase.Cell, error) {
		i, _, err := tables.Intents.Decode(tables.Intents.Row(write.ID), cells)
		return tables.Intents.Put(i).Cells, err
	})
}

func rewriteAmong(
	cells []hbase.Cell, c hbase.Cell, rewrite func([]hbase.Cell) ([]hbase.Cell, error),
) (hbase.Cell, error) {
	column := func(other hbase.Cell) bool { return other.Qualifier == c.Qualifier }
	cells[slices.IndexFunc(cells, column)] = c
	cells, err := rewrite(cells)
	if i := slices.IndexFunc(cells, column); err == nil && i >= 0 {
		return cells[i], nil
	}
	return hbase.Cell{}, err
}

func rewriteJournal(c hbase.Cell) (hbase.Cell, error) {
	j, _, err := tables.DecodeJournal([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return j.Cell(0), nil
}

func rewriteEdge(c hbase.Cell) (hbase.Cell, error) {
	row := tables.Follows.Put("LiLei", "小红", true, noon, 0).Cells
	return rewriteAmong(row, c, func(cells []hbase.Cell) ([]hbase.Cell, error) {
		related, at, err := tables.Follows.Decode(cells)
		return tables.Follows.Put("LiLei", "小红", related, at, 0).Cells, err
	})
}

func rewriteJobRow(s string) (string, error) {
	id, err := tables.Jobs.IDOf(s)
	if err != nil {
		return "", err
	}
	return tables.Jobs.Row(id), nil
}

func rewriteJob(c hbase.Cell) (hbase.Cell, error) {
	return rewriteAmong(tables.Jobs.Put(job).Cells, c, func(cells []hbase.Cell) ([]hbase.Cell, error) {
		j, _, err := tables.Jobs.Decode(tables.Jobs.Row(job.ID), cells)
		return tables.Jobs.Put(j).Cells, err
	})
}

func rewriteBatch(text string) (string, error) {
	b, err := tables.DecodeBatch(batch.Twits[0].Author, text)
	if err != nil || text == "" {
		return "", err
	}
	return b.Encode(), nil
}

func rewriteAdded(c hbase.Cell) (hbase.Cell, error) {
	at, mark, _, err := tables.Commenters.DecodeAdded([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.Commenters.AddedCell("again", at, mark, 0), nil
}

func rewriteSince(c hbase.Cell) (hbase.Cell, error) {
	at, _, err := tables.DecodeTimelineSince([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.PutTimelineSince("LiLei", at).Cells[0], nil
}

func rewriteBroadcaster(c hbase.Cell) (hbase.Cell, error) {
	state, _, err := tables.Broadcasters.State([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.Broadcasters.Put(c.Qualifier, state, 0).Cells[0], nil
}

func rewriteDepth(c hbase.Cell) (hbase.Cell, error) {
	levels, _, err := tables.Tree.Depth([]hbase.Cell{c})
	return tables.Tree.DepthCell(levels, 0), err
}

func rewriteDayOfKey(c hbase.Cell) (hbase.Cell, error) {
	day, err := tables.Plays.DecodeKey([]hbase.Cell{c})
	return tables.Plays.KeyCell("again", day, 0), err
}

func rewriteDay(c hbase.Cell) (hbase.Cell, error) {
	days, err := tables.Plays.Decode([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.GameDays.Cell(days[0], 0), nil
}

func attributes() []codec {
	n, s, at := ptr(7), ptr("小"), ptr(time.Date(2015, 2, 17, 12, 0, 0, 420, time.UTC))
	var list []codec
	user := &tables.User{
		Name: s, Email: s, Age: n, AvatarURL: s, CreatedAt: at, FollowerCount: n, FollowingCount: n, TwitCount: n,
		PublicTwitCount: n, AlbumCount: n, PublicAlbumCount: n, RoleCount: n, GameCount: n,
	}
	department := &tables.Department{Name: s, ParentCode: s, ChildCount: n, RoleCount: n}
	list = append(list, attributesOf(tables.Users, user)...)
	list = append(list, attributesOf(tables.Roles, &tables.Role{Name: s, DepartmentCode: s, UserCount: n})...)
	list = append(list, attributesOf(tables.Departments, department)...)
	return append(list, attributesOf(tables.Games, &tables.Game{Name: s, PlayerCount: n})...)
}

func attributesOf[T any](o *tables.Object[T], t *T) (list []codec) {
	for _, c := range o.Put("key", t, 0).Cells {
		list = append(list, valueOf(o.Table, c, func(c hbase.Cell) (hbase.Cell, error) {
			cells := []hbase.Cell{c}
			if c.Qualifier != "name" {
				cells = append(cells, hbase.Cell{Family: tables.Attributes, Qualifier: "name", Value: []byte("x")})
			}
			t, err := o.Decode("key", cells)
			if err != nil || string(c.Value) == tables.DeletedValue {
				return c, err // removed
			}
			for _, rewrite := range o.Put("key", t, 0).Cells {
				if rewrite.Qualifier == c.Qualifier {
					return rewrite, nil
				}
			}
			return hbase.Cell{}, errors.New("the column is missing")
		}))
	}
	return list
}
