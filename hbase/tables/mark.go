package tables

import (
	"fmt"
	"strconv"

	"twibase/hbase"
)

// Format is the version of the stored bytes. Increment it if earlier versions of twibase would
// misread them.
const Format = 1

// Marks is the row of table marks. A table without a mark may belong to another application. Stores
// of the first versions have none.
var Marks = marks{}

type marks struct{}

// Table returns the table of the marks, which must be created first.
func (marks) Table() string { return Broadcasters.Table }

func (m marks) Get() hbase.Get {
	return hbase.Get{Table: m.Table(), Row: RowKey("tables"), Columns: broadcastersFamily}
}

// Put uses one timestamp, so that marking a table again changes nothing.
func (m marks) Put(names []string) hbase.Put {
	get := m.Get()
	put := hbase.Put{Table: get.Table, Row: get.Row}
	for _, name := range names {
		put.Cells = append(put.Cells, hbase.Cell{
			Family: broadcastersFamily, Qualifier: name, Timestamp: 1, Value: strconv.AppendInt(nil, Format, 10)})
	}
	return put
}

// Decode returns the marked tables, or [hbase.ErrFormat] if a newer version marked one.
func (marks) Decode(cells []hbase.Cell) (names []string, err error) {
	for _, c := range cells {
		switch format, err := strconv.Atoi(string(c.Value)); {
		case err != nil:
			return nil, fmt.Errorf("%w: the mark of table %s is %q", hbase.ErrCorrupt, c.Qualifier, c.Value)
		case format > Format:
			return nil, fmt.Errorf("%w %d: a newer version of twibase wrote table %s; this one reads formats up to %d",
				hbase.ErrFormat, format, c.Qualifier, Format)
		}
		names = append(names, c.Qualifier)
	}
	return names, nil
}
