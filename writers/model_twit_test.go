package writers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

var twitKeys, commentKeys = []string{"1", "2"}, []string{"x", "y"}

func init() {
	modelled = append(modelled,
		modelNoun{name: "twit", begin: beginTwits, call: callTwit, observe: observeTwits},
		modelNoun{name: "comment", call: callComment, observe: observeComments})
}

func beginTwits(_ hbase.Store, f facts) []hbase.Mutation {
	author, key, by, under := "a", "1", "b", "x"
	t := &tables.Twit{AuthorName: author, PostedAt: millis(1000), Name: tables.KeyedName(author, key),
		Content: key, Visibility: tables.FollowersOnly}
	c := &tables.Comment{Twit: t.Key(), AuthorName: by, PostedAt: millis(2000), Content: under,
		Mark: tables.CommentMark(by, under, 0)}
	put := func(table, row string, cells ...hbase.Cell) hbase.Mutation {
		return hbase.Put{Table: table, Row: row, Cells: cells}
	}
	count := func(column string) hbase.Cell {
		return hbase.Cell{Family: tables.Attributes, Qualifier: column, Timestamp: 1, Value: []byte("1")}
	}
	f[twitFact(author, key)] = "1"
	fact := fmt.Sprintf("comment on %s by %s %s", twitFact(author, key), by, under)
	f[fact], f["added "+fact] = "1", "1"
	var rows []hbase.Mutation
	for _, fan := range followerNames {
		rows = append(rows, memberPut(tables.Timelines, fan, t.Key()))
	}
	return append(rows,
		tables.TwitNames.Put(t, 1),
		put(tables.Twits.Table, tables.RowKey(author), tables.Twits.Cell(t, 1), count("twitCount"), count("albumCount")),
		put(tables.Albums.Table, tables.RowKey(author), tables.Albums.Cell(t, 1)),
		put(tables.Comments.Table, tables.RowKey(t.Key().String()), tables.Comments.Cell(c, 1), count("commentCount")),
		put(tables.UserComments.Table, tables.RowKey(by), tables.UserComments.Cell(c.Key(), 1)),
		put(tables.Commenters.Table, tables.Commenters.Row(t.Key(), by),
			tables.Commenters.AddedCell(under, c.PostedAt, c.Mark, 1)))
}

func twitFact(author, key string) string { return "twit " + author + " " + key }

func callTwit(r *rand.Rand) call {
	author, key := userNames[r.IntN(len(userNames))], twitKeys[r.IntN(len(twitKeys))]
	if r.IntN(4) == 0 {
		return callFollow(r)
	}
	if r.IntN(20) == 0 {
		author = missingUser
	}
	fact := twitFact(author, key)
	if r.IntN(3) == 0 {
		return call{"delete " + fact, func(ctx context.Context, w *Writers) error {
			t, err := findTwit(ctx, w.store, author, key)
			if t == nil || err != nil {
				return err
			}
			return w.DeleteTwit(ctx, t)
		}, func(f facts) Code {
			if f[fact] != "" {
				removeTwit(f, fact)
			}
			return ""
		}}
	}
	// A repeated post must be the same.
	t := NewTwit{Content: key, IdempotencyKey: &key, Visibility: tables.Public}
	if key == "1" {
		t.Visibility = tables.FollowersOnly
	} else if author == "b" {
		t.PhotoURLs = []string{"https://example.org/1.jpg"}
	}
	return call{"post " + fact, func(ctx context.Context, w *Writers) error {
		_, err := w.PostTwit(ctx, author, t)
		return err
	}, func(f facts) Code {
		if f["user "+author] == "" || f["gone "+fact] != "" {
			return NotFound
		}
		f[fact] = "1"
		return ""
	}}
}

func removeTwit(f facts, fact string) {
	delete(f, fact)
	f["gone "+fact] = "1"
	for other := range f {
		if strings.HasPrefix(other, "comment on "+fact+" ") || strings.HasPrefix(other, "like of "+fact+" ") {
			delete(f, other)
		}
	}
}

func removePosts(f facts, author string) {
	for _, key := range twitKeys {
		if fact := twitFact(author, key); f[fact] != "" {
			removeTwit(f, fact)
		}
	}
	for fact := range f {
		fields := strings.Fields(fact)
		if fields[0] == "comment" && fields[6] == author || fields[0] == "like" && fields[6] == author {
			delete(f, fact)
		}
	}
}

func findTwit(ctx context.Context, store hbase.Store, author, key string) (*tables.Twit, error) {
	cells, err := cellsOf(ctx, store, tables.TwitNames.Get(tables.KeyedName(author, key)))
	if err != nil {
		return nil, err
	}
	place, gone, posted, err := tables.TwitNames.Decode(cells)
	if err != nil || gone || !posted {
		return nil, err
	}
	at, name, err := place.Parts()
	t := &tables.Twit{AuthorName: author, PostedAt: at, Name: name, Visibility: tables.Public}
	if key == "1" {
		t.Visibility = tables.FollowersOnly
	} else if author == "b" {
		t.PhotoURLs = []string{"https://example.org/1.jpg"}
	}
	return t, err
}

func cellsOf(ctx context.Context, store hbase.Store, get hbase.Get) ([]hbase.Cell, error) {
	results, err := store.Get(ctx, []hbase.Get{get})
	if err != nil {
		return nil, err
	}
	return results[0].Cells, results[0].Err
}

func membersOf[E any](ctx context.Context, store hbase.Store, l *tables.List[E], owner string) (all []E, err error) {
	w := New(store, Options{})
	each := eachMember(l, owner, func(e E) effect { all = append(all, e); return put{} }).(each)
	err = each.run(ctx, w.client("test"), func([]effect) (bool, error) { return true, nil })
	return all, err
}

func observeTwits(ctx context.Context, store hbase.Store, f facts) error {
	if err := feeds.New(store, feeds.Options{BatchSize: 2}).Sweep(ctx); err != nil {
		return err
	}
	var wrong []error
	posted := map[string][]string{}
	for _, author := range userNames {
		for _, key := range twitKeys {
			cells, err := cellsOf(ctx, store, tables.TwitNames.Get(tables.KeyedName(author, key)))
			if err != nil {
				return err
			}
			if _, gone, _, _ := tables.TwitNames.Decode(cells); gone {
				f["gone "+twitFact(author, key)] = "1"
			}
		}
		twits, err := membersOf(ctx, store, tables.Twits, author)
		if err != nil {
			return err
		}
		album, public, publicAlbum := 0, 0, 0
		for _, t := range twits {
			f[twitFact(author, t.Content)] = "1"
			posted[author] = append(posted[author], tables.Timelines.Position(t.Key()))
			if t.InAlbum() {
				album++
			}
			if t.Visibility == tables.Public {
				if public++; t.InAlbum() {
					publicAlbum++
				}
			}
		}
		pictures, err := membersOf(ctx, store, tables.Albums, author)
		if err != nil {
			return err
		}
		columns := "i:twitCount i:publicTwitCount i:albumCount i:publicAlbumCount"
		cells, err := cellsOf(ctx, store, tables.Users.Get(author, columns))
		if err != nil {
			return err
		}
		want := fmt.Sprint(album, map[string]int{"twitCount": len(twits), "publicTwitCount": public,
			"albumCount": album, "publicAlbumCount": publicAlbum})
		counts := map[string]int{"twitCount": 0, "publicTwitCount": 0, "albumCount": 0, "publicAlbumCount": 0}
		for i, c := range cells {
			counts[c.Qualifier], _ = tables.DecodeCount(cells[i : i+1])
		}
		if got := fmt.Sprint(len(pictures), counts); got != want {
			wrong = append(wrong, fmt.Errorf("the album and the counts of %s are %s, want %s", author, got, want))
		}
	}
	for _, owner := range userNames {
		var want, got []string
		for author, positions := range posted {
			cells, err := cellsOf(ctx, store, tables.Follows.Get(owner, author))
			if err != nil {
				return err
			}
			if follows, _, _ := tables.Follows.Decode(cells); follows {
				want = append(want, positions...)
			}
		}
		cells, err := cellsOf(ctx, store, tables.Timelines.Get(owner, 0, hbase.Page{}))
		if err != nil {
			return err
		}
		for _, c := range cells {
			got = append(got, c.Qualifier)
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			wrong = append(wrong, fmt.Errorf("the timeline of %s is %q, want %q", owner, got, want))
		}
	}
	return errors.Join(wrong...)
}

func callComment(r *rand.Rand) call {
	author, key := userNames[r.IntN(2)], twitKeys[r.IntN(8)/7]
	by, under := userNames[r.IntN(2)], commentKeys[r.IntN(len(commentKeys))]
	if r.IntN(6) == 0 {
		return callTwit(r)
	}
	twit := twitFact(author, key)
	fact := fmt.Sprintf("comment on %s by %s %s", twit, by, under)
	if r.IntN(3) == 0 {
		return call{"delete " + fact, func(ctx context.Context, w *Writers) error {
			t, err := findTwit(ctx, w.store, author, key)
			if t == nil || err != nil {
				return err
			}
			cells, err := cellsOf(ctx, w.store, tables.Commenters.Added(t.Key(), by, under))
			if err != nil {
				return err
			}
			at, mark, added, err := tables.Commenters.DecodeAdded(cells)
			if err != nil || !added {
				return err
			}
			return w.DeleteComment(ctx, &tables.Comment{Twit: t.Key(), AuthorName: by, PostedAt: at, Mark: mark})
		}, func(f facts) Code {
			delete(f, fact)
			return ""
		}}
	}
	return call{fact, func(ctx context.Context, w *Writers) error {
		t, err := findTwit(ctx, w.store, author, key)
		if err != nil {
			return err
		}
		_, err = w.AddComment(ctx, by, t, under, &under)
		return err
	}, func(f facts) Code {
		if f["user "+by] == "" || f[twit] == "" {
			return NotFound
		}
		if f["added "+fact] != "" && f[fact] == "" {
			return NotFound
		}
		f["added "+fact], f[fact] = "1", "1"
		return ""
	}}
}

func observeComments(ctx context.Context, store hbase.Store, f facts) error {
	var wrong []error
	listed := map[string][]string{}
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.TwitNames.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		place, _, _, err := tables.TwitNames.Decode(row.Cells)
		if err != nil {
			return err
		}
		comments, err := membersOf(ctx, store, tables.Comments, place.String())
		if err != nil {
			return err
		}
		twit := "an unknown twit"
		for _, key := range twitKeys {
			if name := tables.KeyedName(place.Author, key); strings.HasSuffix(place.Position, name) {
				twit = twitFact(place.Author, key)
			}
		}
		for _, c := range comments {
			f[fmt.Sprintf("comment on %s by %s %s", twit, c.AuthorName, c.Content)] = "1"
			listed[c.AuthorName] = append(listed[c.AuthorName], c.Key().String())
		}
		cells, err := cellsOf(ctx, store, tables.Comments.Length(place.String()))
		if err != nil {
			return err
		}
		if n, err := tables.DecodeCount(cells); n != len(comments) || err != nil {
			wrong = append(wrong, fmt.Errorf("%s has %d comments, but counts %d: %v", twit, len(comments), n, err))
		}
		for _, by := range userNames {
			for _, under := range commentKeys {
				cells, err := cellsOf(ctx, store, tables.Commenters.Added(place, by, under))
				if err != nil {
					return err
				}
				if _, _, added, _ := tables.Commenters.DecodeAdded(cells); added {
					f[fmt.Sprintf("added comment on %s by %s %s", twit, by, under)] = "1"
				}
			}
		}
	}
	for _, by := range userNames {
		keys, err := membersOf(ctx, store, tables.UserComments, by)
		if err != nil {
			return err
		}
		var got []string
		for _, k := range keys {
			got = append(got, k.String())
		}
		slices.Sort(got)
		if slices.Sort(listed[by]); !slices.Equal(got, listed[by]) {
			wrong = append(wrong, fmt.Errorf("%s lists the comments %q, but the twits list %q", by, got, listed[by]))
		}
	}
	return errors.Join(wrong...)
}
