// Package relay implements Relay's global ids, cursors, and arguments of connections.
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

// UnmarshalID returns the zero ID for a malformed id, and LIMIT_EXCEEDED for a long one.
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

// decode accepts only canonical base64, so that an object has one id, and an entry one cursor.
func decode(s string) ([]byte, bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	return b, err == nil && base64.RawURLEncoding.EncodeToString(b) == s
}

// Cursors encodes and decodes the cursors of one kind of connection.
type Cursors struct {
	// Letter is the first byte of each cursor.
	Letter byte
	// Check rejects invalid positions.
	Check func(position string) error
}

// CursorsOf returns the cursors of a list.
func CursorsOf(l *tables.AnyList) Cursors { return Cursors{l.Cursor, l.Check} }

// Descendants is the Letter of Department.descendants, which is not a list of the catalogue.
const Descendants = 'd'

// Encode returns the cursor of a position.
func (c Cursors) Encode(position string) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{c.Letter}, position...))
}

// Decode reverses Encode. A cursor that is malformed or of another kind of connection is
// BAD_USER_INPUT, a long one LIMIT_EXCEEDED.
func (c Cursors) Decode(cursor string) (position string, err error) {
	if len(cursor) > MaxLength {
		return "", apierr.LimitExceeded("a cursor's length in bytes", MaxLength, len(cursor))
	}
	b, ok := decode(cursor)
	if !ok || len(b) < 2 || b[0] != c.Letter || c.Check(string(b[1:])) != nil {
		return "", apierr.BadUserInput("the cursor is not one of this list: pass one that the same field returned")
	}
	return string(b[1:]), nil
}

// The sizes of pages.
const (
	MaxPage     = 100
	DefaultPage = 20
)

// Page is a requested page.
type Page struct {
	// Size is from 1 to [MaxPage].
	Size int
	// Backward: the page is counted from the end.
	Backward bool
	// After and Before are exclusive positions, or empty.
	After, Before string
}

// Page reads the arguments of a connection. A page above [MaxPage] is LIMIT_EXCEEDED.
func (c Cursors) Page(first *int, after *string, last *int, before *string) (Page, error) {
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
		return Page{}, apierr.BadUserInput("first and last must be at least 1: " +
			"to read only totalCount, pass neither of them, and select no other field of the connection")
	case p.Size > MaxPage:
		return Page{}, apierr.LimitExceeded("a page's number of entries", MaxPage, p.Size)
	}
	var err error
	if after != nil {
		p.After, err = c.Decode(*after)
	}
	if before != nil && err == nil {
		p.Before, err = c.Decode(*before)
	}
	return p, err
}
