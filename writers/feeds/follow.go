package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (f *fanout) followed(ctx context.Context) error {
	cells, err := f.read(ctx, tables.Follows.Get(f.Follower, f.Author), tables.Broadcasters.Of(f.Author))
	if err != nil {
		return err
	}
	related, since, err := tables.Follows.Decode(cells[0])
	if err != nil || !related || since.UnixMilli() != f.At {
		return err
	}
	state, _, err := tables.Broadcasters.State(cells[1])
	if err != nil || state == tables.Merged {
		return err
	}
	twits, err := f.newestTwits(ctx)
	if err != nil {
		return err
	}
	return f.deliver(ctx, []tables.Follow{{Username: f.Follower, At: since}}, &twits)
}

// unfollowed also ends the merged state of an author without followers.
func (f *fanout) unfollowed(ctx context.Context) error {
	if err := f.renew(ctx); err != nil {
		return err
	}
	if err := f.removeAuthor(ctx); err != nil {
		return err
	}
	s, err := f.readAuthorState(ctx)
	if err != nil || s.state != tables.Merged || s.followers > 0 {
		return err
	}
	_, err = f.startLeaving(ctx, s)
	return err
}

// removeAuthor keeps the entries of a later follow.
func (f *fanout) removeAuthor(ctx context.Context) error {
	read := func(get hbase.Get) ([]hbase.Cell, error) { return hbase.GetOne(ctx, f.store, get) }
	timeline := tables.Timelines.Get(f.Follower, 0, hbase.Page{Limit: f.o.BatchSize})
	for cells, err := range hbase.ColumnPages(timeline, read) {
		if err != nil {
			return err
		}
		var entries []hbase.Cell
		for _, c := range cells {
			twit, err := tables.EntryOf(c.Qualifier)
			if err == nil && twit.Author == f.Author && c.Timestamp <= f.At {
				c.Timestamp = f.At
				entries = append(entries, c)
			}
		}
		if len(entries) > 0 {
			if err := f.write(ctx, deleteFrom(f.Follower, entries)); err != nil {
				return err
			}
		}
	}
	return nil
}
