package resolvers

import (
	"cmp"
	"context"

	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

var (
	subscriptionTwitDeleted subscriptionField

	twitDeletionAuthor = reference[tables.TwitDeletion, tables.User]{
		loaders.Users, false, func(d *tables.TwitDeletion) *string { return &d.Twit.Author },
	}
	twitDeletionCursor = cursorOf[tables.TwitDeletion]{
		relay.CursorsOf(loaders.TwitDeletions.Kind()), (*tables.TwitDeletion).Position,
	}
)

type cursorOf[T any] struct {
	cursors  relay.Cursors
	position func(*T) string
}

func (c cursorOf[T]) resolve(_ context.Context, events []*T) ([]string, error) {
	return keysOf(events, func(event *T) string { return c.cursors.Encode(c.position(event)) }), nil
}

func (cursorOf[T]) cost(*costCall) error { return nil }

func (c cursorOf[T]) after(owner string, cursor *string) (*live.Key, error) {
	if cursor == nil {
		return nil, nil
	}
	position, err := c.cursors.Decode(*cursor)
	return &live.Key{Owner: owner, Position: position}, err
}

func (r *subscriptionResolver) TwitDeleted(
	ctx context.Context, username string, after *string,
) (<-chan *tables.TwitDeletion, error) {
	since, err := twitDeletionCursor.after(username, after)
	if err != nil {
		return nil, err
	}
	if tables.CheckUsername(username) != nil {
		username = noOwner
	}
	return subscribe(ctx, r, deletionEvents, username, since)
}

var deletionEntries = entries[tables.TwitDeletion]{list: loaders.TwitDeletions}

// visibleDeletions applies the rules of docs/SUBSCRIPTIONS.md. They exist because a deletion
// discloses the name and the time of the twit. A follow that begins at most [live.MaxClockSkew]
// after the deletion counts as earlier.
func visibleDeletions(ctx context.Context, all []live.Candidate) ([]*tables.TwitDeletion, error) {
	deletions, readErr := entriesOf(ctx, all, deletionEntries, entryOfOwner)
	verdicts := make([]permission.Verdict, len(all))
	names := ownersOf(all)
	for i, c := range all {
		if d := deletions[i]; d != nil {
			verdicts[i] = accessOf(c.Subscriber).twit(&tables.Twit{AuthorName: c.Owner, Visibility: d.Visibility})
		}
	}
	var follows []loaders.EdgeKey
	var following []int
	for i, v := range verdicts {
		if viewer := accessOf(all[i].Subscriber).viewer.Username; v.IfFollows != "" {
			follows, following = append(follows, loaders.FollowKey(viewer, v.IfFollows)), append(following, i)
			names = append(names, viewer)
			verdicts[i].IfFollows = ""
		}
	}
	awaitExist, awaitSince := loaders.Users.Exists.Enqueue(ctx, names), loaders.RelatedAt.Enqueue(ctx, follows)
	may, mayErr := allowed(ctx, len(all), func(i int) (string, permission.Verdict) {
		return accessOf(all[i].Subscriber).viewer.Username, verdicts[i]
	})
	exist, existErr := awaitExist()
	since, sinceErr := awaitSince()
	errs := make(loaders.Errors, len(all))
	for j, i := range following {
		if at := since[j]; at != nil && !at.After(deletions[i].At.Add(live.MaxClockSkew)) {
			may[i] = may[i] || exist[len(all)+j]
		}
		errs[i] = cmp.Or(loaders.At(sinceErr, j), loaders.At(existErr, len(all)+j))
	}
	for i := range all {
		may[i] = may[i] && exist[i]
		errs[i] = cmp.Or(errs[i], loaders.At(existErr, i))
	}
	hide(deletions, may)
	return deletions, loaders.Join(len(all), readErr, mayErr, errs)
}
