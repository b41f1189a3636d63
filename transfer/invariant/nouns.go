package invariant

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// objects notes all objects, and how long they say that their lists are.
func (c *check) objects(ctx context.Context) error {
	for u, err := range settle.Objects(ctx, c.store, tables.Users, "followerCount", "followingCount") {
		if err != nil {
			return err
		}
		c.known[thing{tables.Users.Table, u.Key}] = true
		length(c, tables.Followers, u.Key, u.Value.FollowerCount)
		length(c, tables.Following, u.Key, u.Value.FollowingCount)
	}
	return nil
}

// relations notes which lists should have which members, and that what is related exists.
func (c *check) relations(ctx context.Context) error {
	for row, err := range c.store.Scan(ctx, hbase.Scan{Table: tables.Follows.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		a, b, err := tables.Follows.Ends(row.Key)
		if err != nil {
			return err
		}
		related, at, err := tables.Follows.Decode(row.Cells)
		if err != nil || !related {
			if err != nil {
				return err
			}
			continue
		}
		for _, name := range []string{a, b} {
			if !c.known[thing{tables.Users.Table, name}] {
				c.breach("follow", a+" → "+b, "there is no user %q", name)
			}
		}
		expect(c, tables.Following, a, tables.Follow{Username: b, At: at})
		expect(c, tables.Followers, b, tables.Follow{Username: a, At: at})
	}
	return nil
}

// members notes what lists have.
func (c *check) members(ctx context.Context) error {
	if err := have(ctx, c, tables.Following); err != nil {
		return err
	}
	return have(ctx, c, tables.Followers)
}

// intents reports the writes that nobody has finished.
func (c *check) intents(ctx context.Context) error {
	for row, err := range c.store.Scan(ctx, hbase.Scan{Table: tables.Intents.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		i, ok, err := tables.Intents.Decode(row.Key, row.Cells)
		if err != nil {
			return err
		}
		if ok {
			c.breach("intent", i.ID, "a %s is not finished: sweep first", i.Kind)
		} else {
			c.breach("intent", row.Key, "its row has cells left over")
		}
	}
	return nil
}
