package writers

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// followArgs are those of a follow and of an unfollow.
type followArgs struct {
	Follower, Followed string
	// Since is when an unfollow's follow began, in milliseconds: decide completes it.
	Since int64 `json:",omitempty"`
	// Left is whether the follower of an unfollow is being deleted, and the timeline with them.
	Left bool `json:",omitempty"`
}

func (a followArgs) edge() hbase.Get { return tables.Follows.Get(a.Follower, a.Followed) }

// follow makes the edge be there, then both lists and counts. Whoever is deleted meanwhile is not followed after all.
var follow = register(kind[followArgs]{
	name: "follow",
	row:  followArgs.edge,
	reads: func(a followArgs) []hbase.Get {
		return []hbase.Get{tables.Users.Get(a.Follower, tables.Existence), tables.Users.Get(a.Followed, tables.Existence)}
	},
	decide: func(a *followArgs, r *reading) ([]hbase.Cell, error) {
		if err := existing(tables.Users, a.Follower, r.cells[0], ""); err != nil {
			return nil, err
		}
		if err := existing(tables.Users, a.Followed, r.cells[1], "username"); err != nil {
			return nil, err
		}
		related, _, err := tables.Follows.Decode(r.row)
		if err != nil || related {
			return nil, orNothing(err)
		}
		return tables.Follows.Put(a.Follower, a.Followed, true, millis(r.at), r.at).Cells, nil
	},
	plan: func(a followArgs, o op) plan {
		since := millis(o.at)
		undo := demand{"unfollow", &followArgs{Follower: a.Follower, Followed: a.Followed}}
		return plan{now: []stage{
			{
				add(tables.Following, a.Follower, tables.Follow{Username: a.Followed, At: since}, o.at),
				add(tables.Followers, a.Followed, tables.Follow{Username: a.Follower, At: since}, o.at),
				countOf(tables.Following, a.Follower, 1),
				countOf(tables.Followers, a.Followed, 1),
			},
			{unless(undo, end(tables.Users, a.Follower), end(tables.Users, a.Followed))},
		}, later: []stage{{job{tables.Job{ID: o.id, Kind: tables.Followed, At: o.at, Author: a.Followed, Follower: a.Follower}}}}}
	},
})

// unfollow makes the edge say that it is gone, then both lists and counts.
var unfollow = register(kind[followArgs]{
	name: "unfollow",
	row:  followArgs.edge,
	decide: func(a *followArgs, r *reading) ([]hbase.Cell, error) {
		related, since, err := tables.Follows.Decode(r.row)
		if err != nil || !related {
			return nil, orNothing(err)
		}
		a.Since = since.UnixMilli()
		return tables.Follows.Put(a.Follower, a.Followed, false, since, r.at).Cells, nil
	},
	plan: func(a followArgs, o op) plan {
		since := millis(a.Since)
		p := plan{now: []stage{{
			remove(tables.Following, a.Follower, tables.Follow{Username: a.Followed, At: since}, o.at),
			remove(tables.Followers, a.Followed, tables.Follow{Username: a.Follower, At: since}, o.at),
			countOf(tables.Following, a.Follower, -1),
			countOf(tables.Followers, a.Followed, -1),
		}}}
		if !a.Left {
			p.later = []stage{{job{tables.Job{ID: o.id, Kind: tables.Unfollowed, At: o.at, Author: a.Followed, Follower: a.Follower}}}}
		}
		return p
	},
})

// Follow makes one user follow another; if they do already, nothing happens. It may be refused with Problems.
func (w *Writers) Follow(ctx context.Context, follower, username string) error {
	var in input
	username = in.username("username", username)
	if follower == username {
		in.bad("username", "nobody can follow themselves")
	}
	if err := in.err(); err != nil {
		return err
	}
	_, err := do(ctx, w, follow, &followArgs{Follower: follower, Followed: username})
	return err
}

// Unfollow ends what Follow began; if there is nothing to end, nothing happens.
func (w *Writers) Unfollow(ctx context.Context, follower, username string) error {
	var in input
	username = in.username("username", username)
	if err := in.err(); err != nil {
		return err
	}
	_, err := do(ctx, w, unfollow, &followArgs{Follower: follower, Followed: username})
	return err
}

func millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
