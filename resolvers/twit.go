package resolvers

import (
	"context"
	"slices"

	"twibase/graph/exec"
	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var twitCosts = costs{
	"Mutation.postTwit":              changeCost(ifSelected("PostTwitPayload", "twit", showTwit)),
	"Mutation.deleteTwit":            changeCost(showTwit),
	"Subscription.timelineTwitAdded": eventCost,
	"Subscription.twitPosted":        eventCost,
	"Query.twit": func(q *inquiry) error {
		if argument[tables.ID](q, "id").Noun == tables.NounTwit {
			twit := q.Crowd(q.Parents, 1, q.Begin()) // another has another author
			q.Lead("", q.Crowd(twit, 1, q.twitsCost(q.Begin(), twit)))
		}
		return nil
	},
	"Twit.author": authorCost,
}

// Twit is the resolver for the twit field.
func (r *queryResolver) Twit(ctx context.Context, id tables.ID) (*tables.Twit, error) {
	if id.Noun != tables.NounTwit {
		return nil, nil
	}
	twits, err := twitsByKey(ctx, []string{id.Key})
	return twits[0], loaders.At(err, 0)
}

// twitNamed returns the twit that an id would name as far as that tells, nil if it names none.
func twitNamed(id tables.ID) (*tables.Twit, error) {
	if id.Noun != tables.NounTwit {
		return nil, nil
	}
	key, err := tables.ParseTwitKey(id.Key)
	if err != nil {
		return nil, err
	}
	at, name, err := key.Parts()
	return &tables.Twit{AuthorName: key.Author, PostedAt: at, Name: name}, err
}

// PostTwit is the resolver for the postTwit field.
func (r *mutationResolver) PostTwit(ctx context.Context, input model.PostTwitInput) (*model.PostTwitPayload, error) {
	viewer, may, err := permit(ctx, permission.PostTwit, permission.About{})
	if err != nil {
		return nil, err
	}
	twit := writers.NewTwit{Title: input.Title.Value(), Content: input.Content, PhotoURLs: input.PhotoUrls.Value(), Visibility: tables.Public,
		IdempotencyKey: input.IdempotencyKey.Value()}
	if v := input.Visibility.Value(); v != nil {
		twit.Visibility = *v
	}
	var key tables.TwitKey
	errs, err := change(ctx, may, func(ctx context.Context) (err error) {
		key, err = r.Writers.PostTwit(ctx, viewer.Username, twit)
		return err
	})
	if err != nil {
		return nil, err
	}
	payload := &model.PostTwitPayload{UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}
	if len(errs) == 0 && selected(ctx, "PostTwitPayload").has("twit") {
		twits, err := twitsAt(ctx, []tables.TwitKey{key})
		if err != nil {
			return nil, loaders.At(err, 0)
		}
		payload.Twit = twits[0]
	}
	return payload, nil
}

// DeleteTwit is the resolver for the deleteTwit field.
func (r *mutationResolver) DeleteTwit(ctx context.Context, input model.DeleteTwitInput) (*model.DeleteTwitPayload, error) {
	// Whose it would be its id says, whether or not there is such a twit.
	place, err := tables.ParseTwitKey(input.ID.Key)
	if err != nil || input.ID.Noun != tables.NounTwit {
		place = tables.TwitKey{}
	}
	_, may, err := permit(ctx, permission.DeleteTwit, permission.About{Owner: place.Author})
	if err != nil {
		return nil, err
	}
	var twits []*tables.Twit
	err = both(may, func(ctx context.Context) (err error) {
		twits, err = twitsAt(ctx, []tables.TwitKey{place})
		return loaders.At(err, 0)
	})(ctx)
	if err != nil {
		return nil, err
	}
	errs, id, err := deleted(ctx, nil, input.ID, func(ctx context.Context) error { return r.Writers.DeleteTwit(ctx, twits[0]) })
	if err != nil {
		return nil, err
	}
	payload := &model.DeleteTwitPayload{DeletedID: id, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}
	if id != nil {
		payload.Twit = twits[0]
	}
	return payload, nil
}

// twitsByKey answers the twits of the keys that ids hold, as far as the viewer may see them.
func twitsByKey(ctx context.Context, keys []string) ([]*tables.Twit, error) {
	places := make([]tables.TwitKey, len(keys))
	for i, key := range keys {
		place, err := tables.ParseTwitKey(key)
		if err != nil {
			return nil, err
		}
		places[i] = place
	}
	twits, err := twitsAt(ctx, places)
	twits, mayErr := visibleTwits(ctx, twits)
	return twits, loaders.Join(len(keys), err, mayErr)
}

// twitsAt answers the twits at these places, nil where there is none, whoever may see them. Those of an author who was deleted are gone at once.
func twitsAt(ctx context.Context, places []tables.TwitKey) ([]*tables.Twit, error) {
	keys, authors := make([]loaders.MemberKey, len(places)), make([]string, len(places))
	for i, place := range places {
		keys[i], authors[i] = loaders.MemberKey{Owner: place.Author, Position: place.Position}, place.Author
	}
	exist := loaders.Users.Exists.Ask(ctx, authors)
	members, err := loaders.Twits.Members(ctx, keys)
	there, thereErr := exist()
	twits := make([]*tables.Twit, len(places))
	for i, member := range members {
		if there[i] {
			twits[i] = member.Value
		}
	}
	return twits, loaders.Join(len(places), err, thereErr)
}

// Twits is the batch resolver for the twits field.
func (r *userResolver) Twits(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	return posts(ctx, relay.Twits, loaders.Twits, objs, pageArgs{first, after, last, before}, "twitCount",
		func(u *tables.User) (all, public *int) { return u.TwitCount, u.PublicTwitCount })
}

// Album is the batch resolver for the album field.
func (r *userResolver) Album(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	return posts(ctx, relay.Album, loaders.Albums, objs, pageArgs{first, after, last, before}, "albumCount",
		func(u *tables.User) (all, public *int) { return u.AlbumCount, u.PublicAlbumCount })
}

// posts answers connections of what users posted, as far as the viewer may see it. The total counts just that.
func posts(ctx context.Context, kind relay.List, list loaders.List[*tables.Twit], users []*tables.User, args pageArgs, field string, counts func(*tables.User) (all, public *int)) ([]*model.TwitConnection, error) {
	p, err := args.read(kind, list.Check)
	if err != nil {
		return nil, err
	}
	owners, want := usernames(users), wanted(ctx, "Twit")
	counted := func() ([]*tables.User, error) { return make([]*tables.User, len(users)), nil }
	if want.total {
		counted = loaders.Users.Later(ctx, owners, []string{field})
	}
	// Of a promised user who was deleted nobody is shown anything.
	promised := !slices.ContainsFunc(users, func(u *tables.User) bool { return u != nil && !u.Promised })
	pages, err := seenPosts(kind, list, promised).pages(ctx, owners, p, want)
	whole, countErr := counted()
	var totals []*int
	var mayErr error
	if want.total {
		totals, mayErr = visibleCounts(ctx, owners, whole, counts)
	}
	pages, err = totalled(pages, totals, loaders.Join(len(users), err, countErr, mayErr))
	return convert(pages, err, twitConnection)
}

// seenPosts are what users posted, as far as the viewer may see it.
func seenPosts(kind relay.List, list loaders.List[*tables.Twit], promised bool) filtered[*tables.Twit, tables.Twit] {
	return filtered[*tables.Twit, tables.Twit]{kind: kind, list: list,
		look: func(ctx context.Context, spans []loaders.Span) ([]candidates[tables.Twit], error) {
			if promised {
				pages, err := list.Page(ctx, spans)
				return seen(ctx, pages, err, visibleTwits)
			}
			return postsIn(ctx, list, spans)
		}}
}

// postsIn answers what users posted in these spans, as far as the viewer may see it: nothing of who was deleted.
func postsIn(ctx context.Context, list loaders.List[*tables.Twit], spans []loaders.Span) ([]candidates[tables.Twit], error) {
	owners := make([]string, len(spans))
	for i, span := range spans {
		owners[i] = span.Owner
	}
	exist := loaders.Users.Exists.Ask(ctx, owners)
	pages, err := list.Page(ctx, spans)
	there, thereErr := exist()
	for i := range pages {
		if !there[i] {
			pages[i] = candidates[tables.Twit]{}
		}
	}
	return seen(ctx, pages, loaders.Join(len(spans), err, thereErr), visibleTwits)
}

// postsCost is that of a resolver that answers with posts.
func postsCost(kind relay.List, list loaders.List[*tables.Twit], field string) func(*inquiry) error {
	return func(q *inquiry) error {
		p, err := q.pageArgs().read(kind, list.Check)
		if err != nil {
			return err
		}
		want, at := wanted(q.Ctx, "Twit"), q.Begin()
		counted := at
		if want.total {
			counted = q.read(at, q.Parents, loaders.Users.OutlineRoot([]string{field}))
		}
		if want.entries {
			q.read(at, q.Parents, loaders.Users.Exists.Outline(""))
			at = seenPosts(kind, list, false).cost(q, at, p, func(at explain.Moment, candidates int, again string) explain.Moment {
				if again != "" && !p.Backward { // something was hidden at the first look, so that this has been asked
					return at
				}
				return q.seeCost(at, q.Parents, byViewer, min(candidates, 1), moments)
			})
		}
		if want.total {
			at = q.seeCost(explain.Latest(at, counted), q.Parents, byViewer, 1, "")
		}
		if want.entries {
			q.Lead("", q.Crowd(q.Parents, int64(p.Size), at))
		}
		return nil
	}
}

// TwitCount is the batch resolver for the twitCount field.
func (r *userResolver) TwitCount(ctx context.Context, objs []*tables.User) ([]*int, error) {
	loaders.Settle(ctx)
	return visibleCounts(ctx, usernames(objs), objs, func(u *tables.User) (all, public *int) { return u.TwitCount, u.PublicTwitCount })
}

// Author is the batch resolver for the author field.
func (r *twitResolver) Author(ctx context.Context, objs []*tables.Twit) ([]*tables.User, error) {
	return loaders.Users.Named(ctx, keysOf(objs, func(t *tables.Twit) string { return t.AuthorName }), selected(ctx, "User").names())
}

// Comments is the batch resolver for the comments field.
func (r *twitResolver) Comments(ctx context.Context, objs []*tables.Twit, first *int, after *string, last *int, before *string) ([]*model.CommentConnection, error) {
	return comments(ctx, twitKeys(objs), pageArgs{first, after, last, before})
}

// CommentCount is the batch resolver for the commentCount field.
func (r *twitResolver) CommentCount(ctx context.Context, objs []*tables.Twit) ([]*int, error) {
	counts, err := loaders.Comments.Length.Load(ctx, twitKeys(objs))
	return pointers(counts), err
}

func twitKeys(twits []*tables.Twit) []string {
	return keysOf(twits, func(t *tables.Twit) string { return t.Key().String() })
}

func twitConnection(p *entries[struct{}, tables.Twit]) model.TwitConnection {
	return model.TwitConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.TwitEdge, i int) {
		e.Cursor, e.Node = p.cursor(i), p.nodes[i]
	})}
}

// Twit returns exec.TwitResolver implementation.
func (r *Resolver) Twit() exec.TwitResolver { return &twitResolver{r} }

type twitResolver struct{ *Resolver }

// eventCost is that of an event of a subscription, which comes with its twit.
func eventCost(q *inquiry) error {
	q.Lead("", q.Crowd(q.Parents, 1, q.Begin()))
	return nil
}
