package resolvers

import (
	"context"

	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

var (
	subscriptionFollowerChanged subscriptionField

	followerChangeFollower = reference[tables.FollowerChange, tables.User]{
		loaders.Users, false, func(c *tables.FollowerChange) *string { return &c.Follower },
	}
	followerChangeViewer = payloadViewer[tables.FollowerChange]{}
	followerChangeCursor = cursorOf[tables.FollowerChange]{
		relay.CursorsOf(loaders.FollowerChanges.Kind()), (*tables.FollowerChange).Position,
	}
)

func (r *subscriptionResolver) FollowerChanged(
	ctx context.Context, after *string,
) (<-chan *tables.FollowerChange, error) {
	viewer, err := authorizeNow(r.WithLoaders(ctx), permission.SeeFollowers, permission.Target{})
	if err != nil {
		return nil, err
	}
	since, err := followerChangeCursor.after(viewer, after)
	if err != nil {
		return nil, err
	}
	return subscribe(ctx, r, changeEvents, viewer, since)
}

var changeEntries = entries[tables.FollowerChange]{list: loaders.FollowerChanges}

// visibleChanges shows all changes if the viewer still exists, even those that the deletion of a
// follower caused.
func visibleChanges(ctx context.Context, all []live.Candidate) ([]*tables.FollowerChange, error) {
	awaitViewers := loaders.Users.Exists.Enqueue(ctx, ownersOf(all))
	changes, err := entriesOf(ctx, all, changeEntries, entryOfOwner)
	exist, existErr := awaitViewers()
	hide(changes, exist)
	return changes, loaders.Join(len(all), err, existErr)
}
