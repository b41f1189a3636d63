package check

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// entry is a member that a list is expected to have.
type entry struct {
	list  *tables.AnyList
	owner string
	cell  hbase.Cell
	// source is the table from which the member follows, and why what it says.
	source, why string

	// find sets both: row is that of the bucket which covers the member, and found the column that is there, if any.
	row   string
	found *hbase.Cell
}

func (e *entry) of() listOf { return listOf{e.list, e.owner} }

// entryOf is a member that follows from a source.
func entryOf[E any](l *tables.List[E], owner string, member E, timestamp int64, source, why string) entry {
	return entry{list: &l.AnyList, owner: owner, cell: l.Cell(member, timestamp), source: source, why: why}
}

// entryAt is a position of a list.
func entryAt(l *tables.AnyList, owner, position string) entry {
	return entry{list: l, owner: owner, cell: hbase.Cell{Family: l.Family, Qualifier: position}}
}

// expect reports the entries that lists lack, or have with another value.
func (r *run) expect(ctx context.Context, entries []entry) error {
	if err := r.find(ctx, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if e.found == nil {
			r.missing(e)
			continue
		}
		if string(e.found.Value) == string(e.cell.Value) {
			continue
		}
		found := r.isPublic(e.of(), *e.found)
		if !found.readable && r.damaged[e.of()] {
			continue // reported before
		}
		e.cell.Timestamp = max(e.cell.Timestamp, e.found.Timestamp)
		isNew := r.differs(rebuild.Change{Table: e.list.Table, Row: e.row, Old: e.found, New: &e.cell}, e.source+" says so")
		if isNew && found.public && !r.isPublic(e.of(), e.cell).public {
			r.grow(e.of(), 0, -1)
		}
	}
	return nil
}

// missing reports an entry that a list lacks.
func (r *run) missing(e entry) {
	isNew := r.report(columnOf(e.list.Table, e.row, e.cell), absent, there, e.why,
		hbase.Put{Table: e.list.Table, Row: e.row, Cells: []hbase.Cell{e.cell}})
	if isNew && !r.Repair {
		r.grow(e.of(), 1, r.isPublic(e.of(), e.cell).count())
		if r.lacking[e.of()] == nil {
			r.lacking[e.of()] = map[string]*hbase.Cell{}
		}
		r.lacking[e.of()][e.cell.Qualifier] = &e.cell
	}
}

// grow notes, while nothing is repaired, how many members more a list should have.
func (r *run) grow(l listOf, all, public int) {
	if !r.Repair {
		off := r.off[l]
		r.off[l] = rebuild.Length{All: off.All + all, Public: off.Public + public}
	}
}

// publicity is whether everybody may see a member, false if it can't be read.
type publicity struct{ public, readable bool }

func (p publicity) count() int {
	if p.public {
		return 1
	}
	return 0
}

// isPublic decodes a member of a list.
func (r *run) isPublic(l listOf, c hbase.Cell) publicity {
	public, err := l.Public(l.owner, []hbase.Cell{c})
	return publicity{len(public) == 1 && public[0], err == nil}
}

// find looks for entries. It reads bucket 0 and the directories together, since most lists have no other bucket.
func (r *run) find(ctx context.Context, entries []entry) error {
	directories := map[listOf]int{}
	var gets []hbase.Get
	for i := range entries {
		e := &entries[i]
		gets = append(gets, e.list.Get(e.owner, 0, hbase.Exactly(e.cell.Qualifier)))
	}
	for _, e := range entries {
		if _, asked := directories[e.of()]; !asked {
			directories[e.of()] = len(gets)
			gets = append(gets, e.list.Directories(e.owner))
		}
	}
	cells, err := hbase.GetAll(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	var further []*entry
	gets = nil
	for i := range entries {
		e := &entries[i]
		place, err := e.list.Place(e.owner, e.cell.Qualifier, cells[directories[e.of()]])
		if err != nil {
			return err
		}
		if e.row = e.list.Row(e.owner, place.Covering); place.Covering != 0 {
			further = append(further, e)
			gets = append(gets, e.list.Get(e.owner, place.Covering, hbase.Exactly(e.cell.Qualifier)))
		} else {
			e.found = r.first(e, cells[i])
		}
	}
	if cells, err = hbase.GetAll(ctx, r.Store, gets); err != nil {
		return err
	}
	for i, e := range further {
		e.found = r.first(e, cells[i])
	}
	return nil
}

// first returns the cell of an entry, or the one that a repair would write.
func (r *run) first(e *entry, cells []hbase.Cell) *hbase.Cell {
	if len(cells) > 0 {
		return &cells[0]
	}
	return r.lacking[e.of()][e.cell.Qualifier]
}

// existing returns which of these objects exist, by their keys.
func (r *run) existing(ctx context.Context, o *tables.AnyObject, keys []string) (map[string]bool, error) {
	exists := make(map[string]bool, len(keys))
	var asked []string
	var gets []hbase.Get
	for _, key := range keys {
		if _, known := exists[key]; !known {
			exists[key] = false
			asked, gets = append(asked, key), append(gets, o.ExistenceOf(key))
		}
	}
	cells, err := hbase.GetAll(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, key := range asked {
		if exists[key], err = o.Exists(key, cells[i]); err != nil {
			return nil, err
		}
	}
	return exists, nil
}
