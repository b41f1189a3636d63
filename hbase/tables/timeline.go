package tables

import (
	"fmt"
	"strings"
	"time"

	"twibase/hbase"
)

// TimelineBound is how many entries a timeline keeps, the newest ones.
const TimelineBound = 10_000

// Timelines are references to the newest twits of all whom the owner follows, newest first. What was deleted, or whose author is
// followed no longer, is passed over when it is read.
var Timelines = newList(List[TwitKey]{
	AnyList: AnyList{Table: "timelines", Family: "l", Owner: &Users.AnyObject, Trimmed: true, Cursor: 'l'},
	decode:  decodeEntry,
	encode:  func(k TwitKey) (string, []byte) { return k.Position + separator + k.Author, nil },
})

func decodeEntry(_ *Memory, _, qualifier string, _ []byte) (TwitKey, error) {
	if len(qualifier) < timeSize {
		return TwitKey{}, fmt.Errorf("%w: %q starts with no time", ErrName, qualifier)
	}
	// The inverted time may hold the separator's byte; what follows it does not.
	name, author, _ := strings.Cut(qualifier[timeSize:], separator)
	key := TwitKey{author, qualifier[:timeSize] + name}
	if err := CheckUsername(author); err != nil {
		return TwitKey{}, err
	}
	return key, checkTwitPosition(key.Position)
}

// EntryOf returns the twit at a position of a timeline.
func EntryOf(position string) (TwitKey, error) { return decodeEntry(nil, "", position, nil) }

// SinceColumn is the column of a user's row with the time from which on the user's timeline is complete. It is no attribute.
const SinceColumn = "timelineSince"

// PutTimelineSince notes that a timeline was trimmed at a twit of that time: it has all that is later. The time is also the
// timestamp, so the latest one is valid in whatever order they are written.
func PutTimelineSince(owner string, at time.Time) hbase.Put {
	return hbase.Put{Table: Users.Table, Row: RowKey(owner), Cells: []hbase.Cell{
		textCell(SinceColumn, encodeMilli(at), max(1, at.UnixMilli()))}}
}

// TimelineSince reads what PutTimelineSince wrote.
func TimelineSince(owner string) hbase.Get {
	return Users.Get(owner, Attributes+":"+SinceColumn)
}

// DecodeTimelineSince returns the time that PutTimelineSince noted, given the cells of TimelineSince. trimmed is false if the
// timeline never was.
func DecodeTimelineSince(cells []hbase.Cell) (at time.Time, trimmed bool, err error) {
	c, trimmed := find(cells, SinceColumn)
	if !trimmed {
		return time.Time{}, false, nil
	}
	at, err = decodeMilli(string(c.Value))
	return at, true, corrupt(err, SinceColumn)
}
