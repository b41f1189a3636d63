package tables

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
)

// hashSize is the length of the hash that starts most row keys, and spreads ids over regions.
const hashSize = 2

// separator joins parts of a key. Usernames, codes and twit ids never contain it, but inverted
// times may.
const separator = "\x00"

func hashOf(id string) [hashSize]byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], xxhash.Sum64String(id))
	return [hashSize]byte(b[:])
}

// RowKey returns hash ‖ id.
func RowKey(id string) string {
	hash := hashOf(id)
	return string(hash[:]) + id
}

// OwnerOf decodes [RowKey].
func OwnerOf(row string) (id string, err error) {
	if len(row) < hashSize || RowKey(row[hashSize:]) != row {
		return "", fmt.Errorf("%w: row key %q", hbase.ErrCorrupt, row)
	}
	return row[hashSize:], nil
}

// edgeKey returns hash(a) ‖ a ‖ 0 ‖ b, so all edges of a are adjacent.
func edgeKey(a, b string) string {
	hash := hashOf(a)
	return string(hash[:]) + a + separator + b
}

func edgeOf(row string, checkA, checkB func(id string) error) (a, b string, err error) {
	if len(row) > hashSize {
		a, b, _ = strings.Cut(row[hashSize:], separator)
		if edgeKey(a, b) == row && checkA(a) == nil && checkB(b) == nil {
			return a, b, nil
		}
	}
	return "", "", fmt.Errorf("%w: edge key %q", hbase.ErrCorrupt, row)
}

// BelongsTo reports whether row is objectRow, or a row of that object's edges or buckets.
func BelongsTo(row, objectRow string) bool {
	rest, is := strings.CutPrefix(row, objectRow)
	return is && (rest == "" || rest[:len(separator)] == separator)
}

const timeSize = 8 // bytes of an inverted time

// invert sorts the newest time first: MaxInt64 − milliseconds.
func invert(t time.Time) string { return string(appendInverted(make([]byte, 0, timeSize), t)) }

func appendInverted(dst []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(math.MaxInt64-t.UnixMilli()))
}

func revert(s string) (t time.Time, rest string, err error) {
	if len(s) < timeSize || s[0] > 0x7f {
		return time.Time{}, "", fmt.Errorf("%w: %q does not start with a time", ErrName, s)
	}
	milli := math.MaxInt64 - int64(binary.BigEndian.Uint64([]byte(s[:timeSize])))
	if milli < UnknownTime.UnixMilli() || milli >= Forever {
		return time.Time{}, "", fmt.Errorf("%w: time %d is out of range", ErrName, milli)
	}
	return time.UnixMilli(milli).UTC(), s[timeSize:], nil
}

// TimeAt parses the time of a position in a newest-first list.
func TimeAt(position string) (time.Time, error) {
	at, _, err := revert(position)
	return at, err
}

// MaxTime is the first time that rows can't store.
var MaxTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// ValidTime accepts the years 1970 to 9999.
func ValidTime(t time.Time) bool { return !t.Before(UnknownTime) && t.Before(MaxTime) }

// LaterThan returns a position in a newest-first list. Exactly the members later than t precede it.
func LaterThan(t time.Time) string { return invert(t) }

// NotBefore is like [LaterThan], but members of the time t precede it, too.
func NotBefore(t time.Time) string {
	last := t.Truncate(time.Millisecond) // members have whole milliseconds
	if last.Equal(t) {
		last = last.Add(-time.Millisecond)
	}
	return invert(last)
}

func appendPart(key []byte, part string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(part))), part...)
}

// nextPart is the inverse of appendPart.
func nextPart(key string) (part, rest string, ok bool) {
	n, size := binary.Uvarint([]byte(key[:min(len(key), binary.MaxVarintLen64)]))
	if size <= 0 || n > uint64(len(key)-size) {
		return "", "", false
	}
	part, rest = key[size:size+int(n)], key[size+int(n):]
	return part, rest, strings.HasPrefix(key, string(appendPart(nil, part)))
}

// Noun is the first byte of a global id.
type Noun byte

// The nouns.
const (
	NounUser       Noun = 'U'
	NounRole       Noun = 'R'
	NounDepartment Noun = 'D'
	NounTwit       Noun = 'T'
	NounComment    Noun = 'C'
	NounGame       Noun = 'G'
)

// ID is a global id. The zero ID names nothing.
type ID struct {
	Noun Noun
	Key  string
}

// ParseID decodes [ID.Bytes].
func ParseID(b []byte) (ID, error) {
	if len(b) == 0 {
		return ID{}, fmt.Errorf("%w: it is empty", ErrName)
	}
	id := ID{Noun: Noun(b[0]), Key: string(b[1:])}
	var err error
	if kind := objectOf(id.Noun); kind != nil {
		err = kind.CheckKey(id.Key)
	} else if id.Noun == NounComment {
		_, err = ParseCommentKey(id.Key)
	} else {
		err = fmt.Errorf("%w: its first letter names no object type", ErrName)
	}
	if err != nil {
		return ID{}, err
	}
	return id, nil
}

// Bytes returns the noun and the key.
func (id ID) Bytes() []byte { return id.Append(nil) }

// Append appends [ID.Bytes].
func (id ID) Append(dst []byte) []byte { return append(append(dst, byte(id.Noun)), id.Key...) }
