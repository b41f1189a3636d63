package transfer

import (
	"context"
	"maps"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
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
	var followers []tables.Follow // up to one more than the limit, if the author may become a broadcaster
	room, err := im.room(ctx)
	if err != nil {
		return err
	}
	spread := func() error {
		if room && len(followers) > im.fanoutLimit {
			im.merging++
			return im.broadcast(w, author)
		}
		for _, twit := range byAuthor[author] {
			if err := im.fanOut(ctx, w, twit, followers); err != nil {
				return err
			}
		}
		return nil
	}
	err = settle.Spans(ctx, im.store, tables.Followers, authors, func(span *settle.Span[tables.Follow]) error {
		if span.Owner != author {
			if err := spread(); err != nil {
				return err
			}
			author, followers, room = span.Owner, nil, tables.RoomForBroadcasters(im.merging)
		}
		some, err := covered(span)
		if room {
			some = some[:min(len(some), im.fanoutLimit+1-len(followers))]
		}
		followers = append(followers, some...)
		return err
	})
	if err != nil {
		return err
	}
	return spread()
}

// room reports whether anybody may become a broadcaster.
func (im *importer) room(ctx context.Context) (bool, error) {
	if im.merging < 0 {
		cells, err := settle.Read(ctx, im.store, []hbase.Get{tables.Broadcasters.Get()})
		if err != nil {
			return false, err
		}
		are, err := tables.Broadcasters.Decode(cells[0])
		if err != nil {
			return false, err
		}
		im.merging = len(are)
	}
	return tables.RoomForBroadcasters(im.merging), nil
}

// broadcast makes a broadcaster of an author.
func (im *importer) broadcast(w *writes, author string) error {
	b, _ := im.broadcasters.of(author)
	b = broadcast{tables.Merged, b.timestamp + 1}
	w.put(tables.Broadcasters.Put(author, b.state, b.timestamp))
	im.broadcasters.note(author, b)
	return nil
}

// fanIn brings the twits that those who are newly followed have posted already into the timelines of their new followers.
func (im *importer) fanIn(ctx context.Context, w *writes, fresh []relation) error {
	if im.blank { // Twits come after follows.
		return nil
	}
	followers := map[string][]tables.Follow{}
	for _, r := range fresh {
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
	return settle.Spans(ctx, im.store, tables.Twits, authors, func(span *settle.Span[*tables.Twit]) error {
		twits, err := covered(span)
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
	for _, f := range followers {
		im.timelines.add(f.Username)
		w.cell(tables.Timelines.Table, tables.Timelines.Row(f.Username, 0), tables.Timelines.Cell(twit, stamp(f.At)))
		if err := w.flushFull(ctx); err != nil {
			return err
		}
	}
	return nil
}
