package transfer

import (
	"context"
	"sync"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// begin finds out whether the store is blank. All that a blank store holds in the end was written by this import, which need
// not read what it knows.
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
	cells, err := rebuild.Read(ctx, im.store, []hbase.Get{tables.Imports.Get()})
	if err != nil {
		return err
	}
	im.repaired = tables.Imports.Repaired(cells[0])
	im.marker.on, im.marker.timestamp = tables.Imports.Filling(cells[0])
	im.marker.died = im.marker.on
	im.newPlays.blank = im.blank
	for _, x := range im.relations {
		x.newKeys.blank = im.blank
	}
	im.lists.begin(im.blank)
	return nil
}

// newKeys knows keys of which the store has no row: it was blank, and the import has not met them before. It is safe for
// concurrent use.
type newKeys struct {
	mu    sync.Mutex
	blank bool
	seen  map[uint64]struct{}
}

// maxSeen bounds the memory of newKeys, to some 100 MB.
const maxSeen = 4 << 20

// first reports whether the store has no row of the key. If it returns false, there may or may not be one.
func (f *newKeys) first(key string) bool {
	if !f.blank {
		return false
	}
	hash := xxhash.Sum64String(key)
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
