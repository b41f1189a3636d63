package resolvers

import (
	"context"
	"slices"
	"time"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var twitEntries = entries[tables.Twit]{loaders.Twits, parseTwitKey, "its author", twitVisibility}

func parseTwitKey(key string) (entryKey, error) {
	k, err := tables.ParseTwitKey(key)
	return entryOf(k), err
}

func entryOf(k tables.TwitKey) entryKey {
	return entryKey{loaders.MemberKey{Owner: k.Author, Position: k.Position}, k.Author}
}

var (
	postTwitPayload    = ifSelected[tables.Twit]{[]string{"twit", "twitEdge", "albumEdge"}, twitEntries}
	mutationPostTwit   = postTwit{mutationOf(permission.PostTwit, postTwitPayload)}
	mutationDeleteTwit = deleteTwit{mutationOf(permission.DeleteTwit, twitEntries)}

	postTwitPayloadTwitEdge = edgeOfEntry(loaders.Twits, twitConnection[*tables.Twit](nil), twitEdges,
		func(p *model.PostTwitPayload) *tables.Twit { return p.Twit })
	postTwitPayloadAlbumEdge = edgeOfEntry(loaders.Albums, twitConnection[*tables.Twit](nil), twitEdges,
		func(p *model.PostTwitPayload) *tables.Twit {
			if p.Twit == nil || !p.Twit.InAlbum() {
				return nil
			}
			return p.Twit
		})
	postTwitPayloadViewer   = payloadViewer[model.PostTwitPayload]{}
	deleteTwitPayloadViewer = payloadViewer[model.DeleteTwitPayload]{}

	queryTwit = twitByID{}

	twitAuthor = reference[tables.Twit, tables.User]{
		loaders.Users, false, func(t *tables.Twit) *string { return &t.AuthorName },
	}
	twitCommentCount = reading[tables.Twit, int]{twitKeys, loaders.Comments.Length}
)

type twitByID struct{}

func (twitByID) resolve(ctx context.Context, id tables.ID) (*tables.Twit, error) {
	if id.Noun != tables.NounTwit {
		return nil, nil
	}
	twits, err := twitEntries.readByKey(ctx, []string{id.Key})
	if twits == nil {
		return nil, err
	}
	return twits[0], loaders.At(err, 0)
}

func (twitByID) cost(call *costCall) error {
	if call.Open("id") || argument[tables.ID](call, "id").Noun == tables.NounTwit {
		// With a set of its own, the reads about this twit's author are not merged with reads about
		// authors of twits in other fields.
		twit := call.Set(call.Parents, 1, call.Begin())
		call.Returns("", call.Set(twit, 1, twitEntries.readVisibleCost(call, call.Begin(), twit)))
	}
	return nil
}

type postTwit struct{ mutation }

func (m postTwit) resolve(
	ctx context.Context, r *Resolver, in *model.PostTwitInput, twit **tables.Twit,
) ([]*model.UserError, error) {
	posted := writers.NewTwit{
		Title: in.Title.Value(), Content: in.Content, PhotoURLs: in.PhotoUrls.Value(), Visibility: tables.Public,
		IdempotencyKey: in.IdempotencyKey.Value(),
	}
	if v := in.Visibility.Value(); v != nil {
		posted.Visibility = *v
	}
	texts := append([]string{posted.Content}, posted.PhotoURLs...)
	if posted.Title != nil {
		texts = append(texts, *posted.Title)
	}
	var key tables.TwitKey
	userErrors, err := m.run(ctx, permission.Target{}, func(ctx context.Context, viewer string) (err error) {
		if err := r.mayPost(viewer, texts...); err != nil {
			return err
		}
		key, err = r.Writers.PostTwit(ctx, viewer, posted)
		return err
	})
	if err != nil || len(userErrors) > 0 || !postTwitPayload.selected(ctx) {
		return userErrors, err
	}
	twits, err := twitEntries.read(ctx, []entryKey{entryOf(key)}) // the author sees the twit, whatever its visibility
	*twit = twits[0]
	return userErrors, writers.Committed(loaders.At(err, 0))
}

// onTwit runs a mutation of a twit that is visible to the viewer. twit is nil after a failure. The
// writer rejects ids of other nouns.
func (m mutation) onTwit(
	ctx context.Context, id tables.ID, write func(ctx context.Context, viewer string) error,
) (twit *tables.Twit, userErrors []*model.UserError, err error) {
	var found *tables.Twit
	find := func(ctx context.Context) (err error) {
		if found, err = queryTwit.resolve(ctx, id); err == nil && found == nil && id.Noun == tables.NounTwit {
			err = notFound("twitId", "twit")
		}
		return err
	}
	userErrors, err = m.run(ctx, permission.Target{}, write, find)
	if err == nil && len(userErrors) == 0 {
		twit = found
	}
	return twit, userErrors, err
}

type deleteTwit struct{ mutation }

func (m deleteTwit) resolve(
	ctx context.Context, r *Resolver, in *model.DeleteTwitInput, twit **tables.Twit, deletedID **tables.ID,
) ([]*model.UserError, error) {
	// The id contains the author, whether or not the twit exists.
	key, err := tables.ParseTwitKey(in.ID.Key)
	if err != nil || in.ID.Noun != tables.NounTwit {
		key = tables.TwitKey{}
	}
	var before []*tables.Twit
	_, err = authorizeNow(ctx, m.action, permission.Target{Owner: key.Author}, func(ctx context.Context) (err error) {
		before, err = twitEntries.read(ctx, []entryKey{entryOf(key)})
		return loaders.At(err, 0)
	})
	if err != nil {
		return nil, err
	}
	userErrors, err := change(ctx, func(ctx context.Context) error {
		if before[0] == nil { // this may be a retry of a successful deletion
			return r.Writers.TwitWasDeleted(ctx, key)
		}
		return r.Writers.DeleteTwit(ctx, before[0])
	})
	if *deletedID = deleted(ctx, in.ID, userErrors, err); *deletedID != nil {
		*twit = before[0]
	}
	return userErrors, err
}

func twitKeys(twits []*tables.Twit) []string {
	return keysOf(twits, func(t *tables.Twit) string { return t.Key().String() })
}

type postedTwits struct {
	filteredConnection[tables.User, tables.Twit, model.TwitConnection]
	listed[tables.Twit]
}

func postedTwitsOf(list loaders.List[*tables.Twit], total visibleCount) postedTwits {
	source := listed[tables.Twit]{list: list, visible: twitVisibility, byOwner: true}
	return postedTwits{filteredConnection[tables.User, tables.Twit, model.TwitConnection]{
		owners: usernames, list: list.Kind(), source: source, total: total, as: twitConnection[struct{}](nil),
	}, source}
}

func (p postedTwits) resolve(
	ctx context.Context, users []*tables.User, since, until *time.Time, order *model.TwitOrder, args pageArgs,
) ([]*model.TwitConnection, error) {
	r, err := args.request(ctx, relay.CursorsOf(p.filteredConnection.list))
	if err != nil {
		return nil, err
	}
	r = restricted(r, since, until, order)
	if since != nil || until != nil {
		p.total = nil // the number of twits of a period is not stored
	}
	// Lazy users need no check: a deleted one becomes null with all its fields. For what that
	// saves, see lazy-users in 'go -C bench run . without'.
	p.listed.ownersExist = !slices.ContainsFunc(users, func(u *tables.User) bool { return u != nil && !u.Lazy })
	p.source = p.listed
	return p.pages(ctx, users, &r)
}

// restricted applies the arguments to a request for a list that is newest first.
func restricted(r request, since, until *time.Time, order *model.TwitOrder) request {
	if order != nil && *order == model.TwitOrderOldestFirst {
		r.reverse()
	}
	if until != nil {
		r.within.after = tables.NotBefore(*until)
	}
	if since != nil {
		r.within.before = tables.NotBefore(*since)
	}
	return r
}

func (p postedTwits) cost(call *costCall) error {
	requests, err := call.requests(relay.CursorsOf(p.filteredConnection.list))
	if err != nil {
		return err
	}
	since, until := argument[*time.Time](call, "since"), argument[*time.Time](call, "until")
	// The reads cost most with a bound, and the total without: an open bound costs both. Costs do
	// not depend on the time.
	openSince, openUntil := call.Open("since"), call.Open("until")
	if since != nil && !openSince || until != nil && !openUntil {
		p.total = nil
	}
	if openSince {
		since = new(time.Time)
	}
	if openUntil {
		until = new(time.Time)
	}
	orders := []*model.TwitOrder{argument[*model.TwitOrder](call, "orderBy")}
	if call.Open("orderBy") {
		orders = []*model.TwitOrder{nil, new(model.TwitOrderOldestFirst)}
	}
	var all []request
	for _, order := range orders {
		for _, r := range requests {
			all = append(all, restricted(r, since, until, order))
		}
	}
	p.costFrom(call, all, call.Begin())
	return nil
}

func twitCounts(u *tables.User) (all, public *int) { return u.TwitCount, u.PublicTwitCount }

func albumCounts(u *tables.User) (all, public *int) { return u.AlbumCount, u.PublicAlbumCount }

type visibleCount struct {
	field  string
	counts func(*tables.User) (all, public *int)
}

func (c visibleCount) read(ctx context.Context, owners []string) ([]*int, error) {
	users, err := loaders.Users.Read(ctx, owners, []string{c.field})
	totals, visibleErr := visibleCounts(ctx, owners, users, c.counts)
	return totals, loaders.Join(len(owners), err, visibleErr)
}

func (c visibleCount) cost(call *costCall, at explain.Stage) explain.Stage {
	at = call.read(at, call.Parents, loaders.Users.RootShape([]string{c.field}))
	return call.followsCost(at, call.Parents, byViewer, 1, "")
}
