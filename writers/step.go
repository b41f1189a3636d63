package writers

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// step is a part of what follows from a decision: one of the types below. Doing it twice, or by two at once, is like once.
type step interface{ String() string }

// put is a mutation with the timestamp of the write in all its parts: a Put of those cells, or Deletions of all up to it.
type put struct{ hbase.Mutation }

func (p put) String() string {
	table, _ := p.At()
	if _, ok := p.Mutation.(hbase.Delete); ok {
		return "delete " + table
	}
	return "put " + table
}

// listName tells lists apart, in what is stored.
type listName struct{ Table, Family string }

// member adds a member to a list, or takes it out, in whatever bucket covers it.
type member struct {
	list  *tables.AnyList
	name  listName
	owner string
	cell  hbase.Cell
	gone  bool
	// length is the column of the list's length, if it has one.
	length column
}

func (m *member) String() string {
	if m.gone {
		return fmt.Sprintf("remove from %s:%s", m.name.Table, m.name.Family)
	}
	return fmt.Sprintf("add to %s:%s", m.name.Table, m.name.Family)
}

// add puts a member into an owner's list.
func add[E any](l *tables.List[E], owner string, e E, at int64) step {
	return memberOf(&l.AnyList, owner, l.Cell(e, at), false)
}

// remove takes a member out of an owner's list.
func remove[E any](l *tables.List[E], owner string, e E, at int64) step {
	return memberOf(&l.AnyList, owner, l.Cell(e, at), true)
}

func memberOf(l *tables.AnyList, owner string, cell hbase.Cell, gone bool) step {
	return &member{list: l, name: listName{l.Table, l.Family}, owner: owner, cell: cell, gone: gone,
		length: column{place{l.Owner.Table, tables.RowKey(owner)}, tables.Attributes + ":" + l.Count}}
}

// place is a row of a table.
type place struct{ table, row string }

// column is one that counts, as in "i:followerCount".
type column struct {
	place
	name string
}

// count adds to a count exactly once. It must follow from the arguments alone, never from what a step read. All counts of one row
// belong into one stage.
type count struct {
	column
	delta int
}

func (c count) String() string { return fmt.Sprintf("count %s %s", c.table, c.name) }

// countIn adds to the attribute of an object.
func countIn(table, key, attribute string, delta int) step {
	return count{column{place{table, tables.RowKey(key)}, tables.Attributes + ":" + attribute}, delta}
}

// countOf adds to the length of an owner's list.
func countOf[E any](l *tables.List[E], owner string, delta int) step {
	return countIn(l.Owner.Table, owner, l.Count, delta)
}

// job starts a job, which any gateway runs in the background. It belongs into a stage that follows what the job reads.
type job struct{ tables.Job }

func (j job) String() string { return "job " + string(j.Kind) }

// write puts the job into the store.
func (j job) write(label string) write { return write{label + j.String(), tables.Jobs.Put(j.Job)} }

// look reads, after everything of the stages before is there, and goes on with what it made of the cells: puts, members, demands.
// With it, what is a function of a row is derived, stamped with that row's own youngest timestamp; and who adds a
// relation looks afterwards whether both ends are still there.
type look struct {
	what string
	gets []hbase.Get
	then func(cells [][]hbase.Cell) ([]step, error)
}

func (l look) String() string { return "look " + l.what }

// demand runs a whole write of its own. Its kind decides on what it finds then: it finds nothing to do if it was done.
type demand struct {
	kind      string
	arguments any // a pointer
}

func (d demand) String() string { return "demand " + d.kind }

// each goes through something that may be long, page by page. After a crash it begins anew, and has to find again all that was done in part: so its
// steps take nothing out of what it goes through, and a demand does only if whoever decides next about the same finds, and helps, that itself.
type each struct {
	what string
	// next returns what is to be done for the items that follow the cursor, no counts, and the next cursor, empty at the end.
	next func(ctx context.Context, p port, after string) (items []step, cursor string, err error)
}

func (e each) String() string { return "each " + e.what }

func millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
