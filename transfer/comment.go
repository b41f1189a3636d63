package transfer

import (
	"context"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// comment is a row of a file of comments.
type comment struct {
	// twit is the id that its source gave it.
	twit, author string
	postedAt     time.Time
	content      string
	// ordinal numbers those of a file that are equal in all this.
	ordinal int
}

// ordinals count equal comments in the order of a file, by hashes: a file may have more comments than fit into
// memory. Should two hashes collide, a comment has a higher ordinal than it needs, and the same one each time the
// file is read.
type ordinals struct {
	file string
	seen map[uint64]int
}

func (o *ordinals) of(file string, c comment) int {
	if o.seen == nil || o.file != file {
		*o = ordinals{file, map[uint64]int{}}
	}
	hash := xxhash.New()
	_, _ = fmt.Fprintf(hash, "%s\x00%d\x00%s\x00%s", c.twit, c.postedAt.UnixMilli(), c.author, c.content)
	n := o.seen[hash.Sum64()]
	o.seen[hash.Sum64()]++
	return n
}

func (im *importer) importComments(ctx context.Context) error {
	var equal ordinals
	parse := func(r *row) comment {
		c := comment{
			twit: r.checked("twit", tables.CheckTwitID), author: r.checked("author", tables.CheckUsername),
			postedAt: r.time("posted_at"), content: r.content("content"),
		}
		if c.content == "" {
			r.fail("content", "it must not be empty")
		}
		if r.err == nil {
			c.ordinal = equal.of(r.file, c)
		}
		return c
	}
	return pipe(ctx, im, "comments", parse, func(c comment) string { return c.twit }, im.writeComments)
}

func (im *importer) writeComments(ctx context.Context, batch []item[comment]) error {
	batch, err := known(ctx, im, batch,
		name[comment]{"twit", tables.PostedTwits, func(c comment) string { return c.twit }},
		name[comment]{"author", &tables.Users.AnyObject, func(c comment) string { return c.author }})
	if err != nil {
		return err
	}
	owners, authors := make([]string, len(batch)), make([]string, len(batch))
	for i, it := range batch {
		owners[i], _ = im.objects[tables.PostedTwits].of(it.value.twit)
		authors[i] = it.value.author
	}
	comments, userComments := im.lists[&tables.Comments.AnyList], im.lists[&tables.UserComments.AnyList]
	if err := comments.touch(ctx, owners); err != nil {
		return err
	}
	if err := userComments.touch(ctx, authors); err != nil {
		return err
	}
	truth, derived := newWrites(im.store, len(batch)), im.derived(len(batch))
	gets := make([]hbase.Get, len(batch))
	for i, it := range batch {
		cell := tables.Comments.Cell(it.value.stored(owners[i]), stamp(it.value.postedAt))
		comments.put(truth, owners[i], cell)
		gets[i] = comments.get(owners[i], cell.Qualifier)
	}
	if err := truth.flush(ctx); err != nil {
		return err
	}
	var stored [][]hbase.Cell
	if im.repaired { // what is rewritten must not bring back what was deleted
		if stored, err = hbase.GetAll(ctx, im.store, gets); err != nil {
			return err
		}
	}
	for i, it := range batch {
		if stored == nil || len(stored[i]) > 0 {
			key := it.value.stored(owners[i]).Key()
			userComments.put(derived, it.value.author, tables.UserComments.Cell(key, stamp(it.value.postedAt)))
		}
	}
	return derived.flush(ctx)
}

// stored returns the comment as a store has it, given the key of its twit.
func (c comment) stored(twit string) *tables.Comment {
	key, _ := tables.ParseTwitKey(twit)
	return &tables.Comment{Twit: key, AuthorName: c.author, PostedAt: c.postedAt, Content: c.content,
		Mark: tables.CommentMark(c.author, c.content, c.ordinal)}
}
