package tables_test

import (
	"errors"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// codec is one kind of stored or sent bytes: an example of it, and how to read it and write what was read.
type codec struct {
	name  string
	bytes string
	again func(string) (string, error)
	// blame is the error of bytes that are damaged: ErrCorrupt where they were stored, ErrName where a client sends them.
	blame error
}

// codecs are all kinds of bytes that this package writes.
func codecs() []codec {
	list := []codec{
		{"id of a user", string((&tables.User{Username: "小红"}).ID().Bytes()), againID, tables.ErrName},
		{"id of a role", string((&tables.Role{Code: "lead"}).ID().Bytes()), againID, tables.ErrName},
		{"id of a department", string((&tables.Department{Code: "dev/1"}).ID().Bytes()), againID, tables.ErrName},
		{"id of a game", string((&tables.Game{Code: "go"}).ID().Bytes()), againID, tables.ErrName},
		{"id of a twit", string(moment.ID().Bytes()), againID, tables.ErrName},
		{"id of a comment", string(remark.ID().Bytes()), againID, tables.ErrName},
		{"row of a user", tables.RowKey("小红"), againRow, hbase.ErrCorrupt},
		{"row of a twit's comments", tables.RowKey(moment.Key().String()), againRow, hbase.ErrCorrupt},
		{"row of the top-level departments", tables.RowKey(tables.Root), againRow, hbase.ErrCorrupt},
		{"row of a follow", tables.Follows.Get("LiLei", "小红").Row, againEnds(tables.Follows.Ends, tables.Follows.Get), hbase.ErrCorrupt},
		{"row of an assignment", tables.Assignments.Get("LiLei", "lead").Row, againEnds(tables.Assignments.Ends, tables.Assignments.Get), hbase.ErrCorrupt},
		{"row of plays", tables.Plays.Get("LiLei", "go").Row, againEnds(tables.Plays.Ends, tables.Plays.Get), hbase.ErrCorrupt},
		{"row of an account", tables.Accounts.Get("LiLei").Row, againRow, hbase.ErrCorrupt},
		{"password of an account", string(tables.Accounts.Put("LiLei", passwordHash, 0).Cells[0].Value), againPassword, hbase.ErrCorrupt},
		{"row of a twit's id", tables.TwitNames.Get("a/b:7").Row, againRow, hbase.ErrCorrupt},
		{"value of a twit's id", string(tables.TwitNames.Put(moment, 0).Cells[0].Value), againTwitName, hbase.ErrCorrupt},
	}
	list = append(list, codec{"row of an intent", tables.Intents.Row(write.ID), againIntentRow, hbase.ErrCorrupt},
		codec{"op", write.ID, againPosition(tables.CheckOp), tables.ErrName}, codec{"op, void", write.After, againPosition(tables.CheckOp), tables.ErrName})
	list = append(list, valueOf("Followers, announcement", tables.Followers.PendingCell([]tables.Bucket{
		{Number: 7, Start: lists[0].cell.Qualifier, Stop: lists[0].cell.Qualifier + "z"},
		{Number: 258, Start: lists[0].cell.Qualifier + "z", Stop: lists[0].cell.Qualifier + "zz"}}, 0), tables.Followers.PendingAgain))
	for _, c := range tables.Intents.Put(write).Cells {
		list = append(list, valueOf("intent", c, againIntent))
	}
	list = append(list, valueOf("counts", tables.Journal{Revision: 12, Ops: []string{write.ID, write.ID}}.Cell(0), againJournal))
	for _, c := range tables.Follows.Put("LiLei", "小红", true, noon, 0).Cells {
		list = append(list, valueOf("edge", c, againEdge))
	}
	list = append(list, codec{"row of a job", tables.Jobs.Row(job.ID), againJobRow, hbase.ErrCorrupt})
	for _, c := range tables.Jobs.Put(job).Cells {
		if c.Qualifier != tables.LeaseColumn { // one that can't be read has run out
			list = append(list, valueOf("job", c, againJob))
		}
	}
	list = append(list, codec{"batch of a job", batch.Encode(), againBatch, hbase.ErrCorrupt})
	list = append(list, codec{"row of an author's comments on a twit", tables.Commenters.Row(moment.Key(), "LiLei"), againRow, hbase.ErrCorrupt})
	list = append(list, valueOf("timeline's cut", tables.PutTimelineSince("LiLei", noon).Cells[0], againSince))
	list = append(list, valueOf("comment added under a key", tables.Commenters.AddedCell("again", noon, tables.CommentMark("LiLei", "Hi", 0), 0), againAdded))
	list = append(list, valueOf("comment added under a key, without its mark", tables.Commenters.AddedCell("again", noon, "", 0), againAdded))
	list = append(list, codec{"row of the broadcasters", tables.Broadcasters.Get().Row, againRow, hbase.ErrCorrupt})
	list = append(list, cellsOf("broadcaster", tables.Broadcasters.Put("小红", tables.Leaving(job.ID), 0).Cells[0], againBroadcaster)...)
	list = append(list, cellsOf("plays", tables.Plays.Put("LiLei", "go", tables.DayCount{Day: "2014-12-25", Count: 12}, 0).Cells[0], againDay)...)
	list = append(list, valueOf("depth of the tree", tables.Tree.DepthCell(7, 0), againDepth))
	list = append(list, valueOf("played under a key", tables.Plays.KeyCell("again", "2014-12-25", 0), againUnder))
	for _, l := range lists {
		again := func(c hbase.Cell) (hbase.Cell, error) { return l.again(l.owner, c) }
		list = append(list, cellsOf(l.name, l.cell, again)...)
		// One that has an end, and the last, which has none.
		inner := tables.Bucket{Number: 2, Start: l.cell.Qualifier, Stop: l.cell.Qualifier + "z"}
		if l.name == "Comments" {
			inner.Stop = l.cell.Qualifier[:len(l.cell.Qualifier)-1] + "\xff"
		}
		list = append(list, cellsOf(l.name+", directory", l.bucket(inner), again)...)
		list = append(list, cellsOf(l.name+", end of directory", l.bucket(tables.Bucket{Number: 1, Start: l.cell.Qualifier}), again)...)
		list = append(list, codec{l.name + ", position", l.cell.Qualifier, againPosition(l.check), tables.ErrName})
	}
	return append(list, attributes()...)
}

// cellsOf makes two codecs of a cell whose qualifier and value both say something, or one if the value is empty.
func cellsOf(name string, c hbase.Cell, again func(hbase.Cell) (hbase.Cell, error)) []codec {
	list := []codec{{name + ", qualifier", c.Qualifier, func(s string) (string, error) {
		c := hbase.Cell{Family: c.Family, Qualifier: s, Value: c.Value}
		got, err := again(c)
		if err == nil && string(got.Value) != string(c.Value) {
			return "", errors.New("a damaged qualifier changed the value")
		}
		return got.Qualifier, err
	}, hbase.ErrCorrupt}}
	if len(c.Value) > 0 {
		list = append(list, valueOf(name, c, again))
	}
	return list
}

func valueOf(name string, c hbase.Cell, again func(hbase.Cell) (hbase.Cell, error)) codec {
	return codec{name + ", value of " + c.Family + ":" + label(c.Qualifier), string(c.Value), func(s string) (string, error) {
		got, err := again(hbase.Cell{Family: c.Family, Qualifier: c.Qualifier, Value: []byte(s)})
		return string(got.Value), err
	}, hbase.ErrCorrupt}
}

// label is the qualifier, if it is a column's fixed name.
func label(qualifier string) string {
	for _, r := range qualifier {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return "…"
		}
	}
	return qualifier
}

func againID(s string) (string, error) {
	id, err := tables.ParseID([]byte(s))
	if err != nil {
		return "", err
	}
	return string(id.Bytes()), nil
}

func againRow(s string) (string, error) {
	owner, err := tables.OwnerOf(s)
	if err != nil {
		return "", err
	}
	return tables.RowKey(owner), nil
}

func againEnds(ends func(string) (string, string, error), get func(a, b string) hbase.Get) func(string) (string, error) {
	return func(s string) (string, error) {
		a, b, err := ends(s)
		if err != nil {
			return "", err
		}
		return get(a, b).Row, nil
	}
}

func againPosition(check func(string) error) func(string) (string, error) {
	return func(s string) (string, error) { return s, check(s) }
}

// passwordHash is what a password becomes.
const passwordHash = "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$Uj0iXWQkbYFNHqKkyHqLpQe0vVfGm3dXl0rPkJ4mKxA"

func againPassword(s string) (string, error) {
	hash, _, err := tables.Accounts.Decode(tables.Accounts.Put("LiLei", s, 0).Cells)
	return hash, err
}

func againTwitName(s string) (string, error) {
	key, _, _, err := tables.TwitNames.Decode([]hbase.Cell{{Family: tables.Attributes, Qualifier: "key", Value: []byte(s)}})
	if err != nil {
		return "", err
	}
	return key.String(), nil
}

// write is an intent with all its parts.
var write = tables.Intent{ID: tables.NewOp(noon, 1), Kind: "follow", Arguments: `{"Followed":"小红"}`, At: noon.UnixMilli(), Table: "follows",
	Row: tables.Follows.Get("LiLei", "小红").Row, Family: "i", After: tables.VoidOp(tables.NewOp(noon, 2), tables.NewOp(noon, 3)),
	Due: noon.UnixMilli() + 40_000}

func againIntentRow(s string) (string, error) {
	id, err := tables.Intents.IDOf(s)
	if err != nil {
		return "", err
	}
	return tables.Intents.Row(id), nil
}

// againIntent reads a cell of an intent among the others of its row.
func againIntent(c hbase.Cell) (hbase.Cell, error) {
	cells := tables.Intents.Put(write).Cells
	for i := range cells {
		if cells[i].Qualifier == c.Qualifier {
			cells[i] = c
		}
	}
	i, _, err := tables.Intents.Decode(tables.Intents.Row(write.ID), cells)
	if err != nil {
		return hbase.Cell{}, err
	}
	for _, again := range tables.Intents.Put(i).Cells {
		if again.Qualifier == c.Qualifier {
			return again, nil
		}
	}
	return hbase.Cell{}, nil
}

func againJournal(c hbase.Cell) (hbase.Cell, error) {
	j, _, err := tables.DecodeJournal([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return j.Cell(0), nil
}

// againEdge reads a cell of an edge among the others of its row.
func againEdge(c hbase.Cell) (hbase.Cell, error) {
	cells := tables.Follows.Put("LiLei", "小红", true, noon, 0).Cells
	for i := range cells {
		if cells[i].Qualifier == c.Qualifier {
			cells[i] = c
		}
	}
	related, at, err := tables.Follows.Decode(cells)
	if err != nil {
		return hbase.Cell{}, err
	}
	for _, again := range tables.Follows.Put("LiLei", "小红", related, at, 0).Cells {
		if again.Qualifier == c.Qualifier {
			return again, nil
		}
	}
	return hbase.Cell{}, nil
}

func againJobRow(s string) (string, error) {
	id, err := tables.Jobs.IDOf(s)
	if err != nil {
		return "", err
	}
	return tables.Jobs.Row(id), nil
}

// againJob reads a cell of a job among the others of its row.
func againJob(c hbase.Cell) (hbase.Cell, error) {
	cells := tables.Jobs.Put(job).Cells
	for i := range cells {
		if cells[i].Qualifier == c.Qualifier {
			cells[i] = c
		}
	}
	e, _, err := tables.Jobs.Decode(tables.Jobs.Row(job.ID), cells)
	if err != nil {
		return hbase.Cell{}, err
	}
	for _, again := range tables.Jobs.Put(e).Cells {
		if again.Qualifier == c.Qualifier {
			return again, nil
		}
	}
	return hbase.Cell{}, nil
}

func againBatch(text string) (string, error) {
	b, err := tables.DecodeBatch(batch.Twits[0].Author, text)
	if err != nil || text == "" {
		return "", err
	}
	return b.Encode(), nil
}

func againAdded(c hbase.Cell) (hbase.Cell, error) {
	at, mark, _, err := tables.Commenters.DecodeAdded([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.Commenters.AddedCell("again", at, mark, 0), nil
}

func againSince(c hbase.Cell) (hbase.Cell, error) {
	at, _, err := tables.DecodeTimelineSince([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.PutTimelineSince("LiLei", at).Cells[0], nil
}

func againBroadcaster(c hbase.Cell) (hbase.Cell, error) {
	state, _, err := tables.Broadcasters.State([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.Broadcasters.Put(c.Qualifier, state, 0).Cells[0], nil
}

func againDepth(c hbase.Cell) (hbase.Cell, error) {
	levels, _, err := tables.Tree.Depth([]hbase.Cell{c})
	return tables.Tree.DepthCell(levels, 0), err
}

func againUnder(c hbase.Cell) (hbase.Cell, error) {
	day, err := tables.Plays.DecodeKey([]hbase.Cell{c})
	return tables.Plays.KeyCell("again", day, 0), err
}

func againDay(c hbase.Cell) (hbase.Cell, error) {
	days, err := tables.Plays.Decode([]hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return tables.GameDays.Cell(days[0], 0), nil
}

// attributes are the values of every attribute of every object.
func attributes() []codec {
	n, s, at := ptr(7), ptr("小"), ptr(time.Date(2015, 2, 17, 12, 0, 0, 420, time.UTC))
	var list []codec
	list = append(list, attributesOf(tables.Users, &tables.User{Name: s, Email: s, Age: n, AvatarURL: s, CreatedAt: at, FollowerCount: n,
		FollowingCount: n, TwitCount: n, PublicTwitCount: n, AlbumCount: n, PublicAlbumCount: n, RoleCount: n, GameCount: n})...)
	list = append(list, attributesOf(tables.Roles, &tables.Role{Name: s, DepartmentCode: s, UserCount: n})...)
	list = append(list, attributesOf(tables.Departments, &tables.Department{Name: s, ParentCode: s, ChildCount: n, RoleCount: n})...)
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
			if err != nil || string(c.Value) == tables.Gone {
				return c, err // it is read as if it were not there
			}
			for _, again := range o.Put("key", t, 0).Cells {
				if again.Qualifier == c.Qualifier {
					return again, nil
				}
			}
			return hbase.Cell{}, errors.New("the column is gone")
		}))
	}
	return list
}
