package tables

import (
	"fmt"
	"strings"

	"twibase/hbase"
)

// FanoutLimit is the default number of followers above which an author becomes a broadcaster.
const FanoutLimit = 10_000

// MaxBroadcasters bounds the cost of timelines.
const MaxBroadcasters = 100

// RoomForBroadcasters reports whether an author may join n broadcasters. A tenth stays free for
// concurrent changes.
func RoomForBroadcasters(n int) bool { return n < MaxBroadcasters*9/10 }

// Broadcast is the state of an author. Stored states are never deleted: see [DeletedValue].
//
//	Pushed ──► Merged ──► Leaving ──► Pushed
//
// docs/FEEDS.md explains the transitions.
type Broadcast string

const (
	// Pushed means that timelines have the author's twits. It is the default.
	Pushed Broadcast = "pushed"
	// Merged means that readers merge the author's twits into timelines.
	Merged Broadcast = "merged"
)

const leaving = "leaving " // ‖ id of the job

// Leaving is Merged until the job has delivered the author's newest twits.
func Leaving(job string) Broadcast { return Broadcast(leaving + job) }

// Leaving returns the job. ok is false for other states.
func (b Broadcast) Leaving() (job string, ok bool) { return strings.CutPrefix(string(b), leaving) }

func (b Broadcast) check() error {
	if id, ok := b.Leaving(); ok {
		_, err := OpTime(id)
		return err
	}
	if b != Pushed && b != Merged {
		return fmt.Errorf("%w: %q is no state of a broadcaster", ErrName, b)
	}
	return nil
}

// Broadcasters is a row with the states of current and former broadcasters.
var Broadcasters = broadcasters{"broadcasters"}

type broadcasters struct{ Table string }

const broadcastersFamily = "l"

func (b broadcasters) Get() hbase.Get {
	return hbase.Get{Table: b.Table, Row: RowKey(""), Columns: broadcastersFamily}
}

func (b broadcasters) Of(author string) hbase.Get {
	get := b.Get()
	get.Page = hbase.Exactly(author)
	return get
}

// Change expects no state if stored is false.
func (b broadcasters) Change(author string, old Broadcast, stored bool, next Broadcast) (hbase.Check, hbase.Put) {
	check := hbase.Check{Family: broadcastersFamily, Qualifier: author}
	if stored {
		check.Value = []byte(old)
	}
	return check, b.Put(author, next, 0)
}

func (b broadcasters) Put(author string, state Broadcast, timestamp int64) hbase.Put {
	return hbase.Put{Table: b.Table, Row: RowKey(""), Cells: []hbase.Cell{
		{Family: broadcastersFamily, Qualifier: author, Timestamp: timestamp, Value: []byte(state)}}}
}

// State decodes b.Of, or a cell of b.Get.
func (b broadcasters) State(cells []hbase.Cell) (state Broadcast, stored bool, err error) {
	if len(cells) == 0 {
		return Pushed, false, nil
	}
	state = Broadcast(cells[0].Value)
	if err = CheckUsername(cells[0].Qualifier); err == nil {
		err = state.check()
	}
	return state, true, corrupt(err, cells[0].Qualifier)
}

// Decode returns the authors that are not Pushed, ascending.
func (b broadcasters) Decode(cells []hbase.Cell) ([]string, error) {
	var authors []string
	for i := range cells {
		state, _, err := b.State(cells[i : i+1])
		if err != nil {
			return nil, err
		}
		if state != Pushed {
			authors = append(authors, cells[i].Qualifier)
		}
	}
	return authors, nil
}

// Imports is a row about imports and repairs.
var Imports = imports{}

type imports struct{}

const (
	importRepaired = "repaired"
	importMarker   = "filling"
)

func (imports) Get() hbase.Get {
	return hbase.Get{Table: Broadcasters.Table, Row: RowKey("import"), Columns: broadcastersFamily}
}

// Repaired reports whether delete markers of a repair may mask puts of an import.
func (imports) Repaired(cells []hbase.Cell) bool {
	return hbase.FindCell(cells, broadcastersFamily, importRepaired) != nil
}

func (n imports) PutRepaired() hbase.Put { return n.put(importRepaired, "1", 1) }

// Marker reports whether an import has not yet trimmed the timelines that it extended.
func (imports) Marker(cells []hbase.Cell) (on bool, timestamp int64) {
	c := hbase.FindCell(cells, broadcastersFamily, importMarker)
	if c == nil {
		return false, 0
	}
	return string(c.Value) == "1", c.Timestamp
}

func (n imports) PutMarker(on bool, timestamp int64) hbase.Put {
	return n.put(importMarker, flag(on), timestamp)
}

func (n imports) put(column, value string, timestamp int64) hbase.Put {
	get := n.Get()
	return hbase.Put{Table: get.Table, Row: get.Row, Cells: []hbase.Cell{
		{Family: broadcastersFamily, Qualifier: column, Timestamp: timestamp, Value: []byte(value)}}}
}
