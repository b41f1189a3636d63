package tables

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"twibase/hbase"
)

// Twit never changes, so the author's list and the album store copies.
type Twit struct {
	AuthorName string
	PostedAt   time.Time // to the millisecond
	Name       string    // unique; from a CSV file or package writers
	Title      *string
	Content    string
	PhotoURLs  []string
	Visibility Visibility
}

// TwitKey is a position in the author's list.
type TwitKey struct{ Author, Position string }

func (k TwitKey) String() string { return k.Author + separator + k.Position }

// Parts parses the position.
func (k TwitKey) Parts() (postedAt time.Time, name string, err error) { return revert(k.Position) }

// ParseTwitKey parses [TwitKey.String].
func ParseTwitKey(key string) (TwitKey, error) {
	author, position, _ := strings.Cut(key, separator)
	if err := CheckUsername(author); err != nil {
		return TwitKey{}, err
	}
	return TwitKey{author, position}, checkTwitPosition(position)
}

func (t *Twit) Key() TwitKey { return TwitKey{t.AuthorName, t.position()} }

// ID is short enough to be inlined, so an id that does not escape is not allocated. Otherwise
// BenchmarkEmbedded/reference in bench makes 1,700 allocations instead of 500.
func (t *Twit) ID() ID {
	var few [64]byte
	return ID{NounTwit, string(t.appendKey(few[:0]))}
}

// appendKey would make ID too long to be inlined.
//
//go:noinline
func (t *Twit) appendKey(b []byte) []byte {
	b = append(append(b, t.AuthorName...), separator...)
	return append(appendInverted(b, t.PostedAt), t.Name...)
}

func (t *Twit) position() string { return invert(t.PostedAt) + t.Name }

// InAlbum reports whether an album shows the twit.
func (t *Twit) InAlbum() bool { return len(t.PhotoURLs) > 0 || t.Visibility == FollowersOnly }

// PostedTwits are the twits as objects. A twit's row has only counts and comments, because lists
// hold whole twits. [TwitNames] finds the key.
var PostedTwits = &AnyObject{
	Noun: NounTwit, Name: "twit", Table: "comments",
	CheckKey: func(key string) error { _, err := ParseTwitKey(key); return err },
	author:   func(key string) string { k, _ := ParseTwitKey(key); return k.Author },
	named: &nameLookup{
		check: CheckTwitID,
		of: func(key string) string {
			k, _ := ParseTwitKey(key)
			_, name, _ := k.Parts()
			return name
		},
		get: TwitNames.Get,
		find: func(cells []hbase.Cell) (key string, found bool, err error) {
			k, deleted, found, err := TwitNames.Decode(cells)
			return k.String(), found && !deleted, err
		},
	},
}

// Twits are a user's twits, newest first.
var Twits = twitList(AnyList{Table: "users", Family: "t", Owner: &Users.AnyObject, Cursor: 't',
	Count: "twitCount", PublicCount: "publicTwitCount"})

// Albums are a user's twits with [Twit.InAlbum], newest first.
var Albums = twitList(AnyList{Table: "albums", Family: "l", Owner: &Users.AnyObject, Cursor: 'a',
	Count: "albumCount", PublicCount: "publicAlbumCount"})

const (
	twitContent protowire.Number = iota + 1
	twitTitle
	twitPhoto
	twitFollowersOnly
)

func twitList(l AnyList) *List[*Twit] {
	l.Check, l.MaxMember = checkTwitPosition, 48<<10
	return newList(List[*Twit]{
		AnyList:  l,
		decode:   decodeTwit,
		encode:   func(t *Twit) (string, []byte) { return t.position(), encodeTwit(t) },
		size:     (*Twit).size,
		isPublic: func(t *Twit) bool { return t.Visibility == Public },
	})
}

func (t *Twit) size() int {
	size := int(unsafe.Sizeof(*t)) + len(t.AuthorName) + int(unsafe.Sizeof(""))*cap(t.PhotoURLs)
	if t.Title != nil {
		size += int(unsafe.Sizeof(*t.Title))
	}
	return size
}

func checkTwitPosition(position string) error {
	_, name, err := revert(position)
	if err != nil {
		return err
	}
	return CheckTwitID(name)
}

func encodeTwit(t *Twit) []byte {
	r := record(nil).add(twitContent, t.Content)
	if t.Title != nil {
		r = r.add(twitTitle, *t.Title)
	}
	for _, url := range t.PhotoURLs {
		r = r.add(twitPhoto, url)
	}
	if t.Visibility == FollowersOnly {
		r = r.add(twitFollowersOnly, "")
	}
	return r
}

func decodeTwit(m *Memory, author, position string, value []byte) (*Twit, error) {
	at, name, err := revert(position)
	if err != nil {
		return nil, err
	}
	if err := CheckTwitID(name); err != nil {
		return nil, err
	}
	t, hasContent := m.twits.one(), false
	t.AuthorName, t.PostedAt, t.Name, t.Visibility = author, at, name, Public
	r := record(value).strings()
	for field, s, more := r.next(); more; field, s, more = r.next() {
		fits := false
		switch field {
		case twitContent:
			fits = !hasContent
			t.Content, hasContent = s, true
		case twitTitle:
			fits = t.Title == nil
			t.Title = m.texts.one()
			*t.Title = s
		case twitPhoto:
			fits = true
			if t.PhotoURLs == nil {
				t.PhotoURLs = m.texts.many(1)[:0]
			}
			t.PhotoURLs = append(t.PhotoURLs, s)
		case twitFollowersOnly:
			if fits = s == "" && t.Visibility == Public; !fits {
				return t, fmt.Errorf("%w: unknown visibility %q", ErrName, s)
			}
			t.Visibility = FollowersOnly
		}
		if !fits {
			r.reject(field)
		}
	}
	if r.err == nil && !hasContent {
		r.err = fmt.Errorf("%w: a twit has no content", ErrName)
	}
	return t, r.err
}

// MayBeForFollowers reports whether a damaged record may be of a twit for followers.
func MayBeForFollowers(value []byte) bool {
	hasContent := false
	r := reader{rest: value, valid: true} // a damaged text does not hide the fields after it
	for field, _, more := r.next(); more; field, _, more = r.next() {
		if field >= twitFollowersOnly {
			return true
		}
		hasContent = hasContent || field == twitContent
	}
	return r.err != nil || !hasContent
}

// TwitNames find twits by name, and are the commit rows of posts and deletions. They are never
// deleted, so no name is reused.
var TwitNames = twitNames{"twit_ids"}

type twitNames struct{ Table string }

const (
	twitNameKey     = "key"
	twitNameDeleted = "gone" // "1": deleted
)

func (n twitNames) Get(name string) hbase.Get {
	return hbase.Get{Table: n.Table, Row: RowKey(name),
		Columns: Attributes + ":" + twitNameKey + " " + Attributes + ":" + twitNameDeleted}
}

func (n twitNames) Put(t *Twit, timestamp int64) hbase.Put {
	return hbase.Put{Table: n.Table, Row: RowKey(t.Name), Cells: []hbase.Cell{
		textCell(twitNameKey, t.Key().String(), timestamp)}}
}

func (n twitNames) DeletedCell(timestamp int64) hbase.Cell {
	return textCell(twitNameDeleted, "1", timestamp)
}

// Decode returns ok = false if no twit had the name.
func (n twitNames) Decode(cells []hbase.Cell) (key TwitKey, deleted, ok bool, err error) {
	for _, c := range cells {
		value := string(c.Value)
		switch c.Qualifier {
		case twitNameKey:
			ok = true
			key, err = ParseTwitKey(value)
		case twitNameDeleted:
			if deleted = true; value != "1" {
				err = fmt.Errorf("%w: the mark of a deleted twit is not 1", ErrName)
			}
		}
		if err != nil {
			return TwitKey{}, false, false, corrupt(err, value)
		}
	}
	return key, deleted, ok, nil
}
