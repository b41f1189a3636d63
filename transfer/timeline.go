package transfer

import (
	"context"
	"maps"
	"slices"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// broadcasters is safe for concurrent use after a call of load.
type broadcasters struct {
	mu     sync.Mutex
	states map[string]hbase.Cell
	count  int // of authors in other states than Pushed
}

func (b *broadcasters) load(cells []hbase.Cell) error {
	authors, err := tables.Broadcasters.Decode(cells)
	b.count, b.states = len(authors), map[string]hbase.Cell{}
	for _, c := range cells {
		b.states[c.Qualifier] = c
	}
	return err
}

func (b *broadcasters) merged(author string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return tables.Broadcast(b.states[author].Value) == tables.Merged
}

// add makes an author a broadcaster, unless there are too many.
func (b *broadcasters) add(author string) (put hbase.Put, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.states[author]
	switch state := tables.Broadcast(old.Value); state {
	case tables.Merged: // by a concurrent batch
		return tables.Broadcasters.Put(author, state, old.Timestamp), true
	case "", tables.Pushed:
		if !tables.RoomForBroadcasters(b.count) {
			return hbase.Put{}, false
		}
		b.count++
	}
	put = tables.Broadcasters.Put(author, tables.Merged, old.Timestamp+1)
	b.states[author] = put.Cells[0]
	return put, true
}

func (im *importer) fanOutToFollowers(ctx context.Context, w *writes, byAuthor map[string][]tables.TwitKey) error {
	authors := slices.DeleteFunc(slices.Sorted(maps.Keys(byAuthor)), im.broadcasters.merged)
	for some := range slices.Chunk(authors, ownersRead) {
		followers := map[string][]tables.Follow{}
		err := eachMember(ctx, im.store, tables.Followers, some, func(author string, more []tables.Follow) error {
			followers[author] = append(followers[author], more...)
			return nil
		})
		if err != nil {
			return err
		}
		for _, author := range some {
			if len(followers[author]) > im.fanoutLimit {
				if put, ok := im.broadcasters.add(author); ok {
					w.put(put)
					continue
				}
			}
			for _, twit := range byAuthor[author] {
				if err := im.fanOut(ctx, w, twit, followers[author]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (im *importer) fanIn(ctx context.Context, w *writes, added []relation) error {
	if im.blank { // follows are imported before twits, so the store has no twits yet
		return nil
	}
	followers := map[string][]tables.Follow{}
	for _, r := range added {
		followers[r.b] = append(followers[r.b], tables.Follow{Username: r.a, At: r.at})
	}
	authors := slices.DeleteFunc(slices.Sorted(maps.Keys(followers)), im.broadcasters.merged)
	return eachMember(ctx, im.store, tables.Twits, authors, func(author string, twits []*tables.Twit) error {
		for _, t := range twits {
			if err := im.fanOut(ctx, w, t.Key(), followers[author]); err != nil {
				return err
			}
		}
		return nil
	})
}

// fanOut may flush w.
func (im *importer) fanOut(ctx context.Context, w *writes, twit tables.TwitKey, followers []tables.Follow) error {
	for _, f := range followers {
		if err := im.ensureMarker(); err != nil {
			return err
		}
		im.timelines.add(f.Username)
		w.cell(tables.Timelines.Table, tables.Timelines.Row(f.Username, 0), tables.Timelines.Cell(twit, stamp(f.At)))
		if w.cells < maxCells {
			continue
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// mark stores whether timelines may have untrimmed entries of an import.
func (im *importer) mark(ctx context.Context, marked bool) error {
	im.marked = marked
	im.markerTimestamp++
	return hbase.MutateAll(ctx, im.store, []hbase.Mutation{tables.Imports.PutMarker(marked, im.markerTimestamp)})
}

func (im *importer) trimTimelines(ctx context.Context) error {
	if im.interrupted {
		for row, err := range im.store.Scan(ctx, tables.Timelines.Rows()) {
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
	if err := im.rebuilder.Timelines(ctx, im.timelines.sorted()); err != nil || !im.marked {
		return err
	}
	return im.mark(ctx, false)
}
