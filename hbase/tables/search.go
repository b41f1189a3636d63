package tables

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"twibase/hbase"
)

// Search finds objects by the beginning of their keys: see docs/TABLES.md.
type Search struct {
	Table         string
	Cursor        byte   // as in [AnyList]
	punctuation   string // of keys
	maxCharacters int    // of keys
}

const (
	searchFound    = "found"
	searchComplete = "complete"
)

// fold removes case, width, accents, and the vowel marks of Arabic, Hebrew and Syriac. It keeps the
// marks of other scripts, because many of them are vowels that are always written.
//
// It folds a text in normal form C character by character, so that prefixes stay prefixes. A normal
// form of the whole text would reorder marks across characters.
func fold(s string) string {
	b, folder := strings.Builder{}, cases.Fold()
	for _, r := range s {
		if r <= unicode.MaxASCII {
			b.WriteRune(unicode.ToLower(r))
			continue
		}
		// Upper case first: Unicode's case folding does not map a dotless i to I, and x/text
		// exchanges the cases of Cherokee.
		folded := folder.String(strings.ToUpper(norm.NFKD.String(string(r))))
		b.WriteString(strings.Map(unmarked, norm.NFKD.String(folded)))
	}
	return b.String()
}

// unmarked returns -1 for the marks that [fold] removes. Unicode never changes combining classes: 1
// has overlays, 10 to 36 the vowels, and 200 and more the marks around letters. U+034F is an
// invisible joiner.
func unmarked(r rune) rune {
	class := norm.NFD.PropertiesString(string(r)).CCC()
	if class == 1 || class >= 10 && class <= 36 || class >= 200 || r == '\u034f' {
		return -1
	}
	return r
}

func (s *Search) Row(key string) string { return fold(key) + separator + key }

// Prefix returns the row prefix of a query. ok is false if no valid key begins with the query.
func (s *Search) Prefix(query string) (prefix string, ok bool) {
	query = norm.NFC.String(query)
	if query == "" || utf8.RuneCountInString(query) > s.maxCharacters || checkName(query, s.punctuation) != nil {
		return "", false
	}
	return fold(query), true
}

func (s *Search) Get(key string) hbase.Get {
	return hbase.Get{Table: s.Table, Row: s.Row(key), Columns: Attributes + ":" + searchFound}
}

func (s *Search) Scan() hbase.Scan {
	return hbase.Scan{Table: s.Table, Columns: Attributes + ":" + searchFound}
}

func (s *Search) Put(key string, timestamp int64) hbase.Put {
	return hbase.PutCells(s.Table, s.Row(key), textCell(searchFound, "", timestamp))
}

// Delete deletes up to a timestamp.
func (s *Search) Delete(key string, timestamp int64) hbase.Delete {
	return hbase.DeleteCells(s.Table, s.Row(key), textCell(searchFound, "", timestamp))
}

// Decode returns the key of a [Search.Row].
func (s *Search) Decode(row string) (key string, err error) {
	if _, key, _ = strings.Cut(row, separator); s.Row(key) != row {
		return "", fmt.Errorf("%w: row key %q is not the one of %q", hbase.ErrCorrupt, row, key)
	}
	return key, nil
}

// foldVersion must change with [fold].
const foldVersion = "2"

// Complete reads the row whose whole key is [separator]. No object has it, because no folded key is
// empty.
func (s *Search) Complete() hbase.Get {
	return hbase.Get{Table: s.Table, Row: separator, Columns: Attributes + ":" + searchComplete}
}

// IsComplete reports whether the table has all objects, folded with foldVersion.
func (s *Search) IsComplete(cells []hbase.Cell) bool {
	c := hbase.FindCell(cells, Attributes, searchComplete)
	return c != nil && string(c.Value) == foldVersion
}

// PutComplete stores that the table is complete.
func (s *Search) PutComplete() hbase.Put {
	return hbase.PutCells(s.Table, separator, textCell(searchComplete, foldVersion, 1))
}

// splitsByLetter splits from a to z into at most 26³ regions, because most folded keys begin with a
// letter.
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

func splitsByHash(regions int) (splits []string) {
	for i := 1; i < regions; i++ {
		splits = append(splits, string(binary.BigEndian.AppendUint16(nil, uint16(i*0x10000/regions))))
	}
	return splits
}
