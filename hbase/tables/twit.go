package tables

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"twibase/hbase"
)

// Twit is a post. It never changes, so it lies whole in the cells of the lists that show it.
type Twit struct {
	AuthorName string
	PostedAt   time.Time // to the millisecond
	// Name is the part of its id that tells it from others of the same author and time: the id that its source gave it.
	Name       string
	Title      *string
	Content    string
	PhotoURLs  []string
	Visibility Visibility
}

// TwitKey is the place of a twit: its author and its position in the author's list.
type TwitKey struct{ Author, Position string }

// String returns author ‖ 0 ‖ position, the twit's key.
func (k TwitKey) String() string { return k.Author + separator + k.Position }

// Parts returns when the twit was posted, and its name.
func (k TwitKey) Parts() (postedAt time.Time, name string, err error) { return revert(k.Position) }

// ParseTwitKey reads a key of [TwitKey.String] back.
func ParseTwitKey(key string) (TwitKey, error) {
	author, position, _ := strings.Cut(key, separator)
	if err := CheckUsername(author); err != nil {
		return TwitKey{}, err
	}
	return TwitKey{author, position}, checkTwitPosition(position)
}

// Key returns the twit's place.
func (t *Twit) Key() TwitKey { return TwitKey{t.AuthorName, t.position()} }

// ID names the twit. It is short enough to be inlined, so that an id that is only written takes no memory, up to the 32 bytes that Go keeps on the stack.
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

// InAlbum reports whether the author's album shows the twit: it has photos or is for followers.
func (t *Twit) InAlbum() bool { return len(t.PhotoURLs) > 0 || t.Visibility == FollowersOnly }

// PostedTwits are the twits as objects. A twit has no row of attributes: it is in its author's list, and a row of
// [TwitNames] finds it by its name. Its row in the table of the comments has its counts.
var PostedTwits = &AnyObject{
	Noun: NounTwit, Name: "twit", Table: "comments",
	check:  func(key string) error { _, err := ParseTwitKey(key); return err },
	author: func(key string) string { k, _ := ParseTwitKey(key); return k.Author },
	named: &naming{
		check: CheckTwitID,
		of: func(key string) string {
			k, _ := ParseTwitKey(key)
			_, name, _ := k.Parts()
			return name
		},
		get: TwitNames.Get,
		find: func(cells []hbase.Cell) (key string, found bool, err error) {
			k, gone, found, err := TwitNames.Decode(cells)
			return k.String(), found && !gone, err
		},
	},
}

// Twits are the owner's posts, newest first, whole.
var Twits = twitList(AnyList{Table: "users", Family: "t", Owner: &Users.AnyObject, Cursor: 't',
	Count: "twitCount", PublicCount: "publicTwitCount"})

// Albums are those of the owner's posts that have photos or are for followers, newest first, whole.
var Albums = twitList(AnyList{Table: "albums", Family: "l", Owner: &Users.AnyObject, Cursor: 'a',
	Count: "albumCount", PublicCount: "publicAlbumCount"})

// The fields of a twit's record.
const (
	twitContent protowire.Number = iota + 1
	twitTitle
	twitPhoto
	twitFollowersOnly
)

func twitList(l AnyList) *List[*Twit] {
	l.position, l.MaxMember = checkTwitPosition, 48<<10
	return newList(List[*Twit]{
		AnyList:  l,
		decode:   decodeTwit,
		encode:   func(t *Twit) (string, []byte) { return t.position(), encodeTwit(t) },
		size:     (*Twit).size,
		isPublic: func(t *Twit) bool { return t.Visibility == Public },
	})
}

// size is that of [List].
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
	t, whole := m.twits.one(), false
	t.AuthorName, t.PostedAt, t.Name, t.Visibility = author, at, name, Public
	r := record(value).strings()
	for field, s, more := r.next(); more; field, s, more = r.next() {
		fits := false
		switch field {
		case twitContent:
			fits = !whole
			t.Content, whole = s, true
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
			r.refuse(field)
		}
	}
	if r.err == nil && !whole {
		r.err = fmt.Errorf("%w: a twit has no content", ErrName)
	}
	return t, r.err
}

// MayBeForFollowers reports whether an unreadable twit's record may have had the field that says that it is
// for followers. It returns false only if the record is still whole enough to show that it lacks the field.
func MayBeForFollowers(value []byte) bool {
	whole := false
	r := reader{rest: value, valid: true} // a damaged text does not hide the fields after it
	for field, _, more := r.next(); more; field, _, more = r.next() {
		if field >= twitFollowersOnly {
			return true
		}
		whole = whole || field == twitContent
	}
	return r.err != nil || !whole
}

// TwitNames finds the place of a twit by the id that its source gave it, so that comments can be imported on their own.
var TwitNames = twitNames{"twit_ids"}

type twitNames struct{ Table string }

// The columns of a twit's id. Deletions are decided here too: a row stays for ever, so that no id names two twits.
const (
	twitNameKey  = "key"
	twitNameGone = "gone" // "1" if the twit was deleted
)

// Get reads where the twit of that id is, or was.
func (n twitNames) Get(id string) hbase.Get {
	return hbase.Get{Table: n.Table, Row: RowKey(id), Columns: Attributes + ":" + twitNameKey + " " + Attributes + ":" + twitNameGone}
}

// Put writes where the twit is.
func (n twitNames) Put(t *Twit, timestamp int64) hbase.Put {
	return hbase.Put{Table: n.Table, Row: RowKey(t.Name), Cells: []hbase.Cell{textCell(twitNameKey, t.Key().String(), timestamp)}}
}

// DeletedCell is the column which says that the twit was deleted.
func (n twitNames) DeletedCell(timestamp int64) hbase.Cell {
	return textCell(twitNameGone, "1", timestamp)
}

// Decode returns the twit's place, and whether it was deleted; ok is false if the cells hold none.
func (n twitNames) Decode(cells []hbase.Cell) (key TwitKey, gone, ok bool, err error) {
	for _, c := range cells {
		value := string(c.Value)
		switch c.Qualifier {
		case twitNameKey:
			ok = true
			key, err = ParseTwitKey(value)
		case twitNameGone:
			if gone = true; value != "1" {
				err = fmt.Errorf("%w: it says whether a twit is gone", ErrName)
			}
		}
		if err != nil {
			return TwitKey{}, false, false, corrupt(err, value)
		}
	}
	return key, gone, ok, nil
}
