package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// comments answers the connections of the comments on twits, by the twits' keys. Most viewers see few of them, so that all candidates
// are looked at at once. The total counts all, seen or not.
func comments(ctx context.Context, twits []string, args pageArgs) ([]*model.CommentConnection, error) {
	p, err := args.read(relay.Comments, loaders.Comments.Check)
	if err != nil {
		return nil, err
	}
	want := wanted(ctx, "Comment")
	lengths := func() ([]int, error) { return nil, nil }
	if want.total {
		lengths = loaders.Comments.Length.Ask(ctx, twits)
	}
	pages, err := seenComments.pages(ctx, twits, p, want)
	totals, countErr := lengths()
	pages, err = totalled(pages, pointers(totals), loaders.Join(len(twits), err, countErr))
	return convert(pages, err, func(p *entries[struct{}, tables.Comment]) model.CommentConnection {
		return model.CommentConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.CommentEdge, i int) {
			e.Cursor, e.Node = p.cursor(i), p.nodes[i]
		})}
	})
}

// AddComment is the resolver for the addComment field.
func (r *mutationResolver) AddComment(ctx context.Context, input model.AddCommentInput) (*model.AddCommentPayload, error) {
	viewer, may, err := permit(ctx, permission.AddComment, permission.About{})
	if err != nil {
		return nil, err
	}
	// Where the twit would be its id says, and whether it is there, for the viewer, is asked meanwhile.
	named, err := twitNamed(input.TwitID)
	if err != nil {
		return nil, err
	}
	var twit *tables.Twit
	see := func(ctx context.Context) (err error) {
		if twit, err = r.Query().Twit(ctx, input.TwitID); err == nil && twit == nil && named != nil {
			err = noSuch("twitId", "twit")
		}
		return err
	}
	var key tables.CommentKey
	errs, err := change(ctx, both(may, see), func(ctx context.Context) (err error) {
		key, err = r.Writers.AddComment(ctx, viewer.Username, named, input.Content, input.IdempotencyKey.Value())
		return err
	})
	if err != nil {
		return nil, err
	}
	payload := &model.AddCommentPayload{UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}
	if len(errs) == 0 {
		payload.Twit = twit
	}
	if len(errs) == 0 && selected(ctx, "AddCommentPayload").has("comment") {
		comments, err := commentsByKey(ctx, []string{key.String()})
		if err != nil {
			return nil, loaders.At(err, 0)
		}
		payload.Comment = comments[0]
	}
	return payload, nil
}

// DeleteComment is the resolver for the deleteComment field.
func (r *mutationResolver) DeleteComment(ctx context.Context, input model.DeleteCommentInput) (*model.DeleteCommentPayload, error) {
	comments, err := []*tables.Comment{nil}, error(nil)
	_, known := auth.ViewerOf(ctx)
	if known && input.ID.Noun == tables.NounComment {
		comments, err = commentsAt(ctx, []string{input.ID.Key})
	}
	var may leave
	c := comments[0]
	switch {
	case err != nil:
	case c != nil:
		may = func(ctx context.Context) error { return mayDelete(ctx, c) }
	case !known: // Whoever may not even see it is told that there is none.
		_, err = permitted(ctx, permission.DeleteComment, permission.About{})
	}
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	errs, id, err := deleted(ctx, may, input.ID, func(ctx context.Context) error { return r.Writers.DeleteComment(ctx, c) })
	if err != nil {
		return nil, err
	}
	payload := &model.DeleteCommentPayload{DeletedID: id, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}
	if id != nil {
		payload.Comment = c
	}
	return payload, nil
}

// mayDelete says whether the viewer may delete a comment, in one round: what depends on it is the same as for who sees it.
func mayDelete(ctx context.Context, c *tables.Comment) error {
	seen, err := visibleComments(ctx, []*tables.Comment{c})
	if err == nil && seen[0] == nil {
		err = noSuch("id", "comment")
	}
	if err == nil {
		_, err = permitted(ctx, permission.DeleteComment, permission.About{Owner: c.AuthorName, TwitAuthor: c.Twit.Author})
	}
	return loaders.At(err, 0)
}

var commentCosts = costs{
	"Mutation.addComment":    changeCost(showTwit, ifSelected("AddCommentPayload", "comment", showComment)),
	"Mutation.deleteComment": changeCost(showComment),
	"Twit.comments":          commentsCost,
	"Twit.commentCount": func(q *inquiry) error {
		q.read(q.Begin(), q.Parents, loaders.Comments.Length.Outline(""))
		return nil
	},
	"Comment.author": authorCost,
	"Comment.twit": func(q *inquiry) error {
		q.Lead("", q.Crowd(q.Parents, 1, q.twitsCost(q.Begin(), q.Parents)))
		return nil
	},
}

var seenComments = filtered[*tables.Comment, tables.Comment]{kind: relay.Comments, list: loaders.Comments, eager: true,
	look: func(ctx context.Context, spans []loaders.Span) ([]candidates[tables.Comment], error) {
		lists, err := loaders.Comments.Page(ctx, spans)
		return seen(ctx, lists, err, visibleComments)
	}}

func commentsCost(q *inquiry) error {
	p, err := q.pageArgs().read(relay.Comments, loaders.Comments.Check)
	if err != nil {
		return err
	}
	want, at := wanted(q.Ctx, "Comment"), q.Begin()
	if want.total {
		q.read(at, q.Parents, loaders.Comments.Length.Outline(""))
	}
	if want.entries {
		at = seenComments.cost(q, at, p, func(at explain.Moment, candidates int, again string) explain.Moment {
			return q.commentersCost(at, q.Parents, candidates, again)
		})
		q.Lead("", q.Crowd(q.Parents, int64(p.Size), at))
	}
	return nil
}

// authorCost is that of a resolver that answers with the author of each parent.
func authorCost(q *inquiry) error {
	lead(q, q.Begin(), loaders.Users, selected(q.Ctx, "User").names(), 1)
	return nil
}

// commentsByKey answers the comments of the keys that ids hold, as far as the viewer may see them.
func commentsByKey(ctx context.Context, keys []string) ([]*tables.Comment, error) {
	found, err := commentsAt(ctx, keys)
	if found == nil {
		return nil, err
	}
	found, mayErr := visibleComments(ctx, found)
	return found, loaders.Join(len(keys), err, mayErr)
}

// commentsAt answers the comments of the keys that ids hold, whoever may see them.
func commentsAt(ctx context.Context, keys []string) ([]*tables.Comment, error) {
	places, authors := make([]loaders.MemberKey, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		place, err := tables.ParseCommentKey(key)
		if err != nil {
			return nil, err
		}
		places[i], authors[i] = loaders.MemberKey{Owner: place.Twit.String(), Position: place.Position}, place.Twit.Author
	}
	exist := loaders.Users.Exists.Ask(ctx, authors)
	members, err := loaders.Comments.Members(ctx, places)
	there, thereErr := exist()
	found := make([]*tables.Comment, len(keys))
	for i, member := range members {
		if there[i] { // the twit goes with its author, and the comment with the twit
			found[i] = member.Value
		}
	}
	return found, loaders.Join(len(keys), err, thereErr)
}

// Twit is the batch resolver for the twit field.
func (r *commentResolver) Twit(ctx context.Context, objs []*tables.Comment) ([]*tables.Twit, error) {
	places := make([]tables.TwitKey, len(objs))
	for i, comment := range objs {
		if comment != nil {
			places[i] = comment.Twit
		}
	}
	twits, err := twitsAt(ctx, places)
	twits, mayErr := visibleTwits(ctx, twits)
	return twits, loaders.Join(len(objs), err, mayErr)
}

// Author is the batch resolver for the author field.
func (r *commentResolver) Author(ctx context.Context, objs []*tables.Comment) ([]*tables.User, error) {
	return loaders.Users.Named(ctx, keysOf(objs, func(c *tables.Comment) string { return c.AuthorName }), selected(ctx, "User").names())
}

// Comment returns exec.CommentResolver implementation.
func (r *Resolver) Comment() exec.CommentResolver { return &commentResolver{r} }

type commentResolver struct{ *Resolver }
