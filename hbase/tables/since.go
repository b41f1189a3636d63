package tables

import (
	"fmt"
	"strconv"
	"time"

	"twibase/hbase"
)

// SinceColumn, of a user, says from when on the user's timeline has all that belongs there. It is no attribute.
const SinceColumn = "timelineSince"

// PutTimelineSince notes that a timeline was cut at that time of a twit: what is later is there. Of several the latest is valid, in
// whatever order they are written, since the time is the timestamp too.
func PutTimelineSince(owner string, at time.Time) hbase.Put {
	ms := at.UnixMilli()
	return hbase.Put{Table: Users.Table, Row: RowKey(owner), Cells: []hbase.Cell{
		{Family: Attributes, Qualifier: SinceColumn, Timestamp: max(1, ms), Value: strconv.AppendInt(nil, ms, 10)}}}
}

// TimelineSince reads what PutTimelineSince wrote.
func TimelineSince(owner string) hbase.Get {
	return hbase.Get{Table: Users.Table, Row: RowKey(owner), Columns: Attributes + ":" + SinceColumn}
}

// DecodeTimelineSince returns the time that PutTimelineSince noted, given the cells of TimelineSince; cut is false if the timeline never was.
func DecodeTimelineSince(cells []hbase.Cell) (at time.Time, cut bool, err error) {
	for _, c := range cells {
		if c.Qualifier != SinceColumn {
			continue
		}
		ms, err := parseCount(string(c.Value))
		if at = time.UnixMilli(int64(ms)).UTC(); err == nil && !ValidTime(at) {
			err = fmt.Errorf("%w: %d is the time of no twit", ErrName, ms)
		}
		return at, true, corrupt(err, SinceColumn)
	}
	return time.Time{}, false, nil
}
