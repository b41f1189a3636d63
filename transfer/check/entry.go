package check

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// entry is a member of a list, expected or stored.
type entry struct {
	list   *tables.AnyList
	owner  string
	cell   hbase.Cell
	source string // the table of the source
	why    string // the reason in the violation

	// find sets the covering bucket's row, and the stored cell, if any.
	row   string
	found *hbase.Cell
}

func (e entry) of() listOf { return listOf{e.list, e.owner} }

func entryOf[E any](l *tables.List[E], owner string, member E, timestamp int64, source, why string) entry {
	return entry{list: &l.AnyList, owner: owner, cell: l.Cell(member, timestamp), source: source, why: why}
}

func entryAt(l *tables.AnyList, owner, position string) entry {
	return entry{list: l, owner: owner, cell: hbase.Cell{Family: l.Family, Qualifier: position}}
}

func (e entry) get() hbase.Get {
	return hbase.Get{Table: e.list.Table, Row: e.row, Columns: e.list.Family, Page: hbase.Exactly(e.cell.Qualifier)}
}

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
			continue
		}
		isNew := r.compareColumn(e.get(), e.found, e.cell, "as in "+e.source)
		if isNew && slices.Contains(public, true) && !isPublic(e.of(), e.cell) {
			r.unpublish(e.of())
		}
	}
	return nil
}

func (r *run) missing(e entry) {
	column := columnOf(e.list.Table, e.row, e.cell)
	isNew := r.report(column, absent, present, e.why, hbase.PutCells(e.list.Table, e.row, e.cell))
	if isNew && !r.repair {
		r.addToLength(e.of(), e.cell, 1)
		if r.lacking[e.of()] == nil {
			r.lacking[e.of()] = map[string]*hbase.Cell{}
		}
		r.lacking[e.of()][e.cell.Qualifier] = &e.cell
	}
}

// addToLength records that a repair would add n members with the visibility of c.
func (r *run) addToLength(l listOf, c hbase.Cell, n int) {
	if r.repair { // the list itself changes
		return
	}
	diff := rebuild.Length{All: n}
	if isPublic(l, c) {
		diff.Public = n
	}
	r.lengthDiff[l] = r.lengthDiff[l].Plus(diff)
}

// unpublish records that a repair would restrict a public member to followers.
func (r *run) unpublish(l listOf) {
	if !r.repair {
		r.lengthDiff[l] = r.lengthDiff[l].Plus(rebuild.Length{Public: -1})
	}
}

func isPublic(l listOf, c hbase.Cell) bool {
	public, _ := l.Public(l.owner, []hbase.Cell{c})
	return slices.Contains(public, true)
}

// find also finds members that a repair would have written.
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
