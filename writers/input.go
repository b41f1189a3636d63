package writers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"twibase/hbase/tables"
)

// The maximum lengths of texts, in characters if nothing else is said.
const (
	MaxName           = 200 // of a user, a role or a game
	MaxTitle          = 200
	MaxTwit           = 10_000
	MaxComment        = 2_000
	MaxIdempotencyKey = 200 // bytes
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

// bad adds an error of a field.
func (in *input) bad(field, format string, args ...any) {
	if !slices.ContainsFunc(in.errors, func(p UserError) bool { return p.Field == field }) {
		in.errors = append(in.errors, UserError{BadInput, field, fmt.Sprintf(format, args...)})
	}
}

// named adds an error of [tables.ErrName].
func (in *input) named(field string, err error) {
	if err != nil {
		in.bad(field, "%s", strings.TrimPrefix(err.Error(), tables.ErrName.Error()+": "))
	}
}

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
	in.named(field, tables.CheckUsername(s))
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
	in.named(field, tables.CheckCode(s))
	return s
}

// name is the display name of a user, a role or a game.
func (in *input) name(field, s string) string { return in.line(field, s, MaxName) }

// departmentName is the name of a department. Its length is limited in bytes, because it is a part
// of positions.
func (in *input) departmentName(field, s string) string {
	s = in.line(field, s, tables.MaxDepartmentName)
	in.named(field, tables.CheckDepartmentName(s))
	return s
}

// title is the title of a twit.
func (in *input) title(field string, s *string) *string {
	return optional(func(field, s string) string { return in.line(field, s, MaxTitle) }, field, s)
}

func (in *input) idempotencyKey(field string, s *string) *string {
	return optional(func(field, s string) string {
		if s = in.line(field, s, MaxIdempotencyKey); len(s) > MaxIdempotencyKey {
			in.bad(field, "a key has at most %d bytes, not %d", MaxIdempotencyKey, len(s))
		}
		return s
	}, field, s)
}

// line is a text of one line with a visible character.
func (in *input) line(field, s string, limit int) string {
	s = norm.NFC.String(s)
	if err := cmp.Or(checkText(s, 1, limit), checkLine(s), checkVisible(s)); err != nil {
		in.bad(field, "%s", err)
	}
	return s
}

// twit is the content of a twit. It may be invisible if there are photos.
func (in *input) twit(field, s string, photos bool) string {
	return in.lines(field, s, MaxTwit, photos)
}

// comment is the content of a comment.
func (in *input) comment(field, s string) string { return in.lines(field, s, MaxComment, false) }

// lines is a text of any number of lines. Line breaks are stored as \n.
func (in *input) lines(field, s string, limit int, mayBeInvisible bool) string {
	s = norm.NFC.String(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	err := cmp.Or(checkText(s, 0, limit), checkControls(s, "\n\t"))
	if !mayBeInvisible {
		err = cmp.Or(err, checkVisible(s))
	}
	if err != nil {
		in.bad(field, "%s", err)
	}
	return s
}

func checkText(s string, least, most int) error {
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
