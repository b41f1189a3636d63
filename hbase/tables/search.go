package tables

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"twibase/hbase"
)

// Search declares that objects are found by the beginning of their keys. Its table has a row per
// object: the folded key ‖ 0 ‖ the key. So the rows with a prefix are adjacent, in alphabetical order.
type Search struct {
	Table  string
	Cursor byte // starts the cursors of pages, as in [AnyList]
	// characters are the punctuation of keys, and max is their maximum number of characters.
	characters string
	max        int
}

const (
	searchFound    = "found"
	searchComplete = "complete" // in the row of [Search.Complete]
)

// fold removes case, width, and the accents of Latin, Greek and Cyrillic letters from a text. It keeps
// the marks of other scripts, because in many of them marks are vowels.
func fold(s string) string {
	folded := norm.NFKD.String(cases.Fold().String(norm.NFKD.String(s)))
	return strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' {
			return -1
		}
		return r
	}, folded)
}

// Row returns the row of an object.
func (s *Search) Row(key string) string { return fold(key) + separator + key }

// Prefix returns the beginning of the rows of all objects that a query finds. It reports false if
// no key begins with the query.
func (s *Search) Prefix(query string) (prefix string, ok bool) {
	query = norm.NFC.String(query)
	if query == "" || utf8.RuneCountInString(query) > s.max || checkName(query, s.characters) != nil {
		return "", false
	}
	return fold(query), true
}

// Get reads the row of an object.
func (s *Search) Get(key string) hbase.Get {
	return hbase.Get{Table: s.Table, Row: s.Row(key), Columns: Attributes + ":" + searchFound}
}

// Scan scans the rows of all objects.
func (s *Search) Scan() hbase.Scan {
	return hbase.Scan{Table: s.Table, Columns: Attributes + ":" + searchFound}
}

// Put writes the row of an object.
func (s *Search) Put(key string, timestamp int64) hbase.Put {
	return hbase.PutCells(s.Table, s.Row(key), textCell(searchFound, "", timestamp))
}

// Delete removes the row of an object up to a timestamp.
func (s *Search) Delete(key string, timestamp int64) hbase.Delete {
	return hbase.DeleteCells(s.Table, s.Row(key), textCell(searchFound, "", timestamp))
}

// Decode decodes [Search.Row]. The error is [hbase.ErrCorrupt].
func (s *Search) Decode(row string) (key string, err error) {
	if _, key, _ = strings.Cut(row, separator); s.Row(key) != row {
		return "", fmt.Errorf("%w: row key %q is not the one of %q", hbase.ErrCorrupt, row, key)
	}
	return key, nil
}

// Complete reads whether the table has all objects of the store. The row of no object is empty
// before the separator.
func (s *Search) Complete() hbase.Get {
	return hbase.Get{Table: s.Table, Row: separator, Columns: Attributes + ":" + searchComplete}
}

// PutComplete records that the table has all objects of the store.
func (s *Search) PutComplete() hbase.Put {
	return hbase.PutCells(s.Table, separator, textCell(searchComplete, "1", 1))
}

// splitsByLetter returns the split points for a number of regions, evenly from a to z: most folded
// keys begin with a letter.
func splitsByLetter(regions int) (splits []string) {
	const letters, size = 26, 3
	for i := 1; i < regions; i++ {
		split, n := make([]byte, size), i*letters*letters*letters/regions
		for j := range split {
			split[size-1-j] = 'a' + byte(n%letters)
			n /= letters
		}
		splits = append(splits, string(split))
	}
	return splits
}

// splitsByHash returns the split points for a number of regions of rows that start with a hash.
func splitsByHash(regions int) (splits []string) {
	for i := 1; i < regions; i++ {
		splits = append(splits, string(binary.BigEndian.AppendUint16(nil, uint16(i*0x10000/regions))))
	}
	return splits
}
