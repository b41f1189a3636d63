// Package relay holds what Relay's conventions ask for: opaque global ids, opaque cursors, and the arguments of a page.
package relay

import (
	"encoding/base64"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/hbase/tables"
)

// MaxLength is how many bytes an id or a cursor has at most, as clients see them.
const MaxLength = 512

// MarshalID writes a global id.
func MarshalID(id tables.ID) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(AppendID(nil, id)) })
}

// AppendID is [MarshalID] for who appends.
func AppendID(dst []byte, id tables.ID) []byte {
	dst = append(dst, '"')
	var few [128]byte
	return append(base64.RawURLEncoding.AppendEncode(dst, id.Append(few[:0])), '"')
}

// UnmarshalID reads a global id. One that can't name anything is the zero ID and no error, since to clients what is malformed
// does not exist. More than [MaxLength] bytes are LIMIT_EXCEEDED.
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

// decode accepts only what encoding yields, so that a thing has one id and an entry one cursor: the library alone would
// pass over line breaks and stray bits.
func decode(s string) ([]byte, bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	return b, err == nil && base64.RawURLEncoding.EncodeToString(b) == s
}
