package check

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// entry is where a member of a list should be.
type entry struct {
	list  *tables.AnyList
	owner string
	cell  hbase.Cell
	// find sets both: row is that of the bucket which covers the member, and found the column that is there, if any.
	row   string
	found *hbase.Cell
}

func (s *entry) of() listOf { return listOf{s.list, s.owner} }

// entryOf is where a member should be.
func entryOf[E any](l *tables.List[E], owner string, member E, timestamp int64) entry {
	return entry{list: &l.AnyList, owner: owner, cell: l.Cell(member, timestamp)}
}

// entryAt is a position of a list.
func entryAt(l *tables.AnyList, owner, position string) entry {
	return entry{list: l, owner: owner, cell: hbase.Cell{Family: l.Family, Qualifier: position}}
}

// find looks whether members are where they should be. It asks bucket 0 and the directories at once, since most lists have no other bucket.
func (r *run) find(ctx context.Context, entries []entry) error {
	directories := map[listOf]int{}
	var gets []hbase.Get
	for i := range entries {
		s := &entries[i]
		gets = append(gets, s.list.Get(s.owner, 0, hbase.Exactly(s.cell.Qualifier)))
	}
	for _, s := range entries {
		l := s.of()
		if _, asked := directories[l]; !asked {
			directories[l] = len(gets)
			gets = append(gets, s.list.Directories(s.owner))
		}
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	var further []int
	gets = nil
	for i := range entries {
		s := &entries[i]
		place, err := s.list.Place(s.owner, s.cell.Qualifier, cells[directories[s.of()]])
		if err != nil {
			return err
		}
		if s.row = s.list.Row(s.owner, place.Covering); place.Covering == 0 {
			s.found = first(cells[i])
			continue
		}
		further = append(further, i)
		gets = append(gets, s.list.Get(s.owner, place.Covering, hbase.Exactly(s.cell.Qualifier)))
	}
	if cells, err = rebuild.Read(ctx, r.Store, gets); err != nil {
		return err
	}
	for i, j := range further {
		entries[j].found = first(cells[i])
	}
	for i := range entries {
		if s := &entries[i]; s.found == nil {
			s.found = r.lacking[member{s.of(), s.cell.Qualifier}]
		}
	}
	return nil
}

func first(cells []hbase.Cell) *hbase.Cell {
	if len(cells) == 0 {
		return nil
	}
	return &cells[0]
}

// which returns which of these objects exist, by their keys.
func (r *run) which(ctx context.Context, o *tables.AnyObject, keys []string) (map[string]bool, error) {
	exists := make(map[string]bool, len(keys))
	var asked []string
	var gets []hbase.Get
	for _, key := range keys {
		if _, known := exists[key]; !known {
			exists[key] = false
			asked, gets = append(asked, key), append(gets, o.ExistenceOf(key))
		}
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
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
