package transfer

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"twibase/hbase/tables"
)

// maxText is the greatest length of a content, in bytes.
const maxText = 1 << 20

// checked is a column that one of the tables' checks must pass.
func (r *row) checked(column string, check func(string) error) string {
	s := r.text(column)
	if err := check(s); err != nil {
		r.fail(column, "%v", err)
	}
	return s
}

func (r *row) username(column string) string { return r.checked(column, tables.CheckUsername) }
func (r *row) code(column string) string     { return r.checked(column, tables.CheckCode) }

// visibility is who may see a twit: everybody if the column is empty.
func (r *row) visibility(column string) tables.Visibility {
	if !r.has(column) {
		return tables.Public
	}
	v, err := tables.ParseVisibility(r.text(column))
	if err != nil {
		r.fail(column, "%q is neither PUBLIC nor FOLLOWERS", r.text(column))
	}
	return v
}

// parse is a column that one of the tables' parsers must accept.
func parse[T any](r *row, column string, accept func(string) (T, error)) T {
	v, err := accept(r.text(column))
	if err != nil {
		r.fail(column, "%v", err)
	}
	return v
}

// content is a text that may have several lines.
func (r *row) content(column string) string {
	s := r.text(column)
	switch {
	case len(s) > maxText:
		r.fail(column, "it has %d bytes, more than %d", len(s), maxText)
	case !utf8.ValidString(s):
		r.fail(column, "it is not valid UTF-8")
	case strings.ContainsFunc(s, func(c rune) bool { return isControl(c) && c != '\n' && c != '\r' && c != '\t' }):
		r.fail(column, "it contains a control character")
	}
	return s
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// count is how often something happened, which is at least once; its sums stay far below what 64 bits hold.
func (r *row) count(column string) int {
	return parse(r, column, func(s string) (int, error) { return tables.ParseNumber(s, 1, math.MaxInt32) })
}

func (r *row) time(column string) time.Time { return parse(r, column, tables.ParseTime) }
