package feeds

import (
	"context"

	"twibase/hbase/tables"
)

// posted brings a twit into the timelines of its author's followers, unless readers take it from the author's own list.
func (e *job) posted(ctx context.Context) error {
	twit := tables.TwitKey{Author: e.Author, Position: e.Position}
	_, name, err := twit.Parts()
	if err != nil {
		return err
	}
	way := walkAfter(e.Feeds, tables.Followers, e.Author, e.hold.Cursor)
	gets := append(way.gets(e.o.Chunk), tables.Broadcasters.Of(e.Author), tables.Followers.Length(e.Author), tables.TwitNames.Get(name))
	for {
		// The state is read after the twit is in the author's list: whoever ends the merging says so first and reads the list then.
		cells, err := e.read(ctx, gets...)
		if err != nil {
			return err
		}
		_, gone, _, err := tables.TwitNames.Decode(cells[4])
		if err != nil {
			return err
		}
		s, err := e.state(ctx, cells[2], cells[3])
		if err != nil {
			return err
		}
		switch {
		case s.state == tables.Merged && e.few(s.followers), s.orphaned:
			if _, err := e.unmerge(ctx, s); err != nil || !s.orphaned || gone {
				return err
			}
		case s.state == tables.Merged, gone:
			return nil
		case s.state == tables.Pushed && s.followers > e.o.Limit:
			room, err := e.room(ctx)
			if err != nil {
				return err
			}
			if room {
				// The followers, and the author, may have gone since: they found no broadcaster.
				if _, err := e.change(ctx, s, tables.Merged); err != nil {
					return err
				}
				continue
			}
		}
		members, positions, err := way.take(ctx, cells[:2], e.o.Chunk)
		if err == nil && len(members) == 0 {
			members, positions, err = way.next(ctx, e.o.Chunk)
		}
		if err == nil {
			err = e.bring(ctx, e.course(members, positions, []tables.TwitKey{twit}, way))
		}
		return err
	}
}

// newest returns the author's newest twits.
func (e *job) newest(ctx context.Context, n int) (keys []tables.TwitKey, err error) {
	way := walkAfter(e.Feeds, tables.Twits, e.Author, "")
	for len(keys) < n {
		twits, _, err := way.next(ctx, min(e.o.Chunk, n-len(keys)))
		if err != nil || len(twits) == 0 {
			return keys, err
		}
		for _, t := range twits {
			keys = append(keys, t.Key())
		}
	}
	return keys, nil
}
