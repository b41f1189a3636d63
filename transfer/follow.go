package transfer

import (
	"context"

	"twibase/hbase/tables"
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
		return follows.write(ctx, im, batch)
	})
}
