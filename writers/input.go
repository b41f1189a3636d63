package writers

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"twibase/hbase/tables"
)

// Limits of values. Lengths are in characters unless a comment says bytes.
const (
	MaxName           = 200
	MaxTitle          = 200
	MaxTwit           = 10_000
	MaxComment        = 2_000
	MaxIdempotencyKey = 200  // bytes
	MaxEmail          = 254  // bytes (RFC 5321)
	MaxURL            = 2048 // bytes
	MaxPhotos         = 9
	MaxAge            = 150
	MaxPlays          = 1_000_000
	MinPassword       = 8    // bytes
	MaxPassword       = 1024 // bytes
)

// input collects at most one error per field or list element. Its methods take a field's schema
// name and value, and return the value in Unicode's normal form C, except URLs.
type input struct{ errors []UserError }

func (in *input) err() error {
	if in == nil || len(in.errors) == 0 {
		return nil
	}
	return UserErrors(in.errors)
}

func (in *input) check(field string, err error) {
	if err != nil && !slices.ContainsFunc(in.errors, func(p UserError) bool { return p.Field == field }) {
		message := strings.TrimPrefix(err.Error(), tables.ErrName.Error()+": ")
		in.errors = append(in.errors, UserError{BadInput, field, message})
	}
}

func (in *input) bad(field, format string, args ...any) { in.check(field, fmt.Errorf(format, args...)) }

func (in *input) attribute(form tables.Form, field, s string) string {
	switch form {
	case tables.OfLine:
		return in.line(field, s, MaxName)
	case tables.OfDepartmentName:
		return in.departmentName(field, s)
	case tables.OfCode:
		return in.code(field, s)
	case tables.OfEmail:
		return in.email(field, s)
	case tables.OfAge:
		n, _ := strconv.Atoi(s)
		in.within(field, "an age", n, 0, MaxAge)
		return s
	case tables.OfURL:
		return in.url(field, s)
	}
	panic(fmt.Sprint("writers: unknown form ", form))
}

func (in *input) username(field, s string) string {
	s = norm.NFC.String(s)
	in.check(field, tables.CheckUsername(s))
	return s
}

func (in *input) newUsername(field, s string, allowReserved bool) string {
	s = in.username(field, s)
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		in.bad(field, "a username has at least one letter or digit")
	}
	if !allowReserved && slices.Contains(reserved, strings.ToLower(s)) {
		in.bad(field, "%q is reserved", s)
	}
	return s
}

var reserved = []string{
	"admin", "administrator", "anonymous", "help", "moderator", "nobody", "null", "official", "postmaster",
	"root", "security", "staff", "support", "system", "twibase", "undefined", "viewer", "webmaster",
}

func (in *input) code(field, s string) string {
	s = norm.NFC.String(s)
	in.check(field, tables.CheckCode(s))
	return s
}

// departmentName is limited in bytes, because positions contain it.
func (in *input) departmentName(field, s string) string {
	s = in.line(field, s, tables.MaxDepartmentName)
	in.check(field, tables.CheckDepartmentName(s))
	return s
}

func (in *input) title(s *string) *string {
	return optional(s, func(s string) string { return in.line("title", s, MaxTitle) })
}

func (in *input) idempotencyKey(s *string) *string {
	return optional(s, func(s string) string {
		if s = in.line("idempotencyKey", s, MaxIdempotencyKey); len(s) > MaxIdempotencyKey {
			in.bad("idempotencyKey", "a key has at most %d bytes, not %d", MaxIdempotencyKey, len(s))
		}
		return s
	})
}

func optional(s *string, validate func(string) string) *string {
	if s == nil {
		return nil
	}
	return new(validate(*s))
}

func (in *input) line(field, s string, limit int) string {
	s = norm.NFC.String(s)
	in.check(field, cmp.Or(checkLength(s, 1, limit), checkLine(s), checkVisible(s)))
	return s
}

func (in *input) lines(field, s string, limit int, allowInvisible bool) string {
	s = norm.NFC.String(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	in.check(field, cmp.Or(checkLength(s, 0, limit), checkControls(s, "\n\t")))
	if !allowInvisible {
		in.check(field, checkVisible(s))
	}
	return s
}

func checkLength(s string, minimum, maximum int) error {
	if !utf8.ValidString(s) {
		return errors.New("it is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(s); n < minimum || n > maximum {
		return fmt.Errorf("it must have %d to %d characters, and has %d", minimum, maximum, n)
	}
	return nil
}

func checkControls(s, allowed string) error {
	for _, r := range s {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) {
			return fmt.Errorf("it can't contain the control character %U", r)
		}
	}
	return nil
}

// checkLine also rejects line separators and changes of the text direction.
func checkLine(s string) error {
	for _, r := range s {
		if r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return fmt.Errorf("it can't contain the control character %U", r)
		}
	}
	return checkControls(s, "")
}

func checkVisible(s string) error {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) {
		return errors.New("it has no visible character")
	}
	return nil
}

func (in *input) email(field, s string) string {
	s = norm.NFC.String(s)
	address, err := mail.ParseAddress(s)
	if len(s) > MaxEmail || err != nil || address.Address != s || checkLine(s) != nil {
		in.bad(field, "an email address has the form name@example.org, and at most %d bytes", MaxEmail)
	}
	return s
}

func (in *input) within(field, name string, n, minimum, maximum int) {
	if n < minimum || n > maximum {
		in.bad(field, "%s is a number from %d to %d, not %d", name, minimum, maximum, n)
	}
}

const urlRule = "a URL is absolute, with http or https, without blanks or a user name, and has at most %d bytes"

func (in *input) url(field, s string) string {
	if !isURL(s) {
		in.bad(field, urlRule, MaxURL)
	}
	return s
}

func (in *input) photos(field string, urls []string) []string {
	if len(urls) > MaxPhotos {
		in.bad(field, "there are at most %d photos, not %d", MaxPhotos, len(urls))
	}
	for i, s := range urls {
		in.url(fmt.Sprintf("%s.%d", field, i), s)
	}
	return urls
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= MaxURL && (u.Scheme == "http" || u.Scheme == "https") &&
		u.Hostname() != "" && u.User == nil &&
		utf8.ValidString(s) && checkLine(s) == nil &&
		!strings.ContainsFunc(s, unicode.IsSpace) // blanks would separate URLs in CSV files
}

// password normalises the password, because keyboards differ in the encoding of accents.
func (in *input) password(field, s string) string {
	s = norm.NFC.String(s)
	if len(s) < MinPassword || len(s) > MaxPassword || !utf8.ValidString(s) {
		in.bad(field, "a password has %d to %d bytes, not %d", MinPassword, MaxPassword, len(s))
	}
	return s
}

// day accepts dates up to tomorrow in UTC, because days begin earlier in other time zones.
func (in *input) day(field, s string, now time.Time) string {
	in.check(field, tables.CheckDay(s))
	if s > now.UTC().AddDate(0, 0, 1).Format(time.DateOnly) {
		in.bad(field, "%q has not begun in any time zone", s)
	}
	return s
}
