// Package relay implements the conventions of Relay: global ids, cursors, and the arguments of
// pages.
package relay

import (
	"encoding/base64"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/hbase/tables"
)

// MaxLength is the maximum length of an id or a cursor in bytes.
const MaxLength = 512

// MarshalID writes a global id.
func MarshalID(id tables.ID) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(AppendID(nil, id)) })
}

// AppendID appends what [MarshalID] writes.
func AppendID(dst []byte, id tables.ID) []byte {
	dst = append(dst, '"')
	var few [128]byte
	return append(base64.RawURLEncoding.AppendEncode(dst, id.Append(few[:0])), '"')
}

// UnmarshalID reads a global id. A malformed id is the zero ID without an error, because to clients
// it is the id of an object that does not exist. A length above [MaxLength] is LIMIT_EXCEEDED.
func UnmarshalID(v any) (tables.ID, error) {
	s, _ := v.(string)
	if len(s) > MaxLength {
		return tables.ID{}, apierr.LimitExceeded("an id's length in bytes", MaxLength, len(s))
	}
	b, ok := decode(s)
	if !ok {
		return tables.ID{}, nil
	}
	id, err := tables.ParseID(b)
	if err != nil {
		return tables.ID{}, nil
	}
	return id, nil
}

// decode accepts only canonical base64, so that an object has one id and an entry one cursor. The
// library ignores line breaks and unused bits.
func decode(s string) ([]byte, bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	return b, err == nil && base64.RawURLEncoding.EncodeToString(b) == s
}

// List is a kind of connection, by the letter that starts its cursors: a cursor of one kind is refused by another.
type List byte

// The kinds of connections.
const (
	Followers       List = 'f'
	Following       List = 'g'
	Twits           List = 't'
	Album           List = 'a'
	Timeline        List = 'l'
	UserRoles       List = 'r'
	UserGames       List = 'p'
	Comments        List = 'c'
	RoleUsers       List = 'h'
	SubDepartments  List = 's'
	Descendants     List = 'd'
	DepartmentRoles List = 'e'
	Players         List = 'y'
	TwitLikes       List = 'k'
	LikedTwits      List = 'i'
	AllUsers        List = 'U'
	AllRoles        List = 'R'
	AllGames        List = 'G'
)

// EncodeCursor returns the opaque cursor of a position in such a list.
func (l List) EncodeCursor(position string) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{byte(l)}, position...))
}

// DecodeCursor returns the position that a cursor stands for. It is BAD_USER_INPUT if the cursor is of no such list, and LIMIT_EXCEEDED if it has
// more than [MaxLength] bytes. The position itself may still be anything: the list must check it.
func (l List) DecodeCursor(cursor string) (position string, err error) {
	if len(cursor) > MaxLength {
		return "", apierr.LimitExceeded("a cursor's length in bytes", MaxLength, len(cursor))
	}
	b, ok := decode(cursor)
	if !ok || len(b) < 2 || b[0] != byte(l) {
		return "", BadCursor()
	}
	return string(b[1:]), nil
}

// BadCursor is the error of a cursor that does not belong to its list.
func BadCursor() error {
	return apierr.BadUserInput("the cursor is not one of this list: pass one that the same field returned")
}

// The sizes of pages.
const (
	MaxPage     = 100
	DefaultPage = 20
)

// Page is what the arguments of a connection ask for.
type Page struct {
	// Size is how many entries to return, from 1 to [MaxPage].
	Size int
	// Backward takes them from the end.
	Backward bool
	// After and Before are the positions between which the entries lie; empty means no bound.
	After, Before string
}

// Page reads the arguments of a connection of such a list. check, such as that of a [tables.List], says whether a position
// can be one. Its errors are for clients: an error, never a page that is silently cut.
func (l List) Page(first *int, after *string, last *int, before *string, check func(position string) error) (Page, error) {
	p := Page{Size: DefaultPage}
	switch {
	case first != nil && last != nil:
		return Page{}, apierr.BadUserInput("first and last exclude each other: pass one of them")
	case first != nil:
		p.Size = *first
	case last != nil:
		p.Size, p.Backward = *last, true
	}
	switch {
	case p.Size < 1:
		return Page{}, apierr.BadUserInput("first and last are at least 1: who wants the total alone selects nothing else")
	case p.Size > MaxPage:
		return Page{}, apierr.LimitExceeded("a page's number of entries", MaxPage, p.Size)
	}
	var err error
	if p.After, err = l.bound(after, check); err == nil {
		p.Before, err = l.bound(before, check)
	}
	return p, err
}

func (l List) bound(cursor *string, check func(position string) error) (string, error) {
	if cursor == nil {
		return "", nil
	}
	position, err := l.DecodeCursor(*cursor)
	if err == nil && check(position) != nil {
		err = BadCursor()
	}
	if err != nil {
		return "", err
	}
	return position, nil
}
