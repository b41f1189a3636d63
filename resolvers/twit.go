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
var twitEntries = entries[tables.Twit]{loaders.Twits, parseTwitKey, "its author", twitVisibility}

func parseTwitKey(key string) (entryKey, error) {
	k, err := tables.ParseTwitKey(key)
	return entryOf(k), err
}

func entryOf(k tables.TwitKey) entryKey {
	return entryKey{loaders.MemberKey{Owner: k.Author, Position: k.Position}, k.Author}
}

var (
	postTwitPayload    = ifSelected[tables.Twit]{"twit", twitEntries}
	mutationPostTwit   = postTwit{mutationOf(permission.PostTwit, postTwitPayload)}
	mutationDeleteTwit = deleteTwit{mutationOf(permission.DeleteTwit, twitEntries)}

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

// postTwit is the mutation that posts a twit.
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
	var key tables.TwitKey
	userErrors, err := m.run(ctx, permission.About{}, func(ctx context.Context, viewer string) (err error) {
		if err := r.mayPost(viewer, in.Content); err != nil {
			return err
		}
		key, err = r.Writers.PostTwit(ctx, viewer, posted)
		return err
	})
	if err != nil || len(userErrors) > 0 || !postTwitPayload.selected(ctx) {
		return userErrors, err
	}
	twits, err := twitEntries.read(ctx, []entryKey{entryOf(key)}) // the author sees it, whatever its visibility
	*twit = twits[0]
	return userErrors, loaders.At(err, 0)
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

// deleteTwit is the mutation that deletes a twit.
type deleteTwit struct{ mutation }

func (m deleteTwit) resolve(
	ctx context.Context, r *Resolver, in *model.DeleteTwitInput, twit **tables.Twit, deletedID **tables.ID,
) ([]*model.UserError, error) {
	// The id says who the author would be, whether or not there is such a twit.
	key, err := tables.ParseTwitKey(in.ID.Key)
	if err != nil || in.ID.Noun != tables.NounTwit {
		key = tables.TwitKey{}
	}
	var before []*tables.Twit
	_, err = authorizeNow(ctx, m.action, permission.About{Owner: key.Author}, func(ctx context.Context) (err error) {
		before, err = twitEntries.read(ctx, []entryKey{entryOf(key)})
		return loaders.At(err, 0)
	})
	if err != nil {
		return nil, err
	}
	userErrors, err := change(ctx, func(ctx context.Context) error { return r.Writers.DeleteTwit(ctx, before[0]) })
	if *deletedID = deleted(ctx, in.ID, userErrors, err); *deletedID != nil {
		*twit = before[0]
	}
	return userErrors, err
}

// twitKeys returns the keys of twits as owners of comments.
func twitKeys(twits []*tables.Twit) []string {
	return keysOf(twits, func(t *tables.Twit) string { return t.Key().String() })
}
