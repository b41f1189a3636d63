package check

import (
	"context"
	"errors"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (r *run) comments(ctx context.Context) error {
	return membersOf(ctx, r, tables.Comments, r.explainComments)
}

func (r *run) explainComments(ctx context.Context, owner string, members []*tables.Comment) ([]string, error) {
	why, authors := make([]string, len(members)), make([]string, len(members))
	for i, c := range members {
		authors[i] = c.AuthorName
	}
	twits, err := r.existing(ctx, tables.PostedTwits, []string{owner})
	if errors.Is(err, hbase.ErrCorrupt) {
		return why, nil // reported by twitNames
	}
	if err != nil {
		return nil, err
	}
	exist, err := r.existing(ctx, &tables.Users.AnyObject, authors)
	if err != nil {
		return nil, err
	}
	removed, err := hbase.GetEach(ctx, r.Store, members, func(c *tables.Comment) hbase.Get {
		return tables.Commenters.Removed(c.Key(), c.AuthorName)
	})
	if err != nil {
		return nil, err
	}
	var entries []entry
	for i, c := range members {
		switch {
		case !twits[owner] && !r.unnamed[c.Twit]:
			why[i] = noObject(tables.PostedTwits, owner)
		case !exist[c.AuthorName]:
			why[i] = noObject(&tables.Users.AnyObject, c.AuthorName)
		case tables.Commenters.DecodeRemoved(removed[i]):
			why[i] = "commenters has the comment as deleted"
		default:
			entries = append(entries, entryOf(tables.UserComments, c.AuthorName, c.Key(), c.PostedAt.UnixMilli(),
				tables.Comments.Table, c.AuthorName+" wrote it"))
		}
	}
	return why, r.expect(ctx, entries)
}

func sourceOfUserComment(author string, member hbase.Cell) (source, error) {
	k, err := decode(tables.UserComments, author, member)
	e := entryAt(&tables.Comments.AnyList, k.Twit.String(), k.Position)
	return source{entry: &e, why: func(cells []hbase.Cell) string {
		if len(cells) == 0 {
			return "there is no such comment"
		}
		c, err := decode(tables.Comments, k.Twit.String(), cells[0])
		if err == nil && c.AuthorName != author {
			return fmt.Sprintf("%s wrote it", c.AuthorName)
		}
		return ""
	}}, err
}
