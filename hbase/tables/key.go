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

// hashSize is the length of the hash that starts every row key. It spreads neighbouring ids over all regions, and being of a
// fixed length it needs no separator; the id follows it whole, so that a key can be read back.
const hashSize = 2

// separator stands between the parts of a composite key. No name, code or id contains it.
const separator = "\x00"

func hashOf(id string) [hashSize]byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], xxhash.Sum64String(id))
	return [hashSize]byte(b[:])
}

// RowKey returns the key of the row that the id owns: hash ‖ id.
func RowKey(id string) string {
	hash := hashOf(id)
	return string(hash[:]) + id
}

// OwnerOf reads a key of [RowKey] back, and is [hbase.ErrCorrupt] if the hash is not that of the id.
func OwnerOf(row string) (id string, err error) {
	if len(row) < hashSize || RowKey(row[hashSize:]) != row {
		return "", fmt.Errorf("%w: row key %q", hbase.ErrCorrupt, row)
	}
	return row[hashSize:], nil
}

// edgeKey returns the key of the row about two ids: hash(a) ‖ a ‖ 0 ‖ b. All edges of a lie side by side.
func edgeKey(a, b string) string {
	hash := hashOf(a)
	return string(hash[:]) + a + separator + b
}

// edgeOf reads a key of edgeKey back, and checks both ids. The error is [hbase.ErrCorrupt].
func edgeOf(row string, checkA, checkB func(id string) error) (a, b string, err error) {
	if len(row) > hashSize {
		a, b, _ = strings.Cut(row[hashSize:], separator)
		if edgeKey(a, b) == row && checkA(a) == nil && checkB(b) == nil {
			return a, b, nil
		}
	}
	return "", "", fmt.Errorf("%w: edge key %q", hbase.ErrCorrupt, row)
}

// BelongsTo reports whether a row is that of an id, which is [RowKey] of it, or one of its edges or of the further buckets of its lists.
func BelongsTo(row, id string) bool {
	rest, is := strings.CutPrefix(row, id)
	return is && (rest == "" || rest[:len(separator)] == separator)
}

// edgesOf returns the range of all edges of a.
func edgesOf(table, a string) hbase.Scan {
	prefix := edgeKey(a, "")
	return hbase.Scan{Table: table, Start: prefix, Stop: hbase.PrefixEnd(prefix)}
}

// timeSize is the length of an inverted time.
const timeSize = 8

// invert returns the eight bytes that sort the newest time first: MaxInt64 − milliseconds.
func invert(t time.Time) string { return string(appendInverted(make([]byte, 0, timeSize), t)) }

func appendInverted(dst []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(math.MaxInt64-t.UnixMilli()))
}

// revert reads the inverted time at the start of s, and returns what follows it. It is [ErrName] if there is none: s may
// come from a client.
func revert(s string) (t time.Time, rest string, err error) {
	if len(s) < timeSize || s[0] > 0x7f {
		return time.Time{}, "", fmt.Errorf("%w: %q starts with no time", ErrName, s)
	}
	milli := math.MaxInt64 - int64(binary.BigEndian.Uint64([]byte(s[:timeSize])))
	if milli < Unknown.UnixMilli() || milli >= Forever {
		return time.Time{}, "", fmt.Errorf("%w: time %d is out of range", ErrName, milli)
	}
	return time.UnixMilli(milli).UTC(), s[timeSize:], nil
}

// MaxTime is the first instant that no row can carry.
var MaxTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// ValidTime reports whether rows can carry t: from 1970 on, up to year 9999.
func ValidTime(t time.Time) bool { return !t.Before(Unknown) && t.Before(MaxTime) }

// LaterThan returns the position of a newest-first list before which it has all that is later than t, to the millisecond, and nothing
// else.
func LaterThan(t time.Time) string { return invert(t) }
