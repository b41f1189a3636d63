package tables

import (
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

type fileColumn struct {
	name     string
	optional bool // files may lack it
	parse    func(text string) (stored string, err error)
}

func (a attribute[T]) inFile(column string, parse func(string) (string, error)) attribute[T] {
	a.file = fileColumn{name: column, parse: parse}
	return a
}

// optional is [attribute.inFile] for an optional column. Declare such attributes last:
// [Object.File] lists them last, and [Object.Row] keeps the declared order.
func (a attribute[T]) optional(column string, parse func(string) (string, error)) attribute[T] {
	a.file = fileColumn{column, true, parse}
	return a
}

// File returns the columns of the CSV file, the key's first, and its attributes.
func (o *Object[T]) File() (required, optional, fields []string) {
	required = []string{o.keyColumn}
	for _, a := range o.attributes {
		if a.file.optional {
			optional = append(optional, a.file.name)
		} else if a.file.name != "" {
			required = append(required, a.file.name)
		}
		if a.file.name != "" {
			fields = append(fields, a.column)
		}
	}
	return required, optional, fields
}

// ParseRow returns the object of a CSV row, or an error and its column. text returns a column's
// value. All but the key and the name may be empty.
func (o *Object[T]) ParseRow(m *Memory, text func(column string) string) (t *T, column string, err error) {
	key := text(o.keyColumn)
	if err := o.CheckKey(key); err != nil {
		return nil, o.keyColumn, err
	}
	t = o.New(key)[0]
	for i := range o.attributes {
		a := &o.attributes[i]
		if a.file.name == "" {
			continue
		}
		s := text(a.file.name)
		if s == "" && a.column != "name" {
			continue
		}
		stored, err := a.file.parse(s)
		if err == nil {
			err = a.set(m, t, stored)
		}
		if err != nil {
			return nil, a.file.name, err
		}
	}
	return t, "", nil
}

// Row returns the values of [Object.File], in order.
func (o *Object[T]) Row(t *T) []string {
	row := []string{*o.key(t)}
	for _, a := range o.attributes {
		if a.file.name != "" {
			row = append(row, a.get(t))
		}
	}
	return row
}

const maxLine = 2048 // bytes

// ParseLine accepts 1–2048 bytes of UTF-8 without ASCII control characters.
func ParseLine(s string) (string, error) {
	switch {
	case s == "":
		return "", fmt.Errorf("it must not be empty")
	case len(s) > maxLine:
		return "", fmt.Errorf("it has %d bytes, more than %d", len(s), maxLine)
	case !utf8.ValidString(s):
		return "", fmt.Errorf("it is not valid UTF-8")
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("it contains a control character or a line break")
	}
	return s, nil
}

// ParseURL accepts http and https URLs with a host, up to 2048 bytes.
func ParseURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		len(s) > maxLine || !utf8.ValidString(s) {
		return "", fmt.Errorf("%.100q is no URL as in https://example.org/a.jpg", s)
	}
	return s, nil
}

func parseEmail(s string) (string, error) {
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s || len(s) > 254 {
		return "", fmt.Errorf("%.300q is no e-mail address as in a@example.org", s)
	}
	return s, nil
}

// ParseTime parses RFC 3339, and truncates to milliseconds.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, fmt.Errorf("%q is no time as in 2014-12-25T18:30:00Z (RFC 3339)", s)
	}
	if t = t.UTC().Truncate(time.Millisecond); !ValidTime(t) {
		return t, fmt.Errorf("%q is not between the years 1970 and 9999", s)
	}
	return t, nil
}

func parseInstant(s string) (string, error) {
	t, err := ParseTime(s)
	return t.Format(time.RFC3339Nano), err
}

// ParseNumber parses a decimal number in [minimum, maximum].
func ParseNumber(s string, minimum, maximum int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < minimum || n > maximum {
		return 0, fmt.Errorf("%q is no number from %d to %d", s, minimum, maximum)
	}
	return n, nil
}

func parseAge(s string) (string, error) {
	n, err := ParseNumber(s, 0, 150)
	return strconv.Itoa(n), err
}

func checked(check func(string) error) func(string) (string, error) {
	return func(s string) (string, error) { return s, check(s) }
}
