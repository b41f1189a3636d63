package tables

import (
	"fmt"
	"strconv"
	"time"

	"twibase/hbase"
)

// ErrandKind says what an [Errand] brings about.
type ErrandKind string

// The kinds of errands.
const (
	// Posted: the twit of the author at the position comes into the timelines of those who follow the author.
	Posted ErrandKind = "posted"
	// Deleted: it goes from them.
	Deleted ErrandKind = "deleted"
	// Followed: the twits of the author come into the timeline of the follower.
	Followed ErrandKind = "followed"
	// Unfollowed: they go from it.
	Unfollowed ErrandKind = "unfollowed"
	// Returned: an author with few followers is no broadcaster any more, and the twits come into the timelines of all of them.
	Returned ErrandKind = "returned"
)

// Errand is what follows from a write that its caller did not wait for: it is done in the background, by any gateway, and twice is as
// good as once.
type Errand struct {
	// ID is that of the write: a write has one errand at most.
	ID   string
	Kind ErrandKind
	// At is the timestamp, in milliseconds, of the write.
	At       int64
	Author   string
	Follower string // of Followed and Unfollowed
	Position string // of Posted and Deleted: the twit's
}

// Errands are those that are not done, in a few shards, by their ids and so by their time.
var Errands = errands{"errands"}

type errands struct{ Table string }

// The columns of an errand. CursorColumn, NotedColumn and LeaseColumn are no part of it.
const (
	errandKind     = "kind"
	errandAt       = "at"
	errandAuthor   = "author"
	errandFollower = "follower"
	errandPosition = "position"

	// CursorColumn holds the position in the author's list of followers up to which, and with which, it is done.
	CursorColumn = "cursor"
	// NotedColumn holds the [Batch] that may have been written, and was not looked at since.
	NotedColumn = "noted"
)

// ErrandShards is into how many ranges the errands fall.
const ErrandShards = 8

const errandShard = 256 / ErrandShards

// Row returns the key of an errand's row: shard ‖ id.
func (errands) Row(id string) string { return string([]byte{hashOf(id)[0] &^ (errandShard - 1)}) + id }

// IDOf reads a key of Row back.
func (n errands) IDOf(row string) (string, error) {
	if len(row) != 1+opLength || n.Row(row[1:]) != row {
		return "", corrupt(ErrName, row)
	}
	_, err := OpTime(row[1:])
	return row[1:], corrupt(err, row)
}

// Get reads an errand whole, with who has taken it and how far it is.
func (n errands) Get(id string) hbase.Get {
	return hbase.Get{Table: n.Table, Row: n.Row(id), Columns: Attributes}
}

// Scan is the range of a shard's errands that began at from or later.
func (n errands) Scan(shard int, from time.Time) hbase.Scan {
	prefix := []byte{byte(shard * errandShard)}
	return hbase.Scan{Table: n.Table, Start: string(prefix) + NewOp(from, 0), Stop: hbase.PrefixEnd(string(prefix)), Columns: Attributes}
}

// Put writes an errand, with its own timestamp, and a lease that has run out: who takes it checks that, so that nobody takes one that was removed.
func (n errands) Put(e Errand) hbase.Put {
	put := hbase.Put{Table: n.Table, Row: n.Row(e.ID), Cells: []hbase.Cell{{Family: Attributes, Qualifier: LeaseColumn, Timestamp: 1, Value: []byte("0 ")}}}
	for _, c := range []struct{ column, value string }{
		{errandAt, strconv.FormatInt(e.At, 10)}, {errandAuthor, e.Author}, {errandFollower, e.Follower}, {errandKind, string(e.Kind)},
		{errandPosition, e.Position},
	} {
		if c.value != "" {
			put.Cells = append(put.Cells, hbase.Cell{Family: Attributes, Qualifier: c.column, Timestamp: e.At, Value: []byte(c.value)})
		}
	}
	return put
}

// Forever is the timestamp of what masks all that may come late: the end of the times that rows can carry.
var Forever = MaxTime.UnixMilli()

// Remove takes an errand away for good: also a put of it that comes late stays masked.
func (n errands) Remove(id string) hbase.Delete {
	return hbase.Delete{Table: n.Table, Row: n.Row(id), Timestamp: Forever}
}

// Decode returns the errand of a row; ok is false if there is none, though its lease or cursor may have been left.
func (n errands) Decode(row string, cells []hbase.Cell) (e Errand, ok bool, err error) {
	if e.ID, err = n.IDOf(row); err != nil {
		return Errand{}, false, err
	}
	at := ""
	for _, c := range cells {
		switch value := string(c.Value); c.Qualifier {
		case errandKind:
			e.Kind = ErrandKind(value)
		case errandAt:
			at = value
		case errandAuthor:
			e.Author = value
		case errandFollower:
			e.Follower = value
		case errandPosition:
			e.Position = value
		}
	}
	if at == "" && e.Kind == "" {
		return Errand{}, false, nil
	}
	ms, err := parseCount(at)
	e.At = int64(ms)
	if err == nil && !ValidTime(time.UnixMilli(e.At)) {
		err = fmt.Errorf("%w: %d is the time of no write", ErrName, e.At)
	}
	if err == nil {
		err = e.check()
	}
	return e, true, corrupt(err, "errand "+e.ID)
}

// check reports what an errand of its kind lacks, or has and should not.
func (e Errand) check() error {
	err := CheckUsername(e.Author)
	switch e.Kind {
	case Posted, Deleted:
		if err == nil {
			err = checkTwitPosition(e.Position)
		}
	case Followed, Unfollowed:
		if err == nil {
			err = CheckUsername(e.Follower)
		}
	case Returned:
	default:
		return fmt.Errorf("%w: %q is no kind of errand", ErrName, e.Kind)
	}
	twit, follower := e.Kind == Posted || e.Kind == Deleted, e.Kind == Followed || e.Kind == Unfollowed
	if err == nil && ((e.Position != "") != twit || (e.Follower != "") != follower) {
		err = fmt.Errorf("%w: an errand of the kind %s has a part of another kind", ErrName, e.Kind)
	}
	return err
}

// Hold says who is at an errand, and how far it is.
type Hold struct {
	// Until is when Lease ends. No two leases of an errand are alike.
	Until time.Time
	Lease []byte
	// Cursor is the position up to which it is done, but for what is noted: a [Batch], see [DecodeBatch].
	Cursor, Noted string
}

// Longer returns the hold of who has the errand until then. Until has to be later than that of any hold before.
func (h Hold) Longer(holder string, until time.Time) Hold {
	h.Until, h.Lease = until, fmt.Appendf(nil, "%d %s", until.UnixMilli(), holder)
	return h
}

// Taken returns who has taken an errand, as its cells say.
func (n errands) Taken(cells []hbase.Cell) (h Hold) {
	for _, c := range cells {
		switch c.Qualifier {
		case LeaseColumn:
			// A lease that can't be read has run out.
			var ms int64
			_, _ = fmt.Sscanf(string(c.Value), "%d ", &ms)
			h.Until, h.Lease = time.UnixMilli(ms), c.Value
		case CursorColumn:
			h.Cursor = string(c.Value)
		case NotedColumn:
			h.Noted = string(c.Value)
		}
	}
	return h
}

// Take returns the check and the put by which an errand passes from one hold to the next.
func (n errands) Take(id string, from, to Hold) (hbase.Check, hbase.Put) {
	cell := func(column, value string) hbase.Cell {
		return hbase.Cell{Family: Attributes, Qualifier: column, Value: []byte(value)}
	}
	return hbase.Check{Family: Attributes, Qualifier: LeaseColumn, Value: from.Lease}, hbase.Put{Table: n.Table, Row: n.Row(id), Cells: []hbase.Cell{
		cell(CursorColumn, to.Cursor), cell(LeaseColumn, string(to.Lease)), cell(NotedColumn, to.Noted)}}
}
