package writers

import (
	"context"

	"twibase/hbase/tables"
)

// Follow makes one user follow another. If they do already, nothing happens. The error may be
// UserErrors.
func (w *Writers) Follow(ctx context.Context, follower, username string) error {
	var in input
	username = in.username("username", username)
	if follower == username {
		in.bad("username", "nobody can follow themselves")
	}
	return w.relate(ctx, &in, tables.Follows, follower, username)
}

// Unfollow ends what Follow began. If there is nothing to end, nothing happens. The error may be
// UserErrors.
func (w *Writers) Unfollow(ctx context.Context, follower, username string) error {
	var in input
	username = in.username("username", username)
	return w.unrelate(ctx, &in, tables.Follows, follower, username)
}
