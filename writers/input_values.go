package writers

import (
	"net/mail"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"twibase/hbase/tables"
)

// The bounds of other values.
const (
	MaxEmail    = 254  // bytes (RFC 5321)
	MaxURL      = 2048 // bytes
	MaxPhotos   = 9
	MaxAge      = 150
	MaxPlays    = 1_000_000 // that one recordPlay adds
	MinPassword = 8         // bytes
	MaxPassword = 1024      // bytes
)

// email is the address of a mailbox, without a display name.
func (in *input) email(field, s string) string {
	s = norm.NFC.String(s)
	address, err := mail.ParseAddress(s)
	if len(s) > MaxEmail || err != nil || address.Address != s || checkLine(s) != nil {
		in.bad(field, "an email address has the form name@example.org, and at most %d bytes", MaxEmail)
	}
	return s
}

// age is a number of years.
func (in *input) age(field string, n int) {
	if n < 0 || n > MaxAge {
		in.bad(field, "an age is a number from 0 to %d, not %d", MaxAge, n)
	}
}

const urlRule = "a URL is absolute, with http or https, without blanks and a password, and has at most %d bytes"

// url is the URL of a picture.
func (in *input) url(field, s string) string {
	if !isURL(s) {
		in.bad(field, urlRule, MaxURL)
	}
	return s
}

// photos are the URLs of the photos of a twit.
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

// password is the password of a new account, in normal form C: keyboards differ in how they write
// an accent.
func (in *input) password(field, s string) string {
	s = norm.NFC.String(s)
	if len(s) < MinPassword || len(s) > MaxPassword || !utf8.ValidString(s) {
		in.bad(field, "a password has %d to %d bytes, not %d", MinPassword, MaxPassword, len(s))
	}
	return s
}

// day is a date such as 2014-12-25. It has begun in some time zone: it is at most one day ahead of
// UTC.
func (in *input) day(field, s string, now time.Time) string {
	in.named(field, tables.CheckDay(s))
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
