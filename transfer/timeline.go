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

// merged reports whether readers take an author's twits from the author's own list. findBroadcasters looked that up.
func (im *importer) merged(author string) bool {
	b, _ := im.broadcasters.of(author)
	return b.state == tables.Merged
}

func (im *importer) findBroadcasters(ctx context.Context, authors []string) error {
	if im.blank { // Those that the import makes are noted.
		return nil
	}
	return im.broadcasters.find(ctx, authors)
}

// fanOutToFollowers brings twits of these authors into the timelines of their followers. Authors with too many become broadcasters instead.
func (im *importer) fanOutToFollowers(ctx context.Context, w *writes, byAuthor map[string][]tables.TwitKey) error {
	authors := slices.Sorted(maps.Keys(byAuthor))
	if err := im.findBroadcasters(ctx, authors); err != nil {
		return err
	}
	authors = slices.DeleteFunc(authors, im.merged)
	var author string
	var followers []tables.Follow
	merged := false // whether the author becomes a broadcaster
	spread := func() error {
		if merged {
			return im.broadcast(w, author)
		}
		for _, twit := range byAuthor[author] {
			if err := im.fanOut(ctx, w, twit, followers); err != nil {
				return err
			}
		}
		return nil
	}
	err := rebuild.Spans(ctx, im.store, &tables.Followers.AnyList, authors, func(span *rebuild.Span) error {
		if span.Owner != author {
			if err := spread(); err != nil {
				return err
			}
			author, followers, merged = span.Owner, nil, false
		}
		some, err := rebuild.Covered(tables.Followers, span)
		if err != nil || merged {
			return err
		}
		if followers = append(followers, some...); len(followers) > im.fanoutLimit {
			merged, err = im.merging.reserve(ctx, im.store)
		}
		return err
	})
	if err != nil {
		return err
	}
	return spread()
}

// merging is how many broadcasters there are. It is safe for concurrent use: batches are written side by side.
type merging struct {
	mu    sync.Mutex
	known bool
	are   int
}

// reserve reports whether one more may become a broadcaster, and counts it.
func (m *merging) reserve(ctx context.Context, store hbase.Store) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.known {
		cells, err := rebuild.Read(ctx, store, []hbase.Get{tables.Broadcasters.Get()})
		if err != nil {
			return false, err
		}
		are, err := tables.Broadcasters.Decode(cells[0])
		if err != nil {
			return false, err
		}
		m.known, m.are = true, len(are)
	}
	if !tables.RoomForBroadcasters(m.are) {
		return false, nil
	}
	m.are++
	return true, nil
}

// broadcast makes a broadcaster of an author.
func (im *importer) broadcast(w *writes, author string) error {
	b, _ := im.broadcasters.of(author)
	b = broadcast{tables.Merged, b.timestamp + 1}
	w.put(tables.Broadcasters.Put(author, b.state, b.timestamp))
	im.broadcasters.note(author, b)
	return nil
}

// fanIn writes the twits of users who were followed into the timelines of their new followers.
func (im *importer) fanIn(ctx context.Context, w *writes, added []relation) error {
	if im.blank { // Twits come after follows.
		return nil
	}
	followers := map[string][]tables.Follow{}
	for _, r := range added {
		followers[r.b] = append(followers[r.b], tables.Follow{Username: r.a, At: r.at})
	}
	followees := slices.Sorted(maps.Keys(followers))
	if err := im.hasTwits.find(ctx, followees); err != nil {
		return err
	}
	if err := im.findBroadcasters(ctx, followees); err != nil {
		return err
	}
	authors := slices.DeleteFunc(followees, func(name string) bool { return !im.hasTwits.has(name) || im.merged(name) })
	return rebuild.Spans(ctx, im.store, &tables.Twits.AnyList, authors, func(span *rebuild.Span) error {
		twits, err := rebuild.Covered(tables.Twits, span)
		if err != nil {
			return err
		}
		for _, t := range twits {
			if err := im.fanOut(ctx, w, t.Key(), followers[span.Owner]); err != nil {
				return err
			}
		}
		return nil
	})
}

// fanOut brings a twit into the timelines of these. An entry has the timestamp of the follow that it is there for: docs/TABLES.md says why.
func (im *importer) fanOut(ctx context.Context, w *writes, twit tables.TwitKey, followers []tables.Follow) error {
	if len(followers) > 0 {
		if err := im.fill(ctx); err != nil {
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
