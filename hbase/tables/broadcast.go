package tables

import (
	"fmt"
	"strings"

	"twibase/hbase"
)

// FanoutLimit is how many followers an author may have whose twits are put into the timelines of all of them. Those of an author with more,
// a broadcaster, are merged into a timeline when it is read.
const FanoutLimit = 10_000

// MaxBroadcasters is how many broadcasters there are at most, so that it is known what reading a timeline costs at most. While there are
// so many, twits of further authors are put into timelines, whatever the number of followers.
const MaxBroadcasters = 100

// RoomForBroadcasters reports whether somebody may become a broadcaster where there are so many. Some of the room is left for those who become
// broadcasters at the same time.
func RoomForBroadcasters(are int) bool { return are < MaxBroadcasters*9/10 }

// Broadcast says where the twits of an author are to be found by those who follow the author. It is a value, never an absence: a delete
// marker would mask what a slower clock writes later.
type Broadcast string

// The states of an author, in the order in which they follow each other.
const (
	// Pushed: in the timelines. It is that of an author of whom nothing is stored, too.
	Pushed Broadcast = "pushed"
	// Merged: in the author's own list, from which readers take them; older ones may be in timelines too.
	Merged Broadcast = "merged"
)

// Leaving: in both, until a job has brought all of them into the timelines. Only that job ends it.
func Leaving(job string) Broadcast { return Broadcast(leaving + job) }

const leaving = "leaving "

// Leaving returns the job that ends the state, if it is [Leaving].
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

// Broadcasters are the authors that have, or had, too many followers to put each twit into the timelines of all, in a single row: they are few, at
// most the number of all follows divided by the limit.
var Broadcasters = broadcasters{"broadcasters"}

type broadcasters struct{ Table string }

// broadcastersFamily has a column for each of them, with the state.
const broadcastersFamily = "l"

// Get reads all of them.
func (b broadcasters) Get() hbase.Get {
	return hbase.Get{Table: b.Table, Row: RowKey(""), Columns: broadcastersFamily}
}

// Of reads the state of one author.
func (b broadcasters) Of(author string) hbase.Get {
	get := b.Get()
	get.Page = hbase.Exactly(author)
	return get
}

// Change returns the check of an author's state, and the put of the next one with the store's own timestamp. A pushed author may
// be one of whom nothing is stored, which stored says.
func (b broadcasters) Change(author string, from Broadcast, stored bool, to Broadcast) (hbase.Check, hbase.Put) {
	check := hbase.Check{Family: broadcastersFamily, Qualifier: author}
	if stored {
		check.Value = []byte(from)
	}
	return check, b.Put(author, to, 0)
}

// Put writes the state of an author.
func (b broadcasters) Put(author string, state Broadcast, timestamp int64) hbase.Put {
	return hbase.Put{Table: b.Table, Row: RowKey(""), Cells: []hbase.Cell{
		{Family: broadcastersFamily, Qualifier: author, Timestamp: timestamp, Value: []byte(state)}}}
}

// State returns the state of the author whose cell these are.
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

// Decode returns the authors of whose twits some are in no timeline, ascending.
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
