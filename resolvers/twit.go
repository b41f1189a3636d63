package resolvers

import (
	"context"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var twitFields = fields{
	"Mutation.postTwit":   postTwit,
	"Mutation.deleteTwit": deleteTwit,
	"Query.twit":          costFunc(twitCost),
	"Twit.author":         twitAuthor,
	"Twit.comments":       twitComments,
	"Twit.commentCount":   commentCount,
}

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
	postTwitPayload = ifSelected[tables.Twit]{"twit", twitEntries}
	postTwit        = mutationOf(permission.PostTwit, postTwitPayload)
	deleteTwit      = mutationOf(permission.DeleteTwit, twitEntries)
	twitAuthor      = reference[tables.Twit, tables.User]{
		loaders.Users, false, func(t *tables.Twit) *string { return &t.AuthorName },
	}
	commentCount = reading[int]{loaders.Comments.Length}
)

// Twit is the resolver for the twit field.
func (r *queryResolver) Twit(ctx context.Context, id tables.ID) (*tables.Twit, error) {
	if id.Noun != tables.NounTwit {
		return nil, nil
	}
	twits, err := twitEntries.readByKey(ctx, []string{id.Key})
	if twits == nil {
		return nil, err
	}
	return twits[0], loaders.At(err, 0)
}

func twitCost(call *costCall) error {
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
	userErrors, err := postTwit.run(ctx, permission.About{}, func(ctx context.Context, viewer string) (err error) {
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

// DeleteTwit is the resolver for the deleteTwit field.
func (r *mutationResolver) DeleteTwit(ctx context.Context, input model.DeleteTwitInput) (*model.DeleteTwitPayload, error) {
	// The id says who the author would be, whether or not there is such a twit.
	key, err := tables.ParseTwitKey(input.ID.Key)
	if err != nil || input.ID.Noun != tables.NounTwit {
		key = tables.TwitKey{}
	}
	_, left, err := authorize(ctx, deleteTwit.action, permission.About{Owner: key.Author})
	if err != nil {
		return nil, err
	}
	var twits []*tables.Twit
	err = left.and(func(ctx context.Context) (err error) {
		twits, err = twitEntries.read(ctx, []entryKey{entryOf(key)})
		return loaders.At(err, 0)
	})(ctx)
	if err != nil {
		return nil, err
	}
	userErrors, id, err := deleteObject(ctx, nil, input.ID, func(ctx context.Context) error {
		return r.Writers.DeleteTwit(ctx, twits[0])
	})
	payload := &model.DeleteTwitPayload{DeletedID: id, UserErrors: userErrors, ClientMutationID: input.ClientMutationID.Value()}
	if id != nil {
		payload.Twit = twits[0]
	}
	return payload, err
}

// Author is the batch resolver for the author field.
func (r *twitResolver) Author(ctx context.Context, objs []*tables.Twit) ([]*tables.User, error) {
	return twitAuthor.resolve(ctx, objs)
}

// Comments is the batch resolver for the comments field.
func (r *twitResolver) Comments(
	ctx context.Context, objs []*tables.Twit, first *int, after *string, last *int, before *string,
) ([]*model.CommentConnection, error) {
	return twitComments.resolve(ctx, twitKeys(objs), pageArgs{first, after, last, before})
}

// CommentCount is the batch resolver for the commentCount field.
func (r *twitResolver) CommentCount(ctx context.Context, objs []*tables.Twit) ([]*int, error) {
	return commentCount.resolve(ctx, twitKeys(objs))
}

// twitKeys returns the keys of twits as owners of comments.
func twitKeys(twits []*tables.Twit) []string {
	return keysOf(twits, func(t *tables.Twit) string { return t.Key().String() })
}

func twitConnection(p *page[struct{}, tables.Twit]) model.TwitConnection {
	return model.TwitConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.TwitEdge, i int) {
		e.Cursor, e.Node = p.cursor(i), p.nodes[i]
	})}
}

// Twit returns exec.TwitResolver implementation.
func (r *Resolver) Twit() exec.TwitResolver { return &twitResolver{r} }

type twitResolver struct{ *Resolver }
