package writers

import (
	"cmp"
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type addCommentArgs struct {
	Twit    twitRef
	Author  string
	Content string
	Key     *string
	// At is the time of the comment, in milliseconds: decide completes it.
	At int64
	// Mark is that of the comment which was added under the key before, maybe with another content: decide completes it.
	Mark []byte `json:",omitempty"`
}

func (a addCommentArgs) comment(at int64) *tables.Comment {
	return &tables.Comment{Twit: a.Twit.key(), AuthorName: a.Author, PostedAt: millis(at), Content: a.Content,
		Mark: cmp.Or(string(a.Mark), tables.CommentMark(a.Author, a.Content, 0))}
}

func (a addCommentArgs) references() references {
	return references{ref(tables.Users, a.Author, ""), {tables.PostedTwits, a.Twit.key().String(), "twitId"}}
}

// addComment is decided in the row of the author and the twit, one comment after the other: so no two have the same time, and their marks need
// not tell them apart.
var addComment = register(kind[addCommentArgs]{
	name: "addComment",
	row: func(a addCommentArgs) hbase.Get {
		if a.Key == nil {
			return hbase.Get{Table: tables.Commenters.Table, Row: tables.Commenters.Row(a.Twit.key(), a.Author), Columns: tables.Attributes + ":" + tables.Decision}
		}
		return tables.Commenters.Added(a.Twit.key(), a.Author, *a.Key)
	},
	reads: func(a addCommentArgs) []hbase.Get {
		return a.references().gets()
	},
	more: func(a addCommentArgs, r *reading) []hbase.Get {
		at, _, added, err := tables.Commenters.DecodeAdded(r.row)
		if len(r.cells) > 3 || err != nil || !added {
			return nil
		}
		// By its time, for its mark was not always kept.
		return []hbase.Get{tables.Commenters.RemovedAt(a.Twit.key(), a.Author, at)}
	},
	decide: func(a *addCommentArgs, r *reading) ([]hbase.Cell, error) {
		if err := a.references().check(r.cells); err != nil {
			return nil, err
		}
		at, mark, added, err := tables.Commenters.DecodeAdded(r.row)
		switch {
		case err != nil:
			return nil, err
		case added && tables.Commenters.DecodeRemoved(r.cells[3]):
			return nil, refuse(NotFound, "idempotencyKey", "the comment that was added under this key was deleted")
		case added:
			a.At, a.Mark = at.UnixMilli(), []byte(mark)
			return nil, errNothing
		}
		if a.At = r.at; a.Key == nil {
			return nil, nil
		}
		return []hbase.Cell{tables.Commenters.AddedCell(*a.Key, millis(r.at), a.comment(r.at).Mark, r.at)}, nil
	},
	plan: func(a addCommentArgs, o op) plan {
		c := a.comment(o.at)
		return plan{now: []stage{
			{
				add(tables.Comments, c.Twit.String(), c, o.at),
				add(tables.UserComments, a.Author, c.Key(), o.at),
				countOf(tables.Comments, c.Twit.String(), 1),
			},
			{compensateUnless(a.references(), demand{"deleteComment", removalOf(c)})},
		}}
	},
	added: true,
})

// deleteCommentArgs name a comment.
type deleteCommentArgs struct {
	Twit   twitRef
	Author string
	At     int64
	Mark   []byte
}

func removalOf(c *tables.Comment) *deleteCommentArgs {
	at, name, _ := c.Twit.Parts()
	return &deleteCommentArgs{twitRef{c.Twit.Author, at.UnixMilli(), name}, c.AuthorName, c.PostedAt.UnixMilli(), []byte(c.Mark)}
}

func (a deleteCommentArgs) comment() *tables.Comment {
	return &tables.Comment{Twit: a.Twit.key(), AuthorName: a.Author, PostedAt: millis(a.At), Mark: string(a.Mark)}
}

// deleteComment takes a comment out of both lists.
var deleteComment = register(kind[deleteCommentArgs]{
	name: "deleteComment",
	row:  func(a deleteCommentArgs) hbase.Get { return tables.Commenters.Removed(a.comment().Key(), a.Author) },
	decide: func(a *deleteCommentArgs, r *reading) ([]hbase.Cell, error) {
		if tables.Commenters.DecodeRemoved(r.row) {
			return nil, errNothing
		}
		return []hbase.Cell{tables.Commenters.RemovedCell(a.comment().Key().Position, r.at)}, nil
	},
	plan: func(a deleteCommentArgs, o op) plan {
		c := a.comment()
		return plan{now: []stage{{
			remove(tables.Comments, c.Twit.String(), c, o.at),
			remove(tables.UserComments, a.Author, c.Key(), o.at),
			countOf(tables.Comments, c.Twit.String(), -1),
		}}}
	},
})

// deleteComments deletes all comments that an author wrote.
func deleteComments(author string) step {
	return eachMember(tables.UserComments, author, func(k tables.CommentKey) step {
		at, mark, _ := k.Parts()
		return demand{"deleteComment", removalOf(&tables.Comment{Twit: k.Twit, AuthorName: author, PostedAt: at, Mark: mark})}
	})
}

// AddComment adds a comment to a twit that the author may see, of which its place is known; nil is none. It returns where it is. It may be refused with Problems.
func (w *Writers) AddComment(ctx context.Context, author string, twit *tables.Twit, content string, idempotencyKey *string) (tables.CommentKey, error) {
	var in input
	a := addCommentArgs{Author: author, Content: in.comment("content", content), Key: in.idempotencyKey("idempotencyKey", idempotencyKey)}
	if twit == nil {
		in.problems = append(in.problems, problem(NotFound, "twitId", "there is no such twit"))
	}
	if err := in.err(); err != nil {
		return tables.CommentKey{}, err
	}
	a.Twit = refOf(twit)
	_, err := do(ctx, w, addComment, &a)
	return a.comment(a.At).Key(), err
}

// DeleteComment deletes a comment, which the caller has seen; nil is none. If it is gone already, nothing happens.
func (w *Writers) DeleteComment(ctx context.Context, c *tables.Comment) error {
	if c == nil {
		return refuse(NotFound, "id", "there is no such comment")
	}
	_, err := do(ctx, w, deleteComment, removalOf(c))
	return err
}
