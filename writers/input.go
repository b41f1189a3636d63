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

// The bounds of values. Those of texts are in characters if nothing else is said.
const (
	MaxName           = 200 // of a user, a role or a game
	MaxTitle          = 200
	MaxTwit           = 10_000
	MaxComment        = 2_000
	MaxIdempotencyKey = 200  // bytes
	MaxEmail          = 254  // bytes (RFC 5321)
	MaxURL            = 2048 // bytes
	MaxPhotos         = 9
	MaxAge            = 150
	MaxPlays          = 1_000_000 // that one recordPlay adds
	MinPassword       = 8         // bytes
	MaxPassword       = 1024      // bytes
)

// input validates the input of one mutation and collects all errors, so that a form can show them
// at once. Its methods take a field's name in the schema and its value, and return the value as it
// is stored, in Unicode's normal form C. A field has one error at most. Optional values are nil if
// they were left out.
type input struct{ errors []UserError }

// err returns the errors, nil if there are none.
func (in *input) err() error {
	if len(in.errors) == 0 {
		return nil
	}
	return UserErrors(in.errors)
}

// check adds an error of a field, unless it is nil.
func (in *input) check(field string, err error) {
	if err != nil && !slices.ContainsFunc(in.errors, func(p UserError) bool { return p.Field == field }) {
		message := strings.TrimPrefix(err.Error(), tables.ErrName.Error()+": ")
		in.errors = append(in.errors, UserError{BadInput, field, message})
	}
}

// bad adds an error of a field.
func (in *input) bad(field, format string, args ...any) { in.check(field, fmt.Errorf(format, args...)) }

// attribute is the text of an attribute of an object.
func (in *input) attribute(form tables.Form, field, s string) string {
	switch form {
	case tables.OfLine:
		return in.name(field, s)
	case tables.OfDepartmentName:
		return in.departmentName(field, s)
	case tables.OfCode:
		return in.code(field, s)
	case tables.OfEmail:
		return in.email(field, s)
	case tables.OfAge:
		n, _ := strconv.Atoi(s)
		in.age(field, n)
		return s
	case tables.OfURL:
		return in.url(field, s)
	}
	panic(fmt.Sprint("writers: no form of texts: ", form))
}

// username is the name of an existing user.
func (in *input) username(field, s string) string {
	s = norm.NFC.String(s)
	in.check(field, tables.CheckUsername(s))
	return s
}

// newUsername is a name for a new user. Administrators may use reserved names.
func (in *input) newUsername(field, s string, reservedToo bool) string {
	s = in.username(field, s)
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		in.bad(field, "a username has a letter or a digit in it")
	}
	if !reservedToo && slices.Contains(reserved, strings.ToLower(s)) {
		in.bad(field, "%q is reserved", s)
	}
	return s
}

// reserved are names that would mislead other users, in any case.
var reserved = []string{
	"admin", "administrator", "anonymous", "help", "moderator", "nobody", "null", "official", "postmaster",
	"root", "security", "staff", "support", "system", "twibase", "undefined", "viewer", "webmaster",
}

// code is the code of a role, department or game.
func (in *input) code(field, s string) string {
	s = norm.NFC.String(s)
	in.check(field, tables.CheckCode(s))
	return s
}

// name is the display name of a user, a role or a game.
func (in *input) name(field, s string) string { return in.line(field, s, MaxName) }

// departmentName is limited in bytes, because it is a part of positions.
func (in *input) departmentName(field, s string) string {
	s = in.line(field, s, tables.MaxDepartmentName)
	in.check(field, tables.CheckDepartmentName(s))
	return s
}

func (in *input) title(s *string) *string {
	return optional(func(field, s string) string { return in.line(field, s, MaxTitle) }, "title", s)
}

func (in *input) idempotencyKey(s *string) *string {
	return optional(func(field, s string) string {
		if s = in.line(field, s, MaxIdempotencyKey); len(s) > MaxIdempotencyKey {
			in.bad(field, "a key has at most %d bytes, not %d", MaxIdempotencyKey, len(s))
		}
		return s
	}, "idempotencyKey", s)
}

// line is a text of one line with a visible character.
func (in *input) line(field, s string, limit int) string {
	s = norm.NFC.String(s)
	in.check(field, cmp.Or(checkLength(s, 1, limit), checkLine(s), checkVisible(s)))
	return s
}

// twit is the content of a twit. It may be invisible if there are photos.
func (in *input) twit(field, s string, photos bool) string {
	return in.lines(field, s, MaxTwit, photos)
}

func (in *input) comment(field, s string) string { return in.lines(field, s, MaxComment, false) }

// lines is a text of any number of lines. Line breaks are stored as \n.
func (in *input) lines(field, s string, limit int, mayBeInvisible bool) string {
	s = norm.NFC.String(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	in.check(field, cmp.Or(checkLength(s, 0, limit), checkControls(s, "\n\t")))
	if !mayBeInvisible {
		in.check(field, checkVisible(s))
	}
	return s
}

func checkLength(s string, least, most int) error {
	if !utf8.ValidString(s) {
		return errors.New("it is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(s); n < least || n > most {
		return fmt.Errorf("it has %d to %d characters, not %d", least, most, n)
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

// checkLine also refuses line separators and characters that change the direction of text.
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
		return errors.New("it shows nothing")
	}
	return nil
}

func optional[T any](check func(string, T) T, field string, v *T) *T {
	if v == nil {
		return nil
	}
	checked := check(field, *v)
	return &checked
}

// email is the address of a mailbox, without a display name.
func (in *input) email(field, s string) string {
	s = norm.NFC.String(s)
	address, err := mail.ParseAddress(s)
	if len(s) > MaxEmail || err != nil || address.Address != s || checkLine(s) != nil {
		in.bad(field, "an email address has the form name@example.org, and at most %d bytes", MaxEmail)
	}
	return s
}

func (in *input) age(field string, n int) {
	if n < 0 || n > MaxAge {
		in.bad(field, "an age is a number from 0 to %d, not %d", MaxAge, n)
	}
}

const urlRule = "a URL is absolute, with http or https, without blanks and a password, and has at most %d bytes"

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
		if !isURL(s) {
			in.bad(field, "photo %d: "+urlRule, i+1, MaxURL)
		}
	}
	return urls
}

// isURL reports whether s is a valid URL of a picture. Files separate URLs by blanks.
func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= MaxURL && (u.Scheme == "http" || u.Scheme == "https") &&
		u.Hostname() != "" && u.User == nil &&
		utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsSpace) && checkLine(s) == nil
}

// password is normalised, because keyboards differ in how they write an accent.
func (in *input) password(field, s string) string {
	s = norm.NFC.String(s)
	if len(s) < MinPassword || len(s) > MaxPassword || !utf8.ValidString(s) {
		in.bad(field, "a password has %d to %d bytes, not %d", MinPassword, MaxPassword, len(s))
	}
	return s
}

// day is a date such as 2014-12-25 that has begun in some time zone.
func (in *input) day(field, s string, now time.Time) string {
	in.check(field, tables.CheckDay(s))
	if s > now.UTC().AddDate(0, 0, 1).Format(time.DateOnly) {
		in.bad(field, "%q has not begun anywhere", s)
	}
	return s
}

// plays is the number that a recordPlay adds.
func (in *input) plays(field string, n int) int {
	if n < 1 || n > MaxPlays {
		in.bad(field, "a count is a number from 1 to %d, not %d", MaxPlays, n)
	}
	return n
}
