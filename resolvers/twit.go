package resolvers

import (
	"context"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

// twitEntries are the twits by their keys.
var twitEntries = entries[tables.Twit]{loaders.Twits, parseTwitKey, "its author", visibleTwits, visibleTwitCost}

func parseTwitKey(key string) (entryKey, error) {
	k, err := tables.ParseTwitKey(key)
	return entryOf(k), err
}

func entryOf(k tables.TwitKey) entryKey {
	return entryKey{loaders.MemberKey{Owner: k.Author, Position: k.Position}, k.Author}
}

var (
	postTwitPayload    = ifSelected[tables.Twit]{"twit", twitEntries}
	mutationPostTwit   = mutationOf(permission.PostTwit, postTwitPayload)
	mutationDeleteTwit = mutationOf(permission.DeleteTwit, twitEntries)

	queryTwit = twitByID{}

	twitAuthor = reference[tables.Twit, tables.User]{
		loaders.Users, false, func(t *tables.Twit) *string { return &t.AuthorName },
	}
	twitCommentCount = reading[tables.Twit, int]{twitKeys, loaders.Comments.Length}
)

// twitByID is the root field that returns the twit of an id.
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
	if argument[tables.ID](call, "id").Noun == tables.NounTwit {
		twit := call.Set(call.Parents, 1, call.Begin()) // the twit of another root field has another author
		call.Returns("", call.Set(twit, 1, twitEntries.readCost(call, call.Begin(), twit)))
	}
	return nil
}

// PostTwit is the resolver for the postTwit field.
func (r *mutationResolver) PostTwit(ctx context.Context, input model.PostTwitInput) (*model.PostTwitPayload, error) {
	twit := writers.NewTwit{
		Title: input.Title.Value(), Content: input.Content, PhotoURLs: input.PhotoUrls.Value(), Visibility: tables.Public,
		IdempotencyKey: input.IdempotencyKey.Value(),
	}
	if v := input.Visibility.Value(); v != nil {
		twit.Visibility = *v
	}
	var key tables.TwitKey
	userErrors, err := mutationPostTwit.run(ctx, permission.About{}, func(ctx context.Context, viewer string) (err error) {
		key, err = r.Writers.PostTwit(ctx, viewer, twit)
		return err
	})
	payload := &model.PostTwitPayload{UserErrors: userErrors, ClientMutationID: input.ClientMutationID.Value()}
	if err == nil && len(userErrors) == 0 && postTwitPayload.selected(ctx) {
		// The author sees it, whatever its visibility.
		var twits []*tables.Twit
		twits, err = twitEntries.read(ctx, []entryKey{entryOf(key)})
		payload.Twit, err = twits[0], loaders.At(err, 0)
	}
	return payload, err
}

// onTwit is run for a change that is about a twit, which the viewer must see. It returns the twit,
// nil if nothing was changed. The writer answers for an id that is not that of a twit.
func (m mutation) onTwit(
	ctx context.Context, id tables.ID, write func(ctx context.Context, viewer string) error,
) (twit *tables.Twit, userErrors []*model.UserError, err error) {
	var seen *tables.Twit
	see := func(ctx context.Context) (err error) {
		if seen, err = queryTwit.resolve(ctx, id); err == nil && seen == nil && id.Noun == tables.NounTwit {
			err = notFound("twitId", "twit")
		}
		return err
	}
	userErrors, err = m.run(ctx, permission.About{}, write, see)
	if err == nil && len(userErrors) == 0 {
		twit = seen
	}
	return twit, userErrors, err
}

// DeleteTwit is the resolver for the deleteTwit field.
func (r *mutationResolver) DeleteTwit(ctx context.Context, input model.DeleteTwitInput) (*model.DeleteTwitPayload, error) {
	// The id says who the author would be, whether or not there is such a twit.
	key, err := tables.ParseTwitKey(input.ID.Key)
	if err != nil || input.ID.Noun != tables.NounTwit {
		key = tables.TwitKey{}
	}
	var twits []*tables.Twit
	read := func(ctx context.Context) (err error) {
		twits, err = twitEntries.read(ctx, []entryKey{entryOf(key)})
		return loaders.At(err, 0)
	}
	_, err = authorizeNow(ctx, mutationDeleteTwit.action, permission.About{Owner: key.Author}, read)
	if err != nil {
		return nil, err
	}
	userErrors, id, err := deleteObject(ctx, input.ID, func(ctx context.Context) error {
		return r.Writers.DeleteTwit(ctx, twits[0])
	})
	payload := &model.DeleteTwitPayload{DeletedID: id, UserErrors: userErrors, ClientMutationID: input.ClientMutationID.Value()}
	if id != nil {
		payload.Twit = twits[0]
	}
	return payload, err
}

// twitKeys returns the keys of twits as owners of comments.
func twitKeys(twits []*tables.Twit) []string {
	return keysOf(twits, func(t *tables.Twit) string { return t.Key().String() })
}
