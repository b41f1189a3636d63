package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// twitRef identifies a twit in JSON, which cannot hold the bytes of the twit's position.
type twitRef struct {
	Author string
	At     int64 // milliseconds
	Name   string
}

func refOf(t *tables.Twit) twitRef { return twitRef{t.AuthorName, t.PostedAt.UnixMilli(), t.Name} }

func (r twitRef) twit() *tables.Twit {
	return &tables.Twit{AuthorName: r.Author, PostedAt: millis(r.At), Name: r.Name}
}

func (r twitRef) key() tables.TwitKey { return r.twit().Key() }

func (r twitRef) job(kind tables.JobKind, t *tables.Twit, o operation) job {
	return job{tables.Job{ID: o.id, Kind: kind, At: o.at, Author: r.Author, Position: t.Key().Position}}
}

// NewTwit is the input of postTwit.
type NewTwit struct {
	Title          *string
	Content        string
	PhotoURLs      []string
	Visibility     tables.Visibility
	IdempotencyKey *string
}

type postTwitArgs struct {
	twitRef
	NewTwit
}

func (a postTwitArgs) twit(at int64) *tables.Twit {
	return &tables.Twit{AuthorName: a.Author, PostedAt: millis(at), Name: a.Name,
		Title: a.Title, Content: a.Content, PhotoURLs: a.PhotoURLs, Visibility: a.Visibility}
}

func (a postTwitArgs) author() references { return references{ref(tables.Users, a.Author, "")} }

// PostTwit derives the twit's id from the idempotency key.
var postTwit = register(opType[postTwitArgs]{
	name:  "postTwit",
	row:   func(a postTwitArgs) hbase.Get { return tables.TwitNames.Get(a.Name) },
	reads: func(a postTwitArgs) []hbase.Get { return a.author().gets() },
	check: func(a *postTwitArgs, r *reading) (decision, error) {
		if err := a.author().check(r.cells); err != nil {
			return unchanged, err
		}
		key, gone, posted, err := tables.TwitNames.Decode(r.row)
		switch {
		case err != nil:
			return unchanged, err
		case gone:
			return unchanged, reject(NotFound, "idempotencyKey", "the twit that was posted under this key was deleted")
		case posted:
			at, _, err := key.Parts()
			a.At = at.UnixMilli()
			return unchanged, err
		}
		a.At = r.at
		return commit(tables.TwitNames.Put(a.twit(r.at), r.at).Cells...), nil
	},
	effects: func(a postTwitArgs, o operation) effects {
		t := a.twit(o.at)
		posted := join(tables.Twits, a.Author, t, o.at)
		if t.InAlbum() {
			posted = append(posted, join(tables.Albums, a.Author, t, o.at)...)
		}
		return effects{
			now: []stage{
				posted,
				{compensation{a.author(), deletionWithAuthor(t)}},
			},
			later: []stage{{a.job(tables.Posted, t, o)}},
		}
	},
})

// Album and Public decide which lists and counts have the twit. They never change.
type deleteTwitArgs struct {
	twitRef
	Album, Public bool
	// AuthorDeleted omits the event, which no viewer may see.
	AuthorDeleted bool `json:",omitempty"`
}

func deletionWithAuthor(t *tables.Twit) nested {
	a := deletionOf(t)
	a.AuthorDeleted = true
	return nested{"deleteTwit", a}
}

func deletionOf(t *tables.Twit) *deleteTwitArgs {
	return &deleteTwitArgs{twitRef: refOf(t), Album: t.InAlbum(), Public: t.Visibility == tables.Public}
}

// The event is stored after the twit is hidden, so that subscribers no longer find the twit.
var deleteTwit = register(opType[deleteTwitArgs]{
	name: "deleteTwit",
	row:  func(a deleteTwitArgs) hbase.Get { return tables.TwitNames.Get(a.Name) },
	check: func(a *deleteTwitArgs, r *reading) (decision, error) {
		key, gone, posted, err := tables.TwitNames.Decode(r.row)
		if err != nil || gone || !posted || key != a.key() {
			return unchanged, err
		}
		return commit(tables.TwitNames.DeletedCell(r.at)), nil
	},
	effects: func(a deleteTwitArgs, o operation) effects {
		t := a.twit()
		t.Visibility = tables.Visibility(a.Public)
		deleted := leave(tables.Twits, a.Author, t, o.at)
		if a.Album {
			deleted = append(deleted, leave(tables.Albums, a.Author, t, o.at)...)
		}
		announced := stage{a.job(tables.Deleted, t, o)}
		if !a.AuthorDeleted {
			event := tables.TwitDeletion{At: millis(o.at), Twit: a.key(), Visibility: t.Visibility}
			announced = append(announced, put{event.Put()})
		}
		return effects{
			now:   []stage{deleted},
			later: append([]stage{announced}, clearAll(tables.PostedTwits, t.Key().String())...),
		}
	},
})

// deleteTwits runs after the author's relations have ended. So one unfollowed job per timeline
// removes all twits, and the jobs of the deleted twits find no followers.
func deleteTwits(author string) effect {
	return eachMember(tables.Twits, author, func(t *tables.Twit) effect { return deletionWithAuthor(t) })
}

// PostTwit returns the key of the twit.
func (w *Writers) PostTwit(ctx context.Context, author string, t NewTwit) (tables.TwitKey, error) {
	var in input
	t.Title = in.title(t.Title)
	t.Content = in.lines("content", t.Content, MaxTwit, len(t.PhotoURLs) > 0)
	t.PhotoURLs = in.photos("photoUrls", t.PhotoURLs)
	t.IdempotencyKey = in.idempotencyKey(t.IdempotencyKey)
	a := postTwitArgs{twitRef{Author: author, Name: w.newOp(w.now())}, t}
	if t.IdempotencyKey != nil {
		a.Name = tables.KeyedName(author, *t.IdempotencyKey)
	}
	err := execute(ctx, w, &in, postTwit, &a)
	return a.key(), err
}

// DeleteTwit is idempotent. The error is NOT_FOUND if t is nil.
func (w *Writers) DeleteTwit(ctx context.Context, t *tables.Twit) error {
	if t == nil {
		return UserErrors{noSuch("twit", "id")}
	}
	return execute(ctx, w, nil, deleteTwit, deletionOf(t))
}

// TwitWasDeleted returns NOT_FOUND unless a twit with the key was posted and then deleted.
func (w *Writers) TwitWasDeleted(ctx context.Context, key tables.TwitKey) error {
	never := UserErrors{noSuch("twit", "id")}
	_, name, err := key.Parts()
	if err != nil {
		return never
	}
	cells, err := w.client(deleteTwit.name).one(ctx, "read, deleted", tables.TwitNames.Get(name))
	if err != nil {
		return err
	}
	stored, gone, posted, err := tables.TwitNames.Decode(cells)
	switch {
	case err != nil:
		return err
	case !gone || !posted || stored != key:
		return never
	}
	return nil
}
