package transfer

import (
	"context"
	"sync"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// begin looks whether the store is blank. What an import writes is all that a blank store holds: it need not look there for what it knows.
func (im *importer) begin(ctx context.Context) error {
	im.blank = true
	for _, table := range tables.Definitions(1) {
		for _, err := range im.store.Scan(ctx, hbase.Scan{Table: table.Name, Limit: 1}) {
			if err != nil {
				return err
			}
			im.blank = false
		}
	}
	cells, err := settle.Read(ctx, im.store, []hbase.Get{tables.Imports.Get()})
	if err != nil {
		return err
	}
	im.repaired = tables.Imports.Repaired(cells[0])
	im.filling.on, im.filling.timestamp = tables.Imports.Filling(cells[0])
	im.filling.died = im.filling.on
	im.newFollows.blank, im.newRoles.blank, im.newPlays.blank = im.blank, im.blank, im.blank
	im.lists.begin(im.blank)
	return nil
}

// fresh knows of which rows there can't be anything in the store: it was blank, and the import has not come by them. It is
// safe for concurrent use.
type fresh struct {
	mu    sync.Mutex
	blank bool
	seen  map[uint64]struct{}
}

// maxSeen bounds what a fresh remembers, to some 100 MB.
const maxSeen = 4 << 20

// first reports whether nothing of that name can be stored. It may be false though nothing is: then one has to look.
func (f *fresh) first(name string) bool {
	if !f.blank {
		return false
	}
	hash := xxhash.Sum64String(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, again := f.seen[hash]; again || len(f.seen) == maxSeen {
		return false
	}
	if f.seen == nil {
		f.seen = map[uint64]struct{}{}
	}
	f.seen[hash] = struct{}{}
	return true
}
