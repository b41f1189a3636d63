package tables

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"twibase/hbase"
)

// Commenters are the rows on which is decided what an author does to the comments of a twit: one for the twit and the author. There are
// none for comments that were imported and left alone.
var Commenters = commenters{"commenters"}

type commenters struct{ Table string }

// The columns, each followed by a word: of what was added under an idempotency key the time and the mark, and what was removed.
const (
	commenterKey  = "k"
	commenterGone = "g"
)

// word makes a qualifier of any bytes.
func word(s string) string { return opDigits.EncodeToString([]byte(s)) }

// keyWord is what is stored of an idempotency key.
func keyWord(key string) string {
	sum := sha256.Sum256([]byte(key))
	return word(string(sum[:15]))
}

// Row returns the key of the row of an author and a twit: hash ‖ twit ‖ 0 ‖ author.
func (commenters) Row(twit TwitKey, author string) string {
	return RowKey(twit.String() + separator + author)
}

// Added reads whether the author added a comment to the twit under an idempotency key.
func (c commenters) Added(twit TwitKey, author, key string) hbase.Get {
	return c.get(twit, author, commenterKey+keyWord(key))
}

// Removed reads whether a comment was removed.
func (c commenters) Removed(comment CommentKey, author string) hbase.Get {
	return c.get(comment.Twit, author, commenterGone+word(comment.Position))
}

// RemovedAt reads whether the author removed a comment of that time, of which there is one at most if it was added here.
func (c commenters) RemovedAt(twit TwitKey, author string, at time.Time) hbase.Get {
	removed := func(at time.Time) string { return commenterGone + word(invert(at)) }
	return hbase.Get{Table: c.Table, Row: c.Row(twit, author), Columns: Attributes,
		Page: hbase.Page{Start: removed(at), Stop: removed(at.Add(-time.Millisecond)), Limit: 1}}
}

func (c commenters) get(twit TwitKey, author, column string) hbase.Get {
	return hbase.Get{Table: c.Table, Row: c.Row(twit, author), Columns: Attributes + ":" + column}
}

// AddedCell is the column that Added reads: the comment's time, and its mark, which was not always kept: then it is empty.
func (c commenters) AddedCell(key string, at time.Time, mark string, timestamp int64) hbase.Cell {
	value := encodeMilli(at)
	if mark != "" {
		value += " " + mark
	}
	return textCell(commenterKey+keyWord(key), value, timestamp)
}

// RemovedCell is the column that Removed reads.
func (c commenters) RemovedCell(position string, timestamp int64) hbase.Cell {
	return textCell(commenterGone+word(position), "1", timestamp)
}

// DecodeAdded returns when the comment was added of which the cells of Added tell, its mark as far as that was kept, and whether there is one.
func (c commenters) DecodeAdded(cells []hbase.Cell) (at time.Time, mark string, ok bool, err error) {
	for _, cell := range cells {
		if strings.HasPrefix(cell.Qualifier, commenterKey) {
			text, mark, marked := strings.Cut(string(cell.Value), " ")
			at, err := decodeMilli(text)
			if err == nil && marked {
				err = checkCommentPosition(invert(at) + mark)
			}
			return at, mark, true, corrupt(err, cell.Qualifier)
		}
	}
	return time.Time{}, "", false, nil
}

// DecodeRemoved reports whether the cells of Removed, or of RemovedAt, say so.
func (c commenters) DecodeRemoved(cells []hbase.Cell) bool {
	return slices.ContainsFunc(cells, func(c hbase.Cell) bool { return strings.HasPrefix(c.Qualifier, commenterGone) })
}

// KeyedName returns the id of the twit that an author posts under an idempotency key: of any author and key another one.
func KeyedName(author, key string) string { return keyWord(author + separator + key) }
