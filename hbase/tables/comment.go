package tables

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"twibase/hbase"
)

// Comment never changes.
type Comment struct {
	Twit       TwitKey
	AuthorName string
	PostedAt   time.Time // to the millisecond
	Content    string
	Mark       string // unique for twit and time: see [CommentMark]
}

const (
	// markAuthor bounds the author's name in a mark, in bytes. Marks begin with the name, so most
	// comments of the same time are sorted by author.
	markAuthor = 24
	markHash   = 8 // bytes
)

// CommentMark returns a [Comment.Mark]: see docs/TABLES.md. The ordinal distinguishes equal
// comments of a file, so that a second import makes the same marks and adds no comment.
func CommentMark(author, content string, ordinal int) string {
	hash := xxhash.New()
	_, _ = fmt.Fprintf(hash, "%s\x00%d\x00%s", author, ordinal, content)
	return string(binary.BigEndian.AppendUint64([]byte(shortName(author)+separator), hash.Sum64()))
}

func shortName(author string) string {
	short := author[:min(len(author), markAuthor)]
	for !utf8.ValidString(short) {
		short = short[:len(short)-1]
	}
	return short
}

// CommentKey is a position in a twit's comments.
type CommentKey struct {
	Twit     TwitKey
	Position string
}

// Parts parses the position.
func (k CommentKey) Parts() (postedAt time.Time, mark string, err error) { return revert(k.Position) }

func (k CommentKey) String() string {
	return string(append(appendPart(nil, k.Twit.String()), k.Position...))
}

// ParseCommentKey parses [CommentKey.String].
func ParseCommentKey(key string) (CommentKey, error) {
	twit, position, ok := nextPart(key)
	if !ok {
		return CommentKey{}, fmt.Errorf("%w: a comment's key is damaged", ErrName)
	}
	k, err := ParseTwitKey(twit)
	if err != nil {
		return CommentKey{}, err
	}
	return CommentKey{k, position}, checkCommentPosition(position)
}

func (c *Comment) ID() ID {
	return ID{NounComment, c.Key().String()}
}

func (c *Comment) Key() CommentKey { return CommentKey{c.Twit, c.position()} }

func (c *Comment) position() string { return invert(c.PostedAt) + c.Mark }

// Comments are a twit's comments, newest first.
var Comments = newList(List[*Comment]{
	AnyList: AnyList{Table: "comments", Family: "l", Owner: PostedTwits, Count: "commentCount", Cursor: 'c',
		MaxMember: 10 << 10, Check: checkCommentPosition},
	decode: decodeComment,
	encode: func(c *Comment) (string, []byte) {
		return c.position(), record(nil).add(commentAuthor, c.AuthorName).add(commentContent, c.Content)
	},
	size: func(c *Comment) int {
		return int(unsafe.Sizeof(*c)) + len(c.Twit.Author) + len(separator) + len(c.Twit.Position)
	},
})

const (
	commentAuthor protowire.Number = iota + 1
	commentContent
)

func checkCommentPosition(position string) error {
	_, _, err := revertComment(position)
	return err
}

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
	c, complete := m.comments.one(), false
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
			fits = !complete
			c.Content, complete = s, true
		}
		if !fits {
			r.reject(field)
		}
	}
	if r.err == nil && !complete {
		r.err = fmt.Errorf("%w: a comment has no content", ErrName)
	}
	if r.err == nil {
		r.err = CheckUsername(c.AuthorName)
	}
	return c, r.err
}

// UserComments are a user's comments, newest first, for the user's deletion.
var UserComments = newList(List[CommentKey]{
	AnyList: AnyList{Table: "user_comments", Family: "l", Owner: &Users.AnyObject},
	decode:  decodeUserComment,
	encode:  func(k CommentKey) (string, []byte) { return k.Position + k.Twit.String(), nil },
})

func decodeUserComment(_ *Memory, _, qualifier string, _ []byte) (CommentKey, error) {
	// A position ends with a hash of fixed length. Its time may contain the separator.
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
	return CommentKey{}, fmt.Errorf("%w: the position of a comment of a user is damaged", ErrName)
}

// Commenters are the commit rows of comments, one per twit and author.
var Commenters = commenters{"commenters"}

type commenters struct{ Table string }

const (
	commenterAdded   = "k" // ‖ hash of the idempotency key → time and mark
	commenterRemoved = "g" // ‖ position of the comment → "1"
)

func encodeQualifier(s string) string { return opDigits.EncodeToString([]byte(s)) }

func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return encodeQualifier(string(sum[:15]))
}

func (commenters) Row(twit TwitKey, author string) string {
	return RowKey(twit.String() + separator + author)
}

func (c commenters) Added(twit TwitKey, author, key string) hbase.Get {
	return c.get(twit, author, commenterAdded+hashKey(key))
}

func (c commenters) Removed(comment CommentKey, author string) hbase.Get {
	return c.get(comment.Twit, author, commenterRemoved+encodeQualifier(comment.Position))
}

// RemovedAt reads whether the author's comment of a time was removed. It needs no mark, because
// only imports add several comments at one time.
func (c commenters) RemovedAt(twit TwitKey, author string, at time.Time) hbase.Get {
	removed := func(at time.Time) string { return commenterRemoved + encodeQualifier(invert(at)) }
	return hbase.Get{Table: c.Table, Row: c.Row(twit, author), Columns: Attributes,
		Page: hbase.Page{Start: removed(at), Stop: removed(at.Add(-time.Millisecond)), Limit: 1}}
}

func (c commenters) get(twit TwitKey, author, column string) hbase.Get {
	return hbase.Get{Table: c.Table, Row: c.Row(twit, author), Columns: Attributes + ":" + column}
}

func (c commenters) AddedCell(key string, at time.Time, mark string, timestamp int64) hbase.Cell {
	value := encodeMilli(at)
	if mark != "" {
		value += " " + mark
	}
	return textCell(commenterAdded+hashKey(key), value, timestamp)
}

func (c commenters) RemovedCell(position string, timestamp int64) hbase.Cell {
	return textCell(commenterRemoved+encodeQualifier(position), "1", timestamp)
}

// DecodeAdded accepts values of early versions, without a mark.
func (c commenters) DecodeAdded(cells []hbase.Cell) (at time.Time, mark string, ok bool, err error) {
	for _, cell := range cells {
		if strings.HasPrefix(cell.Qualifier, commenterAdded) {
			text, mark, marked := strings.Cut(string(cell.Value), " ")
			at, err := decodeMilli(text)
			if err == nil && marked {
				err = checkCommentPosition(invert(at) + mark)
			}
			return at, mark, true, corrupt(err, cell.Qualifier)
		}
	}
	return time.Time{}, "", false, nil
}

func (c commenters) DecodeRemoved(cells []hbase.Cell) bool {
	return slices.ContainsFunc(cells, func(c hbase.Cell) bool {
		return strings.HasPrefix(c.Qualifier, commenterRemoved)
	})
}

// KeyedName hashes a caller and an idempotency key, for a twit's name or an [Origin].
func KeyedName(caller, key string) string { return hashKey(caller + separator + key) }
