package transfer

import (
	"context"
	"maps"
	"slices"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// broadcast says whether an author is a broadcaster, and the timestamp of what says so.
type broadcast struct {
	state     tables.Broadcast
	timestamp int64
}

func newBroadcasters(store hbase.Store) *lookup[broadcast] {
	return newLookup(store, tables.Broadcasters.Of, func(_ string, cells []hbase.Cell) (broadcast, bool, error) {
		state, stored, err := tables.Broadcasters.State(cells)
		return broadcast{state, rebuild.Youngest(cells)}, stored, err
	})
}

// pushed returns those of some authors whose twits are delivered to timelines: those who are no broadcasters.
func (im *importer) pushed(ctx context.Context, authors []string) ([]string, error) {
	if !im.blank { // broadcasters that the import makes are noted
		if err := im.broadcasters.find(ctx, authors); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(authors, func(author string) bool {
		b, _ := im.broadcasters.of(author)
		return b.state == tables.Merged
	}), nil
}

// fanOutToFollowers adds twits of these authors to the timelines of their followers.
func (im *importer) fanOutToFollowers(ctx context.Context, w *writes, byAuthor map[string][]tables.TwitKey) error {
	authors, err := im.pushed(ctx, slices.Sorted(maps.Keys(byAuthor)))
	if err != nil {
		return err
	}
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
				made, err := im.makeBroadcaster(ctx, w, author)
				if err != nil {
					return err
				}
				if made {
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

// makeBroadcaster makes a broadcaster of an author, unless there are as many as there may be.
func (im *importer) makeBroadcaster(ctx context.Context, w *writes, author string) (bool, error) {
	reserved, err := im.merging.reserve(ctx, im.store)
	if err != nil || !reserved {
		return false, err
	}
	b, _ := im.broadcasters.of(author)
	b = broadcast{tables.Merged, b.timestamp + 1}
	w.put(tables.Broadcasters.Put(author, b.state, b.timestamp))
	im.broadcasters.note(author, b)
	return true, nil
}

// merging is the number of broadcasters. It is safe for concurrent use.
type merging struct {
	mu    sync.Mutex
	known bool
	count int
}

// reserve reports whether one more author may become a broadcaster, and counts it.
func (m *merging) reserve(ctx context.Context, store hbase.Store) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.known {
		cells, err := hbase.GetAll(ctx, store, []hbase.Get{tables.Broadcasters.Get()})
		if err != nil {
			return false, err
		}
		broadcasters, err := tables.Broadcasters.Decode(cells[0])
		if err != nil {
			return false, err
		}
		m.known, m.count = true, len(broadcasters)
	}
	if !tables.RoomForBroadcasters(m.count) {
		return false, nil
	}
	m.count++
	return true, nil
}

// fanIn adds the twits of users who were followed to the timelines of their new followers.
func (im *importer) fanIn(ctx context.Context, w *writes, added []relation) error {
	if im.blank { // twits come after follows
		return nil
	}
	followers := map[string][]tables.Follow{}
	for _, r := range added {
		followers[r.b] = append(followers[r.b], tables.Follow{Username: r.a, At: r.at})
	}
	authors, err := im.pushed(ctx, slices.Sorted(maps.Keys(followers)))
	if err != nil {
		return err
	}
	return eachMember(ctx, im.store, tables.Twits, authors, func(author string, twits []*tables.Twit) error {
		for _, t := range twits {
			if err := im.fanOut(ctx, w, t.Key(), followers[author]); err != nil {
				return err
			}
		}
		return nil
	})
}

// fanOut adds a twit to the timelines of these. An entry has the timestamp of the follow that it is there for:
// docs/TABLES.md says why.
func (im *importer) fanOut(ctx context.Context, w *writes, twit tables.TwitKey, followers []tables.Follow) error {
	if len(followers) > 0 {
		if err := im.mark(ctx); err != nil {
			return err
		}
	}
	for _, f := range followers {
		im.timelines.add(f.Username)
		w.cell(tables.Timelines.Table, tables.Timelines.Row(f.Username, 0), tables.Timelines.Cell(twit, stamp(f.At)))
		if err := w.flushFull(ctx); err != nil {
			return err
		}
	}
	return nil
}

// importMarker is the row that says that an import adds entries to timelines, and has not trimmed them. It is safe
// for concurrent use.
type importMarker struct {
	mu        sync.Mutex
	on        bool
	timestamp int64
	// died is whether the marker is that of an import that died: nobody knows which timelines that touched.
	died bool
}

// mark writes the marker, once, before the first entry.
func (im *importer) mark(ctx context.Context) error {
	im.marker.mu.Lock()
	defer im.marker.mu.Unlock()
	if im.marker.on {
		return nil
	}
	return im.marker.write(ctx, im.store, true)
}

func (m *importMarker) write(ctx context.Context, store hbase.Store, on bool) error {
	if err := hbase.MutateAll(ctx, store, []hbase.Mutation{tables.Imports.PutMarker(on, m.timestamp+1)}); err != nil {
		return err
	}
	m.on, m.timestamp = on, m.timestamp+1
	return nil
}

// trimTimelines trims the timelines to which the import added entries, or all if one before it died.
func (im *importer) trimTimelines(ctx context.Context) error {
	if im.marker.died {
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
	if err := im.rebuilder.Timelines(ctx, im.timelines.sorted()); err != nil || !im.marker.on {
		return err
	}
	return im.marker.write(ctx, im.store, false)
}
