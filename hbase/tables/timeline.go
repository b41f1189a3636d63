package tables

import (
	"fmt"
	"strings"
	"time"

	"twibase/hbase"
)

// TimelineBound is the number of entries that a trim leaves in a timeline.
const TimelineBound = 10_000

// Timelines have the newest twits of followed users, newest first: see docs/FEEDS.md.
var Timelines = newList(List[TwitKey]{
	AnyList: AnyList{Table: "timelines", Family: "l", Owner: &Users.AnyObject, Trimmed: true, Cursor: 'l'},
	decode:  decodeEntry,
	encode:  func(k TwitKey) (string, []byte) { return k.Position + separator + k.Author, nil },
})

func decodeEntry(_ *Memory, _, qualifier string, _ []byte) (TwitKey, error) {
	if len(qualifier) < timeSize {
		return TwitKey{}, fmt.Errorf("%w: %q does not start with a time", ErrName, qualifier)
	}
	// The inverted time may contain the separator.
	name, author, _ := strings.Cut(qualifier[timeSize:], separator)
	key := TwitKey{author, qualifier[:timeSize] + name}
	if err := CheckUsername(author); err != nil {
		return TwitKey{}, err
	}
	return key, checkTwitPosition(key.Position)
}

// EntryOf parses a position in [Timelines].
func EntryOf(position string) (TwitKey, error) { return decodeEntry(nil, "", position, nil) }

// SinceColumn has the time after which a timeline is complete.
const SinceColumn = "timelineSince"

// PutTimelineSince stores that a timeline may lack twits up to since. That time is also the cell's
// timestamp, so the latest time wins in any order of writes.
func PutTimelineSince(owner string, since time.Time) hbase.Put {
	return hbase.Put{Table: Users.Table, Row: RowKey(owner), Cells: []hbase.Cell{
		textCell(SinceColumn, encodeMilli(since), max(1, since.UnixMilli()))}}
}

// TrimTimeline removes entries, given in the list's order. Write the Put first, so that an
// incomplete timeline never looks complete.
func TrimTimeline(owner string, oldest []hbase.Cell) (since hbase.Put, deletion hbase.Delete, err error) {
	twit, err := EntryOf(oldest[0].Qualifier)
	if err != nil {
		return since, deletion, err
	}
	at, _, err := twit.Parts()
	return PutTimelineSince(owner, at), hbase.DeleteCells(Timelines.Table, Timelines.Row(owner, 0), oldest...), err
}

// TimelineSince reads the [SinceColumn].
func TimelineSince(owner string) hbase.Get {
	return Users.Get(owner, Attributes+":"+SinceColumn)
}

// DecodeTimelineSince decodes [TimelineSince].
func DecodeTimelineSince(cells []hbase.Cell) (at time.Time, stored bool, err error) {
	c := hbase.FindCell(cells, Attributes, SinceColumn)
	if c == nil {
		return time.Time{}, false, nil
	}
	at, err = decodeMilli(string(c.Value))
	return at, true, corrupt(err, SinceColumn)
}
