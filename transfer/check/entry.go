package check

import (
	"context"
	"slices"

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

func (e entry) of() listOf { return listOf{e.list, e.owner} }

// entryOf is a member that follows from a source.
func entryOf[E any](l *tables.List[E], owner string, member E, timestamp int64, source, why string) entry {
	return entry{list: &l.AnyList, owner: owner, cell: l.Cell(member, timestamp), source: source, why: why}
}

// entryAt is a position of a list.
func entryAt(l *tables.AnyList, owner, position string) entry {
	return entry{list: l, owner: owner, cell: hbase.Cell{Family: l.Family, Qualifier: position}}
}

// get reads the column of the entry.
func (e entry) get() hbase.Get {
	return hbase.Get{Table: e.list.Table, Row: e.row, Columns: e.list.Family, Page: hbase.Exactly(e.cell.Qualifier)}
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
		public, err := e.list.Public(e.owner, []hbase.Cell{*e.found})
		if err != nil && r.damaged[e.of()] {
			continue // reported before
		}
		isNew := r.compareColumn(e.get(), e.found, e.cell, e.source+" says so")
		if isNew && slices.Contains(public, true) && !isPublic(e.of(), e.cell) {
			r.unpublish(e.of())
		}
	}
	return nil
}

// missing reports an entry that a list lacks.
func (r *run) missing(e entry) {
	isNew := r.report(columnOf(e.list.Table, e.row, e.cell), absent, there, e.why,
		hbase.Put{Table: e.list.Table, Row: e.row, Cells: []hbase.Cell{e.cell}})
	if isNew && !r.repair {
		r.grow(e.of(), e.cell, 1)
		if r.lacking[e.of()] == nil {
			r.lacking[e.of()] = map[string]*hbase.Cell{}
		}
		r.lacking[e.of()][e.cell.Qualifier] = &e.cell
	}
}

// grow notes, while nothing is repaired, that a list should have one member more, or fewer if more is -1.
func (r *run) grow(l listOf, c hbase.Cell, more int) {
	if r.repair {
		return
	}
	off := r.off[l]
	off.All += more
	if isPublic(l, c) {
		off.Public += more
	}
	r.off[l] = off
}

// unpublish notes, while nothing is repaired, that a member should be for followers only.
func (r *run) unpublish(l listOf) {
	if !r.repair {
		r.off[l] = r.off[l].Plus(rebuild.Length{Public: -1})
	}
}

// isPublic reports whether everybody may see a member, false if it can't be read.
func isPublic(l listOf, c hbase.Cell) bool {
	public, _ := l.Public(l.owner, []hbase.Cell{c})
	return slices.Contains(public, true)
}

// find looks for entries, also for those that a repair would have written.
func (r *run) find(ctx context.Context, entries []entry) error {
	var lists []listOf
	directories := map[listOf][]tables.Bucket{}
	for _, e := range entries {
		if _, asked := directories[e.of()]; !asked {
			directories[e.of()], lists = nil, append(lists, e.of())
		}
	}
	cells, err := hbase.GetEach(ctx, r.Store, lists, func(l listOf) hbase.Get { return l.Directories(l.owner) })
	if err != nil {
		return err
	}
	for i, l := range lists {
		if directories[l], err = l.DecodeDirectory(l.owner, cells[i]); err != nil {
			return err
		}
	}
	for i := range entries {
		e := &entries[i]
		e.row = e.list.Row(e.owner, tables.BucketOf(directories[e.of()], e.cell.Qualifier))
	}
	cells, err = hbase.GetEach(ctx, r.Store, entries, entry.get)
	for i, found := range cells {
		e := &entries[i]
		if e.found = r.lacking[e.of()][e.cell.Qualifier]; len(found) > 0 {
			e.found = &found[0]
		}
	}
	return err
}

// existing returns which of these objects exist, by their keys.
func (r *run) existing(ctx context.Context, o *tables.AnyObject, keys []string) (map[string]bool, error) {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	cells, err := hbase.GetEach(ctx, r.Store, keys, o.ExistenceOf)
	if err != nil {
		return nil, err
	}
	exists := make(map[string]bool, len(keys))
	for i, key := range keys {
		if exists[key], err = o.Exists(key, cells[i]); err != nil {
			return nil, err
		}
	}
	return exists, nil
}
