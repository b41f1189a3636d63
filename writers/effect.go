package writers

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// plan are the effects of an operation, in stages. A stage begins when the one before is applied.
// The effects of a stage have no order.
type plan struct {
	// now is applied before the operation is acknowledged, later afterwards.
	now, later []stage
}

type stage []effect

// members returns the members of the stage.
func (s stage) members() (members []*member) {
	for _, e := range s {
		if m, ok := e.(*member); ok {
			members = append(members, m)
		}
	}
	return members
}

// effect is one of the types below. Applying it twice, or by two gateways at once, is like once.
type effect interface{ String() string }

// put is a mutation with the timestamp of the operation in all its parts: a Put of those cells, or
// Deletions of all up to it.
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

// member adds a member to a list, or removes it, in the bucket that covers its position.
type member struct {
	list  *tables.AnyList
	owner string
	cell  hbase.Cell
	gone  bool

	// place is where the execution writes it, if that is known. The bucket may have been split since.
	place tables.Place
	known bool
}

func (m *member) String() string {
	if m.gone {
		return "remove from " + m.list.String()
	}
	return "add to " + m.list.String()
}

// add and remove change the members of an owner's list; join and leave also its counts.
func add[E any](l *tables.List[E], owner string, e E, at int64) effect {
	return &member{list: &l.AnyList, owner: owner, cell: l.Cell(e, at)}
}

func remove[E any](l *tables.List[E], owner string, e E, at int64) effect {
	return &member{list: &l.AnyList, owner: owner, cell: l.Cell(e, at), gone: true}
}

func join[E any](l *tables.List[E], owner string, e E, at int64) stage {
	return withCounts(l, owner, e, 1, add(l, owner, e, at))
}

func leave[E any](l *tables.List[E], owner string, e E, at int64) stage {
	return withCounts(l, owner, e, -1, remove(l, owner, e, at))
}

func withCounts[E any](l *tables.List[E], owner string, e E, delta int, s ...effect) stage {
	if l.Count != "" {
		s = append(s, countOf(l, owner, delta))
	}
	if l.IsPublic(e) {
		s = append(s, countIn(l.Owner.Table, owner, l.PublicCount, delta))
	}
	return s
}

// location is a row of a table.
type location struct{ table, row string }

// column is a column that counts, as in "i:followerCount".
type column struct {
	location
	name string
}

// count adds to a count exactly once. It follows from the arguments of the operation alone, never
// from what an effect read. All counts in one row belong to one stage.
type count struct {
	column
	delta int
}

func (c count) String() string { return fmt.Sprintf("count %s %s", c.table, c.name) }

// countIn adds to the attribute of an object.
func countIn(table, key, attribute string, delta int) effect {
	return count{column{location{table, tables.RowKey(key)}, tables.Attributes + ":" + attribute}, delta}
}

// countOf adds to the length of an owner's list.
func countOf[E any](l *tables.List[E], owner string, delta int) effect {
	return countIn(l.Owner.Table, owner, l.Count, delta)
}

// job starts a fan-out job, which any gateway runs in the background. It belongs to a stage that
// follows what the job reads.
type job struct{ tables.Job }

func (j job) String() string { return "job " + string(j.Kind) }

// nested is an operation of its own. Its check finds nothing to do if it was completed before.
type nested struct {
	opType    string
	arguments any // a pointer
}

func (n nested) String() string { return "nested " + n.opType }

// compensation runs a nested operation unless all objects exist. It belongs to the stage after the
// one that adds to their lists: a deletion marks the object before it clears the object's lists, so
// either the deletion finds the members, or the compensation finds the object deleted.
type compensation struct {
	unless references
	nested
}

func (c compensation) String() string { return "check ends" }

// each applies effects to the items of a list or range, page by page. After a crash it starts
// again, and must find all items whose effects may be missing. So its effects do not remove items.
// A nested operation may remove one, because the next operation on the same commit row completes
// it.
type each struct {
	what string
	// run goes through the items, and has the effects of each page applied, no counts among them.
	run func(ctx context.Context, c client, apply func([]effect) error) error
}

func (e each) String() string { return "each " + e.what }

func millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
