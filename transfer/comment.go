package transfer

import (
	"context"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type comment struct {
	twit     string // id
	author   string // username
	postedAt time.Time
	content  string
	// ordinal is the number of earlier equal comments in the file.
	ordinal int
}

type commentParser struct {
	file string
	seen map[uint64]int // by hash
}

func (p *commentParser) parse(r *row) comment {
	c := comment{
		twit: r.checked("twit", tables.CheckTwitID), author: r.checked("author", tables.CheckUsername),
		postedAt: r.time("posted_at"), content: r.content("content"),
	}
	if c.content == "" {
		r.fail("content", "it must not be empty")
	}
	if r.err != nil {
		return c
	}
	if p.seen == nil || p.file != r.file {
		*p = commentParser{r.file, map[uint64]int{}}
	}
	hash := xxhash.Sum64String(fmt.Sprintf("%s\x00%d\x00%s\x00%s", c.twit, c.postedAt.UnixMilli(), c.author, c.content))
	c.ordinal = p.seen[hash]
	p.seen[hash]++
	return c
}

func (im *importer) importComments(ctx context.Context) error {
	twit := func(c comment) string { return c.twit }
	return pipe(ctx, im, "comments", new(commentParser).parse, twit, im.writeComments)
}

func (im *importer) writeComments(ctx context.Context, batch []item[comment]) error {
	batch, err := known(ctx, im, batch,
		name[comment]{"twit", tables.PostedTwits, func(c comment) string { return c.twit },
			[]*tables.AnyList{&tables.Comments.AnyList}},
		name[comment]{"author", &tables.Users.AnyObject, func(c comment) string { return c.author },
			[]*tables.AnyList{&tables.UserComments.AnyList}})
	if err != nil {
		return err
	}
	stored := make([]*tables.Comment, len(batch))
	for i, it := range batch {
		twit, _ := im.objects[tables.PostedTwits].of(it.value.twit)
		stored[i] = it.value.stored(twit)
	}
	if stored, err = im.withoutDeleted(ctx, stored); err != nil {
		return err
	}
	comments, userComments := im.lists[&tables.Comments.AnyList], im.lists[&tables.UserComments.AnyList]
	sources, derived := im.visibleWrites(), im.visibleWrites()
	for _, c := range stored {
		comments.put(sources, c.Twit.String(), tables.Comments.Cell(c, stamp(c.PostedAt)))
		userComments.put(derived, c.AuthorName, tables.UserComments.Cell(c.Key(), stamp(c.PostedAt)))
	}
	if err := sources.flush(ctx); err != nil {
		return err
	}
	return derived.flush(ctx)
}

// withoutDeleted does not rely on delete markers, which HBase purges.
func (im *importer) withoutDeleted(ctx context.Context, comments []*tables.Comment) ([]*tables.Comment, error) {
	if im.blank {
		return comments, nil
	}
	removed, err := hbase.GetEach(ctx, im.store, comments, func(c *tables.Comment) hbase.Get {
		return tables.Commenters.Removed(c.Key(), c.AuthorName)
	})
	if err != nil {
		return nil, err
	}
	kept := comments[:0]
	for i, c := range comments {
		if !tables.Commenters.DecodeRemoved(removed[i]) {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

func (c comment) stored(twit string) *tables.Comment {
	key, _ := tables.ParseTwitKey(twit)
	return &tables.Comment{
		Twit: key, AuthorName: c.author, PostedAt: c.postedAt, Content: c.content,
		Mark: tables.CommentMark(c.author, c.content, c.ordinal),
	}
}

func exportComments(ctx context.Context, store hbase.Store, row emit) error {
	return eachTwit(ctx, store, func(twits []*tables.Twit) error {
		owners := make([]string, len(twits))
		for i, t := range twits {
			owners[i] = t.Key().String()
		}
		return eachMember(ctx, store, tables.Comments, owners, func(owner string, comments []*tables.Comment) error {
			for _, c := range comments {
				err := row(tables.PostedTwits.NameOf(owner), c.AuthorName, instant(c.PostedAt), c.Content)
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}
