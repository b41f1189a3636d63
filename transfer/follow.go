package transfer

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

func parseFollow(r *row) relation {
	f := relation{r.username("follower"), r.username("followee"), tables.Unknown}
	if r.has("followed_at") {
		f.at = r.time("followed_at")
	}
	if f.a == f.b {
		r.fail("followee", "%q can't follow themselves", f.a)
	}
	return f
}

func (im *importer) importFollows(ctx context.Context) error {
	follows := &relations{
		edge:  tables.Follows,
		fresh: &im.newFollows,
		touch: func(ctx context.Context, followers, followees []string) error {
			if err := im.following.touch(ctx, followers); err != nil {
				return err
			}
			return im.followers.touch(ctx, followees)
		},
		put: func(w *writes, r relation, timestamp int64) {
			im.following.put(w, r.a, tables.Follow{Username: r.b, At: r.at}, timestamp)
			im.followers.put(w, r.b, tables.Follow{Username: r.a, At: r.at}, timestamp)
		},
		count: func(r relation) {
			im.following.count(r.a, tables.Follow{})
			im.followers.count(r.b, tables.Follow{})
		},
		remove: func(w *writes, r relation, timestamp int64) {
			im.following.remove(w, r.a, tables.Follow{Username: r.b, At: r.at}, timestamp)
			im.followers.remove(w, r.b, tables.Follow{Username: r.a, At: r.at}, timestamp)
		},
		before: im.fanIn,
	}
	return pipe(ctx, im, "follows", parseFollow, relation.key, func(ctx context.Context, batch []item[relation]) error {
		batch, err := known(ctx, im, batch,
			name[relation]{"follower", "user", im.users, func(r relation) string { return r.a }},
			name[relation]{"followee", "user", im.users, func(r relation) string { return r.b }})
		if err != nil {
			return err
		}
		return follows.write(ctx, im.store, batch)
	})
}

// fanIn brings the twits that those who are newly followed have posted already into the timelines of their new followers.
func (im *importer) fanIn(ctx context.Context, w *writes, fresh []relation) error {
	if im.blank { // Twits come after follows.
		return nil
	}
	followers := map[string][]string{}
	var followees []string
	for _, r := range fresh {
		if followers[r.b] == nil {
			followees = append(followees, r.b)
		}
		followers[r.b] = append(followers[r.b], r.a)
	}
	if err := im.hasTwits.find(ctx, followees); err != nil {
		return err
	}
	authors := followees[:0]
	for _, name := range followees {
		if im.hasTwits.has(name) {
			authors = append(authors, name)
		}
	}
	return settle.Spans(ctx, im.store, tables.Twits, authors, func(span *settle.Span[*tables.Twit]) error {
		twits, err := covered(span)
		if err != nil {
			return err
		}
		for _, t := range twits {
			if err := im.fanOut(ctx, w, entry(t), followers[span.Owner]); err != nil {
				return err
			}
		}
		return nil
	})
}

// entry is what the timelines say of a twit.
func entry(t *tables.Twit) hbase.Cell { return tables.Timelines.Cell(t.Key(), stamp(t.PostedAt)) }

// fanOut brings an entry into the timelines of these.
func (im *importer) fanOut(ctx context.Context, w *writes, entry hbase.Cell, usernames []string) error {
	im.timelines.add(usernames...)
	for _, username := range usernames {
		w.cell(tables.Timelines.Table, tables.Timelines.Row(username, 0), entry)
		if err := w.flushFull(ctx); err != nil {
			return err
		}
	}
	return nil
}
