package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// twitRef names a twit, as arguments of writes do: its position has bytes that JSON can't carry.
type twitRef struct {
	Author string
	At     int64 // milliseconds
	Name   string
}

func refOf(t *tables.Twit) twitRef { return twitRef{t.AuthorName, t.PostedAt.UnixMilli(), t.Name} }

// twit returns the twit as far as it is known.
func (r twitRef) twit() *tables.Twit {
	return &tables.Twit{AuthorName: r.Author, PostedAt: millis(r.At), Name: r.Name}
}

func (r twitRef) key() tables.TwitKey { return r.twit().Key() }

// NewTwit is what a user posts.
type NewTwit struct {
	Title          *string
	Content        string
	PhotoURLs      []string
	Visibility     tables.Visibility
	IdempotencyKey *string
}

type postTwitArgs struct {
	// At is the time of the twit: decide completes it.
	twitRef
	NewTwit
}

func (a postTwitArgs) twit(at int64) *tables.Twit {
	return &tables.Twit{AuthorName: a.Author, PostedAt: millis(at), Name: a.Name, Title: a.Title, Content: a.Content, PhotoURLs: a.PhotoURLs, Visibility: a.Visibility}
}

// postTwit is decided in the row of the twit's id, which tells where the twit is. Under an idempotency key the id is a function of that, so
// that a second one finds the first.
var postTwit = register(kind[postTwitArgs]{
	name:  "postTwit",
	row:   func(a postTwitArgs) hbase.Get { return tables.TwitNames.Get(a.Name) },
	reads: func(a postTwitArgs) []hbase.Get { return ref(tables.Users, a.Author, "").gets() },
	decide: func(a *postTwitArgs, r *reading) ([]hbase.Cell, error) {
		if err := ref(tables.Users, a.Author, "").check(r.cells...); err != nil {
			return nil, err
		}
		key, gone, posted, err := tables.TwitNames.Decode(r.row)
		switch {
		case err != nil:
			return nil, err
		case gone:
			return nil, refuse(NotFound, "idempotencyKey", "the twit that was posted under this key was deleted")
		case posted:
			at, _, err := key.Parts()
			a.At = at.UnixMilli()
			return nil, orNothing(err)
		}
		a.At = r.at
		return tables.TwitNames.Put(a.twit(r.at), r.at).Cells, nil
	},
	plan: func(a postTwitArgs, o op) plan {
		t := a.twit(o.at)
		undo := deleteTwitArgs{twitRef: refOf(t), Album: t.InAlbum(), Public: t.Visibility == tables.Public}
		members := stage{add(tables.Twits, a.Author, t, o.at)}
		if t.InAlbum() {
			members = append(members, add(tables.Albums, a.Author, t, o.at))
		}
		return plan{
			now: []stage{
				append(members, undo.counts(1)...),
				{compensateUnless(references{ref(tables.Users, a.Author, "")}, demand{"deleteTwit", &undo})},
			},
			later: []stage{{job{tables.Job{ID: o.id, Kind: tables.Posted, At: o.at, Author: a.Author, Position: t.Key().Position}}}},
		}
	},
})

// deleteTwitArgs say of the twit also in which lists and counts it is. A twit never changes, so whoever has seen it knows.
type deleteTwitArgs struct {
	twitRef
	Album, Public bool
}

func deletionOf(t *tables.Twit) *deleteTwitArgs {
	return &deleteTwitArgs{twitRef: refOf(t), Album: t.InAlbum(), Public: t.Visibility == tables.Public}
}

// counts adds to all counts of the author that count the twit.
func (a deleteTwitArgs) counts(delta int) []step {
	counts := []step{countOf(tables.Twits, a.Author, delta)}
	if a.Public {
		counts = append(counts, countIn(tables.Users.Table, a.Author, "publicTwitCount", delta))
	}
	if a.Album {
		counts = append(counts, countOf(tables.Albums, a.Author, delta))
	}
	if a.Album && a.Public {
		counts = append(counts, countIn(tables.Users.Table, a.Author, "publicAlbumCount", delta))
	}
	return counts
}

// deleteTwit takes a twit out of its author's lists, so that nobody sees it any more, and then takes away what is about it.
var deleteTwit = register(kind[deleteTwitArgs]{
	name: "deleteTwit",
	row:  func(a deleteTwitArgs) hbase.Get { return tables.TwitNames.Get(a.Name) },
	decide: func(a *deleteTwitArgs, r *reading) ([]hbase.Cell, error) {
		key, gone, posted, err := tables.TwitNames.Decode(r.row)
		if err != nil || gone || !posted || key != a.key() {
			return nil, orNothing(err)
		}
		return []hbase.Cell{tables.TwitNames.Gone(r.at)}, nil
	},
	plan: func(a deleteTwitArgs, o op) plan {
		t := a.twit()
		members := stage{remove(tables.Twits, a.Author, t, o.at)}
		if a.Album {
			members = append(members, remove(tables.Albums, a.Author, t, o.at))
		}
		return plan{
			now: []stage{append(members, a.counts(-1)...)},
			later: []stage{append(unrelateAll(tables.PostedTwits, t.Key().String()),
				job{tables.Job{ID: o.id, Kind: tables.Deleted, At: o.at, Author: a.Author, Position: t.Key().Position}},
				eachMember(tables.Comments, t.Key().String(), func(c *tables.Comment) step { return demand{"deleteComment", removalOf(c)} }),
			)},
		}
	},
})

// deleteTwits deletes all that an author posted. The author's followers should have gone before, and with them what was in their timelines, or each
// twit is taken out of each.
func deleteTwits(author string) step {
	return eachMember(tables.Twits, author, func(t *tables.Twit) step { return demand{"deleteTwit", deletionOf(t)} })
}

// PostTwit posts a twit, and returns where it is. It may be refused with Problems.
func (w *Writers) PostTwit(ctx context.Context, author string, t NewTwit) (tables.TwitKey, error) {
	var in input
	t.Title = in.title("title", t.Title)
	t.Content = in.twit("content", t.Content, len(t.PhotoURLs) > 0)
	t.PhotoURLs = in.photos("photoUrls", t.PhotoURLs)
	t.IdempotencyKey = in.idempotencyKey("idempotencyKey", t.IdempotencyKey)
	if err := in.err(); err != nil {
		return tables.TwitKey{}, err
	}
	a := postTwitArgs{twitRef{Author: author, Name: w.newOp(w.now())}, t}
	if t.IdempotencyKey != nil {
		a.Name = tables.KeyedName(author, *t.IdempotencyKey)
	}
	_, err := do(ctx, w, postTwit, &a)
	return a.key(), err
}

// DeleteTwit deletes a twit, which the caller has seen; nil is none. If it is gone already, nothing happens.
func (w *Writers) DeleteTwit(ctx context.Context, t *tables.Twit) error {
	if t == nil {
		return refuse(NotFound, "id", "there is no such twit")
	}
	_, err := do(ctx, w, deleteTwit, deletionOf(t))
	return err
}
