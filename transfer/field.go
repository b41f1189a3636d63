package transfer

import (
	"math"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"twibase/hbase/tables"
)

const (
	// maxText is the greatest length of a content, maxName that of names and other texts of one line, in bytes.
	maxText = 1 << 20
	maxName = 2048
)

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

// optionalCode is a code, or nil if the column is empty.
func (r *row) optionalCode(column string) *string {
	if !r.has(column) {
		return nil
	}
	return new(r.code(column))
}

// name is a text of one line, which must not be empty.
func (r *row) name(column string) string {
	s := r.text(column)
	switch {
	case s == "":
		r.fail(column, "it must not be empty")
	case len(s) > maxName:
		r.fail(column, "it has %d bytes, more than %d", len(s), maxName)
	case !utf8.ValidString(s):
		r.fail(column, "it is not valid UTF-8")
	case strings.ContainsFunc(s, isControl):
		r.fail(column, "it contains a control character or a line break")
	}
	return s
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

// time is an instant, to the millisecond, which is what rows can carry.
func (r *row) time(column string) time.Time {
	t, err := time.Parse(time.RFC3339, r.text(column))
	if err != nil {
		r.fail(column, "%q is no time as in 2014-12-25T18:30:00Z (RFC 3339)", r.text(column))
	} else if t = t.UTC().Truncate(time.Millisecond); !tables.ValidTime(t) {
		r.fail(column, "%q is not between the years 1970 and 9999", r.text(column))
	}
	return t
}

func (r *row) number(column string, least, most int) int {
	n, err := strconv.Atoi(r.text(column))
	if err != nil || n < least || n > most {
		r.fail(column, "%q is no number from %d to %d", r.text(column), least, most)
	}
	return n
}

// count is how often something happened, which is at least once; its sums stay far below what 64 bits hold.
func (r *row) count(column string) int { return r.number(column, 1, math.MaxInt32) }

func (r *row) url(column, s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(s) > maxName || !utf8.ValidString(s) {
		r.fail(column, "%.100q is no URL as in https://example.org/a.jpg", s)
	}
	return s
}

func (r *row) email(column string) string {
	s := r.text(column)
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s || len(s) > 254 {
		r.fail(column, "%.300q is no e-mail address as in a@example.org", s)
	}
	return s
}

func optional[T any](r *row, column string, read func(column string) T) *T {
	if !r.has(column) {
		return nil
	}
	return new(read(column))
}
