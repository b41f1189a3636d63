package tables

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"google.golang.org/protobuf/encoding/protowire"
)

// Comment is a remark on a twit. It never changes, so it lies whole in its twit's list.
type Comment struct {
	Twit       TwitKey
	AuthorName string
	PostedAt   time.Time // to the millisecond
	Content    string
	// Mark tells it from others of the same time: see [CommentMark].
	Mark string
}

// markAuthor is how many bytes of its author's name a comment's mark holds: enough to put comments of one time in their authors'
// order, and few enough that a comment's id stays short.
const markAuthor = 24

const markHash = 8

// CommentMark returns what identifies an imported comment among those of the same twit and time: the author's name, at most its first 24
// bytes, 0, and a hash of author, content and the ordinal among equals. Importing it twice makes one.
func CommentMark(author, content string, ordinal int) string {
	hash := xxhash.New()
	_, _ = fmt.Fprintf(hash, "%s\x00%d\x00%s", author, ordinal, content)
	return string(binary.BigEndian.AppendUint64([]byte(shortName(author)+separator), hash.Sum64()))
}

// shortName cuts a username to what a mark holds of it, whole characters.
func shortName(author string) string {
	short := author[:min(len(author), markAuthor)]
	for !utf8.ValidString(short) {
		short = short[:len(short)-1]
	}
	return short
}

// CommentKey is the place of a comment: its twit and its position in the twit's list.
type CommentKey struct {
	Twit     TwitKey
	Position string
}

// Parts returns when the comment was written, and its mark.
func (k CommentKey) Parts() (postedAt time.Time, mark string, err error) { return revert(k.Position) }

// String returns the comment's key: the length of the twit's key, that key, the position.
func (k CommentKey) String() string {
	return string(append(appendPart(nil, k.Twit.String()), k.Position...))
}

// ParseCommentKey reads a key of [CommentKey.String] back.
func ParseCommentKey(key string) (CommentKey, error) {
	twit, position, ok := cutPart(key)
	if !ok {
		return CommentKey{}, fmt.Errorf("%w: a comment's key is damaged", ErrName)
	}
	k, err := ParseTwitKey(twit)
	if err != nil {
		return CommentKey{}, err
	}
	return CommentKey{k, position}, checkCommentPosition(position)
}

// ID names the comment.
func (c *Comment) ID() ID {
	return ID{NounComment, c.Key().String()}
}

// Key returns the comment's place.
func (c *Comment) Key() CommentKey { return CommentKey{c.Twit, c.position()} }

func (c *Comment) position() string { return invert(c.PostedAt) + c.Mark }

// CommentCount is the column, in the twit's row of the comments' table, of how many comments there are.
const CommentCount = Attributes + ":commentCount"

// Comments are the remarks on a twit, newest first, whole. The owner is the twit's key.
var Comments = newList(List[*Comment]{
	AnyList: AnyList{Table: "comments", Family: "l", Owner: PostedTwits, Count: "commentCount", Cursor: 'c',
		MaxMember: 10 << 10, position: checkCommentPosition},
	decode: decodeComment,
	encode: func(c *Comment) (string, []byte) {
		return c.position(), record(nil).add(commentAuthor, c.AuthorName).add(commentContent, c.Content)
	},
	size: func(c *Comment) int {
		return int(unsafe.Sizeof(*c)) + len(c.Twit.Author) + len(separator) + len(c.Twit.Position)
	},
})

// The fields of a comment's record.
const (
	commentAuthor protowire.Number = iota + 1
	commentContent
)

func checkCommentPosition(position string) error {
	_, _, err := revertComment(position)
	return err
}

// revertComment reads a comment's position: its time, and its mark.
func revertComment(position string) (at time.Time, mark string, err error) {
	at, mark, err = revert(position)
	if err != nil {
		return at, mark, err
	}
	name, hash, ok := strings.Cut(mark, separator)
	if !ok || len(hash) != markHash || name == "" || len(name) > markAuthor || !utf8.ValidString(name) {
		err = fmt.Errorf("%w: a comment's position is damaged", ErrName)
	}
	return at, mark, err
}

func decodeComment(m *Memory, owner, position string, value []byte) (*Comment, error) {
	twit, err := ParseTwitKey(owner)
	if err != nil {
		return nil, err
	}
	at, mark, err := revertComment(position)
	if err != nil {
		return nil, err
	}
	c, whole := m.comments.one(), false
	c.Twit, c.PostedAt, c.Mark = twit, at, mark
	r := record(value).strings()
	for field, s, more := r.next(); more; field, s, more = r.next() {
		fits := false
		switch field {
		case commentAuthor:
			short, _, _ := strings.Cut(mark, separator)
			fits = c.AuthorName == "" && short == shortName(s)
			c.AuthorName = s
		case commentContent:
			fits = !whole
			c.Content, whole = s, true
		}
		if !fits {
			r.refuse(field)
		}
	}
	if r.err == nil && !whole {
		r.err = fmt.Errorf("%w: a comment has no content", ErrName)
	}
	if r.err == nil {
		r.err = CheckUsername(c.AuthorName)
	}
	return c, r.err
}

// UserComments are the places of the comments that the owner wrote, newest first, so that they are found when the owner is deleted.
var UserComments = newList(List[CommentKey]{
	AnyList: AnyList{Table: "user_comments", Family: "l", Owner: &Users.AnyObject},
	decode:  decodeUserComment,
	encode:  func(k CommentKey) (string, []byte) { return k.Position + k.Twit.String(), nil },
})

// decodeUserComment splits a position of a comment from the key of its twit. The mark's hash, of fixed length, ends the position; the name before
// it holds no separator, but the inverted time may.
func decodeUserComment(_ *Memory, _, qualifier string, _ []byte) (CommentKey, error) {
	if len(qualifier) >= timeSize {
		if at := strings.Index(qualifier[timeSize:], separator); at >= 0 && timeSize+at+1+markHash <= len(qualifier) {
			end := timeSize + at + 1 + markHash
			twit, err := ParseTwitKey(qualifier[end:])
			if err != nil {
				return CommentKey{}, err
			}
			return CommentKey{twit, qualifier[:end]}, checkCommentPosition(qualifier[:end])
		}
	}
	return CommentKey{}, fmt.Errorf("%w: a place of a comment is damaged", ErrName)
}
