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
	// check sets At, in milliseconds. A repetition gets At and Mark of the first call's comment. An
	// empty Mark stands for [tables.CommentMark].
	At   int64
	Mark []byte `json:",omitempty"`
}

func (a addCommentArgs) comment(at int64) *tables.Comment {
	return &tables.Comment{Twit: a.Twit.key(), AuthorName: a.Author, PostedAt: millis(at), Content: a.Content,
		Mark: cmp.Or(string(a.Mark), tables.CommentMark(a.Author, a.Content, 0))}
}

func (a addCommentArgs) references() references {
	return references{ref(tables.Users, a.Author, ""), {tables.PostedTwits, a.Twit.key().String(), "twitId"}}
}

// addComment commits on a row per author and twit, so two comments of an author on a twit have
// different times.
var addComment = register(opType[addCommentArgs]{
	name: "addComment", properties: properties{nonIdempotent: true},
	row: func(a addCommentArgs) hbase.Get {
		if a.Key == nil {
			return hbase.Get{Table: tables.Commenters.Table, Row: tables.Commenters.Row(a.Twit.key(), a.Author),
				Columns: tables.Attributes + ":" + tables.CommitColumn}
		}
		return tables.Commenters.Added(a.Twit.key(), a.Author, *a.Key)
	},
	reads: func(a addCommentArgs) []hbase.Get { return a.references().gets() },
	check: func(a *addCommentArgs, r *reading) (decision, error) {
		if err := a.references().check(r.cells); err != nil {
			return unchanged, err
		}
		at, mark, added, err := tables.Commenters.DecodeAdded(r.row)
		if err != nil {
			return unchanged, err
		}
		if added {
			// The deletion is looked up by time, because early versions stored no mark.
			removed, err := r.get(tables.Commenters.RemovedAt(a.Twit.key(), a.Author, at))
			if err == nil && tables.Commenters.DecodeRemoved(removed[0]) {
				err = reject(NotFound, "idempotencyKey", "the comment that was added under this key was deleted")
			}
			a.At, a.Mark = at.UnixMilli(), []byte(mark)
			return unchanged, err
		}
		if a.At = r.at; a.Key == nil {
			return commit(), nil
		}
		return commit(tables.Commenters.AddedCell(*a.Key, millis(r.at), a.comment(r.at).Mark, r.at)), nil
	},
	effects: func(a addCommentArgs, o operation) effects {
		c := a.comment(o.at)
		return effects{now: []stage{
			append(join(tables.Comments, c.Twit.String(), c, o.at), join(tables.UserComments, a.Author, c.Key(), o.at)...),
			{compensation{a.references(), nested{"deleteComment", deletionOfComment(c)}}},
		}}
	},
})

type deleteCommentArgs struct {
	Twit   twitRef
	Author string
	At     int64
	Mark   []byte
}

func deletionOfComment(c *tables.Comment) *deleteCommentArgs {
	at, name, _ := c.Twit.Parts()
	return &deleteCommentArgs{
		twitRef{c.Twit.Author, at.UnixMilli(), name}, c.AuthorName, c.PostedAt.UnixMilli(), []byte(c.Mark),
	}
}

func (a deleteCommentArgs) comment() *tables.Comment {
	return &tables.Comment{Twit: a.Twit.key(), AuthorName: a.Author, PostedAt: millis(a.At), Mark: string(a.Mark)}
}

var deleteComment = register(opType[deleteCommentArgs]{
	name: "deleteComment",
	row:  func(a deleteCommentArgs) hbase.Get { return tables.Commenters.Removed(a.comment().Key(), a.Author) },
	check: func(a *deleteCommentArgs, r *reading) (decision, error) {
		if tables.Commenters.DecodeRemoved(r.row) {
			return unchanged, nil
		}
		return commit(tables.Commenters.RemovedCell(a.comment().Key().Position, r.at)), nil
	},
	effects: func(a deleteCommentArgs, o operation) effects {
		c := a.comment()
		return effects{now: []stage{
			append(leave(tables.Comments, c.Twit.String(), c, o.at), leave(tables.UserComments, a.Author, c.Key(), o.at)...),
		}}
	},
})

func deleteCommentsOn(twit string) effect {
	return eachMember(tables.Comments, twit, func(c *tables.Comment) effect {
		return nested{"deleteComment", deletionOfComment(c)}
	})
}

func deleteCommentsBy(author string) effect {
	return eachMember(tables.UserComments, author, func(k tables.CommentKey) effect {
		at, mark, _ := k.Parts()
		c := &tables.Comment{Twit: k.Twit, AuthorName: author, PostedAt: at, Mark: mark}
		return nested{"deleteComment", deletionOfComment(c)}
	})
}

// AddComment returns the comment's key, or NOT_FOUND if twit is nil. The caller must check that the
// author may see the twit.
func (w *Writers) AddComment(
	ctx context.Context, author string, twit *tables.Twit, content string, idempotencyKey *string,
) (tables.CommentKey, error) {
	var in input
	a := addCommentArgs{Author: author, Content: in.lines("content", content, MaxComment, false),
		Key: in.idempotencyKey(idempotencyKey)}
	if twit == nil {
		in.errors = append(in.errors, noSuch("twit", "twitId"))
	} else {
		a.Twit = refOf(twit)
	}
	err := execute(ctx, w, &in, addComment, &a)
	return a.comment(a.At).Key(), err
}

// DeleteComment is idempotent. The error is NOT_FOUND if c is nil.
func (w *Writers) DeleteComment(ctx context.Context, c *tables.Comment) error {
	if c == nil {
		return UserErrors{noSuch("comment", "id")}
	}
	return execute(ctx, w, nil, deleteComment, deletionOfComment(c))
}
