package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/permission"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
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
	return convert(pages, err, func(p *entries[struct{}, tables.Comment]) *model.CommentConnection {
		return &model.CommentConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.CommentEdge, i int) {
			e.Cursor, e.Node = p.cursor(i), p.nodes[i]
		})}
	})
}

// AddComment is the resolver for the addComment field.
func (r *mutationResolver) AddComment(ctx context.Context, input model.AddCommentInput) (*model.AddCommentPayload, error) {
	viewer, err := permit(ctx, permission.AddComment, permission.About{})
	if err != nil {
		return nil, err
	}
	twit, err := r.Query().Twit(ctx, input.TwitID)
	if err != nil {
		return nil, err
	}
	var key tables.CommentKey
	errs, err := change(ctx, func() error {
		key, err = r.Writers.AddComment(ctx, viewer.Username, twit, input.Content, input.IdempotencyKey.Value())
		return err
	})
	if err != nil {
		return nil, err
	}
	payload := &model.AddCommentPayload{UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}
	if len(errs) == 0 {
		comments, err := commentsByKey(ctx, []string{key.String()})
		if err != nil {
			return nil, loaders.At(err, 0)
		}
		payload.Comment, payload.Twit = comments[0], twit
	}
	return payload, nil
}

// DeleteComment is the resolver for the deleteComment field.
func (r *mutationResolver) DeleteComment(ctx context.Context, input model.DeleteCommentInput) (*model.DeleteCommentPayload, error) {
	comments, about, err := []*tables.Comment{nil}, permission.About{}, error(nil)
	_, known := auth.ViewerOf(ctx)
	if known && input.ID.Noun == tables.NounComment {
		comments, err = commentsByKey(ctx, []string{input.ID.Key})
	}
	if c := comments[0]; c != nil {
		about = permission.About{Owner: c.AuthorName, TwitAuthor: c.Twit.Author}
	}
	if err == nil && (!known || comments[0] != nil) { // Whoever may not even see it is told that there is none.
		_, err = permit(ctx, permission.DeleteComment, about)
	}
	if err != nil {
		return nil, loaders.At(err, 0)
	}
	errs, id, err := deleted(ctx, input.ID, func() error { return r.Writers.DeleteComment(ctx, comments[0]) })
	if err != nil {
		return nil, err
	}
	payload := &model.DeleteCommentPayload{DeletedID: id, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}
	if id != nil {
		payload.Comment = comments[0]
	}
	return payload, nil
}

var commentCosts = costs{
	"Mutation.addComment":    changeCost(showTwit, showComment),
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
	see: func(ctx context.Context, _ []string, comments []*tables.Comment) ([]*tables.Comment, error) {
		return visibleComments(ctx, comments)
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
	found, mayErr := visibleComments(ctx, found)
	return found, loaders.Join(len(keys), err, thereErr, mayErr)
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
