package transfer

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// list is safe for concurrent use.
type list struct {
	*tables.AnyList
	directories *lookup[[]tables.Bucket]
	touched     owners
	blank       bool // [importer.blank]: each list has one bucket until it is rebuilt

	mu      sync.Mutex
	lengths map[string]rebuild.Length // by owner, in a blank store
}

type lists map[*tables.AnyList]*list

func newLists(store hbase.Store, blank bool) lists {
	all := lists{}
	for _, l := range tables.Lists() {
		if l.Trimmed {
			continue
		}
		decode := func(owner string, cells []hbase.Cell) ([]tables.Bucket, bool, error) {
			directory, err := l.DecodeDirectory(owner, cells)
			return directory, len(directory) > 0, err
		}
		all[l] = &list{
			AnyList: l, blank: blank, lengths: map[string]rebuild.Length{},
			directories: newLookup(store, l.Directories, decode),
		}
	}
	return all
}

// touch records owners for the final rebuild, and reads their directories for row, put and remove.
func (l *list) touch(ctx context.Context, owners []string) error {
	if l.touched.add(owners...); l.blank {
		return nil
	}
	return l.directories.find(ctx, owners)
}

// touchCounted touches all lists with a length: an interrupted import may have changed any.
func (l *list) touchCounted(ctx context.Context, store hbase.Store) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: l.Owner.Table, Columns: l.Lengths("").Columns}) {
		if err != nil {
			return err
		}
		owner, err := tables.OwnerOf(row.Key)
		if err != nil {
			return err
		}
		l.touched.add(owner)
	}
	return nil
}

func (l *list) row(owner, position string) string {
	if l.blank {
		return l.Row(owner, 0)
	}
	directory, _ := l.directories.of(owner)
	return l.Row(owner, tables.BucketOf(directory, position))
}

func (l *list) get(owner, position string) hbase.Get {
	return hbase.Get{Table: l.Table, Row: l.row(owner, position), Columns: l.Family, Page: hbase.Exactly(position)}
}

func (l *list) put(w *writes, owner string, member hbase.Cell) {
	w.cell(l.Table, l.row(owner, member.Qualifier), member)
}

func (im *importer) remove(w *writes, l *list, owner string, member hbase.Cell) {
	if im.repaired { // a repair may have rewritten the member with a later timestamp
		member.Timestamp = time.Now().UnixMilli()
	}
	w.remove(l.Table, l.row(owner, member.Qualifier), member)
}

func (l *list) count(owner string, public bool) {
	if !l.blank {
		return
	}
	one := rebuild.Length{All: 1}
	if public {
		one.Public = 1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lengths[owner] = l.lengths[owner].Plus(one)
}

// rebuild rebuilds touched lists. If this import has counted a list's members, and they fit in one
// bucket, it writes only the length.
func (l *list) rebuild(ctx context.Context, s *rebuild.Rebuilder) error {
	maps.DeleteFunc(l.lengths, func(_ string, n rebuild.Length) bool { return n.All > s.ListBound })
	if err := s.Lengths(ctx, l.AnyList, l.lengths); err != nil {
		return err
	}
	return s.Lists(ctx, l.AnyList, slices.DeleteFunc(l.touched.sorted(), func(owner string) bool {
		_, counted := l.lengths[owner]
		return counted
	}))
}
