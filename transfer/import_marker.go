package transfer

import (
	"context"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// importMarker is the store's note that an import brings entries into timelines and has not cut them. It is safe for concurrent use.
type importMarker struct {
	mu        sync.Mutex
	on        bool
	timestamp int64
	// died is whether the note is that of an import that died: nobody knows which timelines it filled.
	died bool
}

// fill makes the note, once, before the first entry.
func (im *importer) fill(ctx context.Context) error {
	im.marker.mu.Lock()
	defer im.marker.mu.Unlock()
	if im.marker.on {
		return nil
	}
	return im.note(ctx, true)
}

func (im *importer) note(ctx context.Context, on bool) error {
	f := &im.marker
	if err := rebuild.Write(ctx, im.store, []hbase.Mutation{tables.Imports.PutFilling(on, f.timestamp+1)}); err != nil {
		return err
	}
	f.on, f.timestamp = on, f.timestamp+1
	return nil
}

// cutTimelines cuts those that the import filled, or all if one before it died.
func (im *importer) cutTimelines(ctx context.Context) error {
	if im.marker.died {
		scan := hbase.Scan{Table: tables.Timelines.Table, Columns: tables.Timelines.Family, Page: hbase.Page{Limit: 1}}
		for row, err := range im.store.Scan(ctx, scan) {
			if err != nil {
				return err
			}
			owner, _, err := tables.Timelines.OwnerOf(row.Key)
			if err != nil {
				return err
			}
			im.timelines.add(owner)
		}
	}
	if err := im.rebuilder.Timelines(ctx, im.timelines.sorted()); err != nil || !im.marker.on {
		return err
	}
	return im.note(ctx, false)
}
