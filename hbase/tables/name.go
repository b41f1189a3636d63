package tables

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrName marks a malformed name, id, position, time, number or record.
var ErrName = errors.New("not valid")

// Maximum lengths.
const (
	MaxUsername       = 64  // characters
	MaxCode           = 200 // bytes
	MaxTwitID         = 64  // bytes
	MaxDepartmentName = 180 // bytes; keeps cursors within the limits of requests
)

const usernamePunctuation = "_.-"

// CheckUsername accepts 1–64 characters in NFC: letters and digits of any script, '_', '.', '-'
// and, except at the start, combining marks.
func CheckUsername(s string) error {
	if n := utf8.RuneCountInString(s); n < 1 || n > MaxUsername {
		return fmt.Errorf("%w: a username has 1 to %d characters, not %d", ErrName, MaxUsername, n)
	}
	return checkName(s, usernamePunctuation)
}

// CheckCode accepts 1–200 bytes: the characters of a username, '/' and ':'.
func CheckCode(s string) error {
	if len(s) < 1 || len(s) > MaxCode {
		return fmt.Errorf("%w: a code has 1 to %d bytes, not %d", ErrName, MaxCode, len(s))
	}
	return checkName(s, "_.-/:")
}

// CheckTwitID accepts 1–64 bytes: the characters of a code.
func CheckTwitID(s string) error {
	if len(s) < 1 || len(s) > MaxTwitID {
		return fmt.Errorf("%w: a twit's id has 1 to %d bytes, not %d", ErrName, MaxTwitID, len(s))
	}
	return checkName(s, "_.-/:")
}

func checkName(s, punctuation string) error {
	if plain(s, punctuation) {
		return nil
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("%w: it is not valid UTF-8", ErrName)
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), i > 0 && unicode.IsMark(r), strings.ContainsRune(punctuation, r):
		case unicode.IsMark(r):
			return fmt.Errorf("%w: it can't begin with the combining mark %q", ErrName, r)
		default:
			return fmt.Errorf("%w: it can't contain %q", ErrName, r)
		}
	}
	if !norm.NFC.IsNormalString(s) {
		return fmt.Errorf("%w: it must be in Unicode's normal form C", ErrName)
	}
	return nil
}

// plain is a fast check for ASCII.
func plain(s, punctuation string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte(punctuation, c) < 0 {
			return false
		}
	}
	return true
}
