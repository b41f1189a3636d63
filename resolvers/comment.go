package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var commentEntries = entries[tables.Comment]{
	loaders.Comments, parseCommentKey, "the author of its twit", commentVisibility,
}

// parseCommentKey returns an entryKey with the twit's author, because a comment is deleted with its
// twit.
func parseCommentKey(key string) (entryKey, error) {
	k, err := tables.ParseCommentKey(key)
	return entryKey{loaders.MemberKey{Owner: k.Twit.String(), Position: k.Position}, k.Twit.Author}, err
}

var (
	addCommentPayload     = ifSelected[tables.Comment]{[]string{"comment", "commentEdge"}, commentEntries}
	mutationAddComment    = addComment{mutationOf(permission.AddComment, twitEntries, addCommentPayload)}
	mutationDeleteComment = deleteComment{mutationOf(permission.DeleteComment, commentEntries)}

	addCommentPayloadCommentEdge = edgeOfEntry(loaders.Comments, commentConnection[*tables.Comment](nil), commentEdges,
		func(p *model.AddCommentPayload) *tables.Comment { return p.Comment })

	commentAuthor = reference[tables.Comment, tables.User]{
		loaders.Users, false, func(c *tables.Comment) *string { return &c.AuthorName },
	}
	commentTwit = twitOfComment{}
)

// twitComments is eager: see [filteredConnection]. The total includes hidden comments.
var twitComments = filteredConnection[tables.Twit, tables.Comment, model.CommentConnection]{
	owners: twitKeys,
	list:   loaders.Comments.Kind(),
	source: listed[tables.Comment]{list: loaders.Comments, visible: commentVisibility},
	total:  length{loaders.Comments.Length},
	as:     commentConnection[struct{}](nil),
	eager:  true,
}

type addComment struct{ mutation }

func (m addComment) resolve(
	ctx context.Context, r *Resolver, in *model.AddCommentInput, comment **tables.Comment, twit **tables.Twit,
) (userErrors []*model.UserError, err error) {
	var key tables.CommentKey
	*twit, userErrors, err = m.onTwit(ctx, in.TwitID, func(ctx context.Context, viewer string) (err error) {
		if err := r.mayPost(viewer, in.Content); err != nil {
			return err
		}
		key, err = r.Writers.AddComment(ctx, viewer, twitOf(in.TwitID), in.Content, in.IdempotencyKey.Value())
		return err
	})
	if *twit == nil || !addCommentPayload.selected(ctx) {
		return userErrors, err
	}
	comments, err := commentEntries.readByKey(ctx, []string{key.String()})
	if err == nil {
		*comment = comments[0]
	}
	return userErrors, writers.Committed(loaders.At(err, 0))
}

func twitOf(id tables.ID) *tables.Twit {
	key, err := tables.ParseTwitKey(id.Key)
	if id.Noun != tables.NounTwit || err != nil {
		return nil
	}
	at, name, _ := key.Parts()
	return &tables.Twit{AuthorName: key.Author, PostedAt: at, Name: name}
}

type deleteComment struct{ mutation }

func (m deleteComment) resolve(
	ctx context.Context, r *Resolver, in *model.DeleteCommentInput, comment **tables.Comment, deletedID **tables.ID,
) ([]*model.UserError, error) {
	before, remaining, err := m.readBefore(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	remove := func(ctx context.Context) error { return r.Writers.DeleteComment(ctx, before) }
	userErrors, err := change(ctx, remove, remaining)
	if *deletedID = deleted(ctx, in.ID, userErrors, err); *deletedID != nil {
		*comment = before
	}
	return userErrors, err
}

// readBefore returns the comment, nil if it does not exist, and a check whether the viewer may
// delete it.
func (m deleteComment) readBefore(ctx context.Context, id tables.ID) (*tables.Comment, check, error) {
	if _, known := auth.ViewerOf(ctx); !known {
		_, err := authorizeNow(ctx, m.action, permission.Target{})
		return nil, nil, err
	}
	if id.Noun != tables.NounComment {
		return nil, nil, nil
	}
	key, err := parseCommentKey(id.Key)
	if err != nil {
		return nil, nil, err
	}
	comments, err := commentEntries.read(ctx, []entryKey{key})
	if err != nil || comments[0] == nil {
		return nil, nil, loaders.At(err, 0)
	}
	return comments[0], func(ctx context.Context) error { return m.checkDeletion(ctx, comments[0]) }, nil
}

// checkDeletion returns NOT_FOUND for a hidden comment.
func (m deleteComment) checkDeletion(ctx context.Context, c *tables.Comment) error {
	visible, err := visibleComments(ctx, []*tables.Comment{c})
	if err == nil && visible[0] == nil {
		err = notFound("id", "comment")
	}
	if err == nil {
		_, err = authorizeNow(ctx, m.action, permission.Target{Owner: c.AuthorName, TwitAuthor: c.Twit.Author})
	}
	return loaders.At(err, 0)
}

type twitOfComment struct{}

func (twitOfComment) resolve(ctx context.Context, comments []*tables.Comment) ([]*tables.Twit, error) {
	keys := make([]entryKey, len(comments))
	for i, comment := range comments {
		if comment != nil {
			keys[i] = entryOf(comment.Twit)
		}
	}
	return twitEntries.readVisible(ctx, keys)
}

func (twitOfComment) cost(call *costCall) error {
	call.Returns("", call.Set(call.Parents, 1, twitEntries.readVisibleCost(call, call.Begin(), call.Parents)))
	return nil
}
