package plan

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
)

// Pointers converts the result of a resolver: nil pointers become untyped nils.
func Pointers[T any](values []*T, err error) ([]any, error) {
	all := make([]any, len(values))
	for i, v := range values {
		if v != nil {
			all[i] = v
		}
	}
	return all, err
}

// Slices is like [Pointers] for slices.
func Slices[T any](values [][]T, err error) ([]any, error) {
	all := make([]any, len(values))
	for i, v := range values {
		if v != nil {
			all[i] = v
		}
	}
	return all, err
}

// Values is like [Pointers] for other types. It keeps a typed nil.
func Values[T any](values []T, err error) ([]any, error) {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all, err
}

// AppendInt appends an Int.
func AppendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// AppendBool appends a Boolean.
func AppendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// AppendString appends a String, escaped as gqlgen escapes it.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '\\' || c == '"' {
			dst = append(append(dst, s[start:i]...), escapes[c]...)
			start = i + 1
		}
	}
	return append(append(dst, s[start:]...), '"')
}

var escapes = func() (escapes [256]string) {
	for c := range 0x20 {
		escapes[c] = fmt.Sprintf(`\u%04X`, c)
	}
	escapes['\t'], escapes['\r'], escapes['\n'], escapes['\\'], escapes['"'] = `\t`, `\r`, `\n`, `\\`, `\"`
	return escapes
}()

// AppendMarshaler returns false for null.
func AppendMarshaler(dst []byte, m graphql.Marshaler) ([]byte, bool) {
	if m == nil || m == graphql.Null {
		return dst, false
	}
	w := bytes.NewBuffer(dst)
	m.MarshalGQL(w)
	return w.Bytes(), true
}
