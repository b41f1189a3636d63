package check

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// comments shows that comments have a twit and an author, and are in the author's list.
func (r *run) comments(ctx context.Context) error {
	return r.walk(ctx, &tables.Comments.AnyList, typed(tables.Comments, explainComments))
}

func explainComments(ctx context.Context, r *run, owner string, members []*tables.Comment) ([]string, error) {
	why := make([]string, len(members))
	twit, err := tables.ParseTwitKey(owner)
	if err != nil {
		return why, nil // its members can't be read
	}
	_, name, _ := twit.Parts()
	gets := []hbase.Get{tables.TwitNames.Get(name)}
	authors := make([]string, len(members))
	for i, c := range members {
		authors[i] = c.AuthorName
		gets = append(gets, tables.Commenters.Removed(c.Key(), c.AuthorName))
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	exist, err := r.which(ctx, &tables.Users.AnyObject, authors)
	if err != nil {
		return nil, err
	}
	key, ok, err := r.twit(name, cells[0])
	if err != nil {
		return why, nil // reported with the row
	}
	var entries []entry
	for i, c := range members {
		switch {
		case !ok || key != twit:
			why[i] = fmt.Sprintf("there is no twit %q", name)
		case !exist[c.AuthorName]:
			why[i] = fmt.Sprintf("there is no user %q", c.AuthorName)
		case tables.Commenters.DecodeRemoved(cells[1+i]):
			why[i] = "commenters says that the comment was deleted"
		default:
			entries = append(entries, entryOf(tables.UserComments, c.AuthorName, c.Key(), c.PostedAt.UnixMilli()))
		}
	}
	if err := r.find(ctx, entries); err != nil {
		return nil, err
	}
	for _, s := range entries {
		if s.found == nil {
			r.missing(s, false, "%s wrote it", s.owner)
		}
	}
	return why, nil
}

func explainUserComments(ctx context.Context, r *run, author string, members []tables.CommentKey) ([]string, error) {
	entries, why := make([]entry, len(members)), make([]string, len(members))
	for i, k := range members {
		entries[i] = entryAt(&tables.Comments.AnyList, k.Twit.String(), k.Position)
	}
	if err := r.find(ctx, entries); err != nil {
		return nil, err
	}
	for i, s := range entries {
		if s.found == nil {
			why[i] = "there is no such comment"
			continue
		}
		c, _, _, err := tables.Comments.Decode(s.owner, []hbase.Cell{*s.found})
		if err == nil && c[0].AuthorName != author {
			why[i] = fmt.Sprintf("%s wrote it", c[0].AuthorName)
		}
	}
	return why, nil
}
