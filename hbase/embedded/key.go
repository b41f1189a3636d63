package embedded

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"twibase/hbase"
)

// Keys sort bytewise as HBase sorts cells. 00 01 ends a row or a qualifier, and a byte 00 in them
// is written as 00 FF. The markers of a family precede its columns.
//
//	┌──────────┬──────┬───────┬────────┬────┬───────────┬───────┬──────────────┬──────┐
//	│ table  4 │ row… │ 00 01 │ family │ 00 │qualifier… │ 00 01 │ MaxInt64−t 8 │ kind │  version, or marker of a column
//	└──────────┴──────┴───────┼────────┼────┼───────────┴───────┼──────────────┼──────┘
//	                          │ family │ 00 │       00 00       │ MaxInt64−t 8 │         marker of a family
//	└── Pebble's prefix ──────┴────────┴────┴───────────────────┴──────────────┘
//
// A version has the cell's value. A marker has the time when it was written, in 8 bytes. Table 0 is
// the catalog.
const (
	tableLength      = 4
	tailLength       = 9  // timestamp and kind
	familyTailLength = 10 // of a family marker: 00 00 and timestamp
	terminator       = "\x00\x01"
)

// Kinds in key order: at one timestamp, markers precede versions.
const (
	kindAllVersions = 1 // 2 was the deletion of one version: do not use it again
	kindPut         = 3
)

func appendTable(dst []byte, table uint32) []byte { return binary.BigEndian.AppendUint32(dst, table) }

func appendEscaped(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			return append(append(dst, s...), terminator...)
		}
		dst = append(append(dst, s[:i]...), 0x00, 0xff)
		s = s[i+1:]
	}
}

func appendRow(dst []byte, table uint32, row string) []byte {
	return appendEscaped(appendTable(dst, table), row)
}

func appendTime(dst []byte, timestamp int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(math.MaxInt64-timestamp))
}

func decodeTime(b []byte) int64 { return math.MaxInt64 - int64(binary.BigEndian.Uint64(b)) }

// familyMarker decodes a key after the family. ok is false for a column.
func familyMarker(tail []byte) (timestamp int64, ok bool) {
	if len(tail) != familyTailLength || tail[0] != 0 || tail[1] != 0 {
		return 0, false
	}
	return decodeTime(tail[2:]), true
}

func version(tail []byte) (timestamp int64, kind byte, ok bool) {
	if len(tail) != tailLength || tail[8] != kindAllVersions && tail[8] != kindPut {
		return 0, 0, false
	}
	return decodeTime(tail), tail[8], true
}

func badKey(key []byte) error { return fmt.Errorf("%w: key %q", hbase.ErrCorrupt, key) }

func appendUnescaped(dst, escaped []byte) ([]byte, error) {
	for {
		i := bytes.IndexByte(escaped, 0)
		if i < 0 {
			return append(dst, escaped...), nil
		}
		if i+1 == len(escaped) || escaped[i+1] != 0xff {
			return dst, badKey(escaped)
		}
		dst = append(dst, escaped[:i+1]...)
		escaped = escaped[i+2:]
	}
}

func decodeRow(a *arena, prefix []byte) (string, error) {
	if len(prefix) < tableLength+len(terminator) {
		return "", badKey(prefix)
	}
	return a.unescaped(prefix[tableLength : len(prefix)-len(terminator)])
}

// prefixEnd changes a prefix that ends in a terminator to the first key after all keys with it.
func prefixEnd(key []byte) []byte {
	key[len(key)-1]++
	return key
}

// split returns the length of the row prefix, for Pebble's bloom filters.
func split(key []byte) int {
	for i := tableLength; i < len(key); i++ {
		n := bytes.IndexByte(key[i:], 0)
		if n < 0 {
			break
		}
		if i += n + 1; i < len(key) && key[i] == terminator[1] {
			return i + 1
		}
	}
	return len(key)
}
