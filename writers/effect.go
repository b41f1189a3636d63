package writers

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// effects are those before (now) and after (later) the acknowledgement. Stages are applied in
// order. The effects of a stage have no order.
type effects struct{ now, later []stage }

type stage []effect

func (s stage) members() (members []*member) {
	for _, e := range s {
		if m, ok := e.(*member); ok {
			members = append(members, m)
		}
	}
	return members
}

// effect is a put, member, count, job, nested, compensation or each. It is idempotent, even if
// several gateways apply it concurrently.
type effect interface{ String() string }

type put struct{ hbase.Mutation }

func (p put) String() string {
	table, _ := p.At()
	if _, ok := p.Mutation.(hbase.Delete); ok {
		return "delete " + table
	}
	return "put " + table
}

type listName struct{ Table, Family string }

type member struct {
	list    *tables.AnyList
	owner   string
	cell    hbase.Cell
	removed bool

	// buckets are those to write to, if known is true. Verification sets known to false,
	// because a repeated write must look for splits.
	buckets tables.BucketsAt
	known   bool
}

func (m *member) String() string {
	if m.removed {
		return "remove from " + m.list.String()
	}
	return "add to " + m.list.String()
}

// add and remove do not count the member. join and leave do.
func add[E any](l *tables.List[E], owner string, e E, at int64) effect {
	return &member{list: &l.AnyList, owner: owner, cell: l.Cell(e, at)}
}

func remove[E any](l *tables.List[E], owner string, e E, at int64) effect {
	return &member{list: &l.AnyList, owner: owner, cell: l.Cell(e, at), removed: true}
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

type location struct{ table, row string }

type column struct {
	location
	name string
}

// count changes a count by delta, exactly once: see count.go.
type count struct {
	column
	delta int
}

func (c count) String() string { return fmt.Sprintf("count %s %s", c.table, c.name) }

func countIn(table, key, attribute string, delta int) effect {
	return count{column{location{table, tables.RowKey(key)}, tables.Attributes + ":" + attribute}, delta}
}

func countOf[E any](l *tables.List[E], owner string, delta int) effect {
	return countIn(l.Owner.Table, owner, l.Count, delta)
}

// job stores a [tables.Job]. Its stage comes after the effects that the job reads.
type job struct{ tables.Job }

func (j job) String() string { return "job " + string(j.Kind) }

// nested runs another operation.
type nested struct {
	opType    string
	arguments any
}

func (n nested) String() string { return "nested " + n.opType }

// compensation runs a nested operation if an object is missing: see I4 in docs/WRITES.md.
type compensation struct {
	objects references
	nested
}

func (c compensation) String() string { return "check ends" }

// each applies effects to items, such as the members of a list, page by page. After a crash it
// starts again: docs/WRITES.md says which effects may remove items.
type each struct {
	name string
	run  func(ctx context.Context, c client, apply pageApplier) error
}

// pageApplier applies the effects of a page, which must not be counts. If proceed is false, run
// returns err without further calls. It is nil if the execution is superseded.
type pageApplier func([]effect) (proceed bool, err error)

func (e each) String() string { return "each " + e.name }

func millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
