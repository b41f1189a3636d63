package resolvers

import (
	"cmp"
	"context"
	"fmt"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

type timelineConnection struct {
	filteredConnection[tables.User, tables.Twit, model.TwitConnection]
}

func (t timelineConnection) resolve(
	ctx context.Context, users []*tables.User, args pageArgs,
) ([]*model.TwitConnection, error) {
	usernames := usernames(users)
	r, err := args.request(ctx, relay.CursorsOf(t.list))
	if err != nil {
		return nil, err
	}
	own, ownErr := allowedByOwner(ctx, permission.SeeTimeline, usernames)
	var owners []string
	var indexes []int
	for i, username := range usernames {
		if own[i] {
			owners, indexes = append(owners, username), append(indexes, i)
		}
	}
	found := newPages[struct{}, tables.Twit](len(owners), &r)
	err = t.read(ctx, &r, owners, found)
	pages, errs := make([]*page[struct{}, tables.Twit], len(usernames)), make(loaders.Errors, len(usernames))
	scatter(pages, errs, indexes, found, err)
	return convert(pages, loaders.Join(len(usernames), ownErr, errs), t.as)
}

func (t timelineConnection) cost(call *costCall) error {
	requests, err := call.requests(relay.CursorsOf(t.list))
	if err != nil {
		return err
	}
	at := call.adminCost(call.Begin(), ifOtherUser)
	if accessOf(call.Ctx).known && requests[0].entries {
		t.costFrom(call, requests, at)
	}
	return nil
}

// timelineSource merges the delivered twits with the twits of the broadcasters that the owner
// follows, in three rounds, or more if lists are split:
//
//  1. the timelines, and the names of all broadcasters
//  2. the delivered twits, and which broadcasters the owners follow
//  3. the twits of these broadcasters, if any
type timelineSource struct{}

func (timelineSource) read(ctx context.Context, pageKeys []loaders.PageKey) ([]candidates[tables.Twit], error) {
	awaitBroadcasters := loaders.Broadcasters.Enqueue(ctx, []struct{}{{}})
	timelines, timelineErr := loaders.Timelines.Page(ctx, pageKeys)
	broadcasters, err := awaitBroadcasters()
	if err != nil {
		return make([]candidates[tables.Twit], len(pageKeys)), loaders.At(err, 0)
	}
	awaitFollowed := enqueueFollowed(ctx, pageKeys, broadcasters[0])
	delivered, deliveredErr := readDelivered(ctx, pageKeys, timelines, timelineErr)
	followed, followedErr := awaitFollowed()
	posts, postsErr := readPosts(ctx, pageKeys, followed)
	for i, parts := range posts {
		if len(parts) > 0 {
			delivered[i] = merge(*pageKeys[i].Range, append(parts, delivered[i]))
		}
	}
	return delivered, loaders.Join(len(pageKeys), deliveredErr, followedErr, postsErr)
}

func (timelineSource) cost(call *costCall, at explain.Stage, l candidateRead) explain.Stage {
	if l.first() {
		call.read(at, call.Shared(), loaders.Broadcasters.Shape(struct{}{}))
	}
	own := l.Range
	own.Before = "" // a timeline has one bucket, so no bucket precedes the bucket of the cursor
	timeline := loaders.Timelines.PageShapes(own, true, call.minMembers)
	at = call.reads(at, call.Parents, timeline, 1, l.condition)
	followed := at
	if l.first() {
		followed = followedCost(call, at)
	}
	return postsCost(call, explain.Latest(followed, deliveredCost(call, at, l)), l)
}

func enqueueFollowed(
	ctx context.Context, pageKeys []loaders.PageKey, broadcasters []string,
) (await func() (followed [][]string, err error)) {
	relations := make([]loaders.EdgeKey, 0, len(pageKeys)*len(broadcasters))
	for _, pageKey := range pageKeys {
		for _, broadcaster := range broadcasters {
			relations = append(relations, loaders.FollowKey(pageKey.Owner, broadcaster))
		}
	}
	awaitFollows, awaitExists := loaders.Related.Enqueue(ctx, relations), loaders.Users.Exists.Enqueue(ctx, broadcasters)
	return func() ([][]string, error) {
		follows, followsErr := awaitFollows()
		exists, existsErr := awaitExists()
		followed, errs := make([][]string, len(pageKeys)), make(loaders.Errors, len(pageKeys))
		for i := range pageKeys {
			for j, broadcaster := range broadcasters {
				k := i*len(broadcasters) + j
				if follows[k] && exists[j] {
					followed[i] = append(followed[i], broadcaster)
				}
				errs[i] = cmp.Or(errs[i], loaders.At(followsErr, k), loaders.At(existsErr, j))
			}
		}
		return followed, loaders.Join(len(pageKeys), errs)
	}
}

var ifBroadcasters = fmt.Sprintf("the users follow broadcasters (at most %d exist)", tables.MaxBroadcasters)

func followedCost(call *costCall, at explain.Stage) explain.Stage {
	exist, follows := loaders.Users.Exists.Shape(""), loaders.Related.Shape(loaders.FollowKey("", ""))
	end := call.readOther(at, call.Parents, follows, "", tables.MaxBroadcasters, ifBroadcasters)
	call.readOther(at, call.Shared(), exist, theBroadcasters, tables.MaxBroadcasters, ifBroadcasters)
	return end
}

func readDelivered(
	ctx context.Context, pageKeys []loaders.PageKey, timelines []loaders.Page[tables.TwitKey], timelineErr error,
) ([]candidates[tables.Twit], error) {
	all := membersOf(timelines)
	owners, keys := make([]string, 0, all), make([]tables.TwitKey, 0, all)
	for j, timeline := range timelines {
		for _, key := range timeline.Members {
			owners, keys = append(owners, pageKeys[j].Owner), append(keys, key)
		}
	}
	twits, err := followedTwits(ctx, owners, keys)
	return distribute(unread[tables.Twit](timelines), twits, timelineErr, err)
}

func followedTwits(ctx context.Context, owners []string, keys []tables.TwitKey) ([]*tables.Twit, error) {
	relations, entryKeys := make([]loaders.EdgeKey, len(keys)), make([]entryKey, len(keys))
	for i, key := range keys {
		relations[i], entryKeys[i] = loaders.FollowKey(owners[i], key.Author), entryOf(key)
	}
	awaitFollows := loaders.Related.Enqueue(ctx, relations)
	twits, err := twitEntries.read(ctx, entryKeys)
	follows, followsErr := awaitFollows()
	for i := range keys {
		if !follows[i] {
			twits[i] = nil
		}
	}
	return twits, loaders.Join(len(keys), err, followsErr)
}

func deliveredCost(call *costCall, at explain.Stage, l candidateRead) explain.Stage {
	call.readOther(at, call.Parents, loaders.Related.Shape(loaders.FollowKey("", "")), "", l.candidates, l.condition)
	return twitEntries.readCost(call, at, call.Parents, "", l.candidates, l.condition)
}

func readPosts(
	ctx context.Context, pageKeys []loaders.PageKey, authors [][]string,
) (parts [][]candidates[tables.Twit], err error) {
	parts = make([][]candidates[tables.Twit], len(pageKeys))
	errs := make(loaders.Errors, len(pageKeys))
	var posts []loaders.PageKey
	var indexes []int
	for i, pageKey := range pageKeys {
		for _, author := range authors[i] {
			key, err := postsIn(pageKey, author)
			errs[i] = cmp.Or(errs[i], err)
			posts, indexes = append(posts, key), append(indexes, i)
		}
	}
	if len(posts) == 0 {
		return parts, nil
	}
	pages, pageErr := loaders.Twits.Page(ctx, posts)
	for k, i := range indexes {
		errs[i] = cmp.Or(errs[i], loaders.At(pageErr, k))
		parts[i] = append(parts[i], inTimeline(pages[k]))
	}
	return parts, loaders.Join(len(pageKeys), errs)
}

func postsCost(call *costCall, at explain.Stage, l candidateRead) explain.Stage {
	w := l.Range
	if !l.first() && w.Backward {
		w.Before = tables.MembersEnd // the first read may have ended anywhere
	}
	posts := elsewhere(loaders.Twits.PageShapes(w, l.atBeginning && l.first(), call.minMembers))
	return call.reads(at, call.Parents, posts, tables.MaxBroadcasters, ifBroadcasters)
}

// postsIn converts a range of a timeline to the range of an author's list with the same twits. A
// position in a timeline begins with the twit's position in its author's list, and no two twits
// have the same position there, not even twits of different authors.
func postsIn(pageKey loaders.PageKey, author string) (loaders.PageKey, error) {
	w := *pageKey.Range
	pageKey = loaders.PageKey{Owner: author, Range: &w}
	for _, position := range []*string{&w.After, &w.Before} {
		if *position != "" {
			key, err := tables.EntryOf(*position)
			if err != nil {
				return pageKey, err
			}
			*position = key.Position
		}
	}
	return pageKey, nil
}

func inTimeline(posts loaders.Page[*tables.Twit]) candidates[tables.Twit] {
	posts.Positions = make([]string, len(posts.Members))
	for i, twit := range posts.Members {
		posts.Positions[i] = tables.Timelines.Position(twit.Key())
	}
	return posts
}
