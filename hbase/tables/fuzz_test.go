package tables_test

import (
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func seed(f *testing.F, named ...string) {
	for _, c := range codecs() {
		for _, name := range named {
			if c.name == name {
				f.Add(c.bytes)
				f.Add(c.bytes[:len(c.bytes)/2])
			}
		}
	}
}

func FuzzParseID(f *testing.F) {
	seed(f, "id of a user", "id of a role", "id of a department", "id of a game", "id of a twit", "id of a comment")
	f.Add(string(extremeComment.ID().Bytes()))
	f.Fuzz(func(t *testing.T, s string) {
		checkDamage(t, codec{rewrite: rewriteID, damage: tables.ErrName}, s)
	})
}

func FuzzTwitRecord(f *testing.F) { fuzzValue(f, "Twits") }

func FuzzCommentRecord(f *testing.F) { fuzzValue(f, "Comments") }

func FuzzUserGame(f *testing.F) { fuzzValue(f, "UserGames") }

func FuzzTimelineEntry(f *testing.F) { fuzzQualifier(f, "Timelines") }

func FuzzUserComment(f *testing.F) { fuzzQualifier(f, "UserComments") }

func FuzzJob(f *testing.F) {
	kinds := []tables.JobKind{tables.Posted, tables.Deleted, tables.Followed, tables.Unfollowed, tables.Returned, ""}
	for _, kind := range kinds {
		f.Add(string(kind), "1424174400000", "小红", "LiLei", job.Position)
		f.Add(string(kind), "1424174400000", "小红", "", job.Position)
		f.Add(string(kind), "1424174400000", "小红", "LiLei", "")
		f.Add(string(kind), "1424174400000", "小红", "", "")
		f.Add(string(kind), "x", "小红", "", "")
	}
	row := tables.Jobs.Row(job.ID)
	f.Fuzz(func(t *testing.T, kind, at, author, follower, position string) {
		cells := []hbase.Cell{{Family: tables.Attributes, Qualifier: tables.LeaseColumn, Value: []byte("0 ")}}
		columns := [][2]string{
			{"at", at}, {"author", author}, {"follower", follower}, {"kind", kind}, {"position", position}}
		for _, c := range columns {
			if c[1] != "" {
				cells = append(cells, hbase.Cell{Family: tables.Attributes, Qualifier: c[0], Value: []byte(c[1])})
			}
		}
		e, ok, err := tables.Jobs.Decode(row, cells)
		if err == nil && !ok {
			return
		}
		checkDamage(t, codec{damage: hbase.ErrCorrupt, rewrite: func(string) (string, error) {
			return format(tables.Jobs.Put(e).Cells), err
		}}, format(cells))
	})
}

func format(cells []hbase.Cell) (s string) {
	for _, c := range cells {
		s += c.Qualifier + "=" + string(c.Value) + "\n"
	}
	return s
}

func FuzzFollow(f *testing.F) { fuzzQualifier(f, "Followers") }

func FuzzChild(f *testing.F) { fuzzQualifier(f, "Children") }

func fuzzValue(f *testing.F, name string) {
	for _, l := range lists {
		if l.name != name {
			continue
		}
		f.Add(string(l.cell.Value))
		f.Add(string(l.cell.Value[:len(l.cell.Value)-1]))
		f.Fuzz(func(t *testing.T, value string) {
			checkCell(t, l, hbase.Cell{Family: l.cell.Family, Qualifier: l.cell.Qualifier, Value: []byte(value)})
		})
	}
}

func fuzzQualifier(f *testing.F, name string) {
	for _, l := range lists {
		if l.name != name {
			continue
		}
		f.Add(l.cell.Qualifier)
		f.Add(l.cell.Qualifier[:len(l.cell.Qualifier)-1])
		f.Add("\x7f\xff\x41\x42\x43DEFn\x00LiLei\x00\x7f\xff\x41\x42\x43")
		f.Fuzz(func(t *testing.T, qualifier string) {
			checkCell(t, l, hbase.Cell{Family: l.cell.Family, Qualifier: qualifier})
			checkDamage(t, codec{rewrite: rewritePosition(l.check), damage: tables.ErrName}, qualifier)
		})
	}
}

func checkCell(t *testing.T, l wide, c hbase.Cell) {
	t.Helper()
	rewrite, err := l.rewrite(l.owner, c)
	checkDamage(t, codec{damage: hbase.ErrCorrupt, rewrite: func(string) (string, error) {
		return rewrite.Qualifier + " → " + string(rewrite.Value), err
	}}, c.Qualifier+" → "+string(c.Value))
}

func FuzzDirectory(f *testing.F) {
	for i, l := range lists {
		c := l.bucket(tables.Bucket{Number: 1, Start: l.cell.Qualifier})
		f.Add(uint(i), c.Qualifier[1:], c.Value)
		c = l.bucket(tables.Bucket{Number: 1 << 24, Start: l.cell.Qualifier, Stop: l.cell.Qualifier + "z"})
		f.Add(uint(i), c.Qualifier[1:], c.Value[:len(c.Value)-1])
	}
	f.Fuzz(func(t *testing.T, i uint, stop string, value []byte) {
		l := lists[i%uint(len(lists))]
		checkCell(t, l, hbase.Cell{Family: l.cell.Family, Qualifier: tables.MembersEnd + stop, Value: value})
	})
}

func FuzzRow(f *testing.F) {
	seed(f, "row of a user", "row of follow", "row of a twit's comments", "row of the top-level departments")
	f.Fuzz(func(t *testing.T, s string) {
		checkDamage(t, codec{rewrite: rewriteRow, damage: hbase.ErrCorrupt}, s)
		checkDamage(t, codec{rewrite: rewriteEnds(tables.Follows.Ends, tables.Follows.Get), damage: hbase.ErrCorrupt}, s)
	})
}

func FuzzEdge(f *testing.F) {
	f.Add("1", "1424174400000")
	f.Add("0", "0")
	f.Add("2", "-1")
	f.Add("", "0424174400000")
	f.Fuzz(func(t *testing.T, state, at string) {
		cells := []hbase.Cell{
			{Family: tables.Attributes, Qualifier: "at", Value: []byte(at)},
			{Family: tables.Attributes, Qualifier: "state", Value: []byte(state)},
		}
		related, since, err := tables.Follows.Decode(cells)
		checkDamage(t, codec{damage: hbase.ErrCorrupt, rewrite: func(string) (string, error) {
			rewrite := tables.Follows.Put("a", "b", related, since, 0).Cells
			return string(rewrite[1].Value) + " " + string(rewrite[0].Value), err
		}}, state+" "+at)
	})
}

func FuzzInstant(f *testing.F) {
	f.Add("2015-02-17T12:00:00Z")
	f.Add("2015-02-17T12:00:00.5Z")
	f.Add("2015-02-17T12:00:00,5Z")
	f.Add("2015-02-17T12:00:00+08:00")
	for _, c := range attributes() {
		if c.name == "users, value of i:createdAt" {
			f.Fuzz(func(t *testing.T, at string) { checkDamage(t, c, at) })
		}
	}
}

func FuzzJournal(f *testing.F) {
	seed(f, "counts, value of i:counted")
	f.Add("01 x")
	f.Fuzz(func(t *testing.T, s string) {
		checkDamage(t, codec{damage: hbase.ErrCorrupt, rewrite: func(s string) (string, error) {
			cell := hbase.Cell{Family: tables.Attributes, Qualifier: tables.CountedColumn, Value: []byte(s)}
			journal, err := rewriteJournal(cell)
			return string(journal.Value), err
		}}, s)
	})
}

func FuzzOp(f *testing.F) {
	seed(f, "op", "op, fence", "row of an intent")
	f.Fuzz(func(t *testing.T, s string) {
		checkDamage(t, codec{rewrite: rewritePosition(tables.CheckCommitRecord), damage: tables.ErrName}, s)
		checkDamage(t, codec{rewrite: rewriteIntentRow, damage: hbase.ErrCorrupt}, s)
	})
}
