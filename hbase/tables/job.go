package tables

import (
	"fmt"
	"strconv"
	"time"

	"twibase/hbase"
)

// JobKind says what an [Job] brings about.
type JobKind string

// The kinds of jobs.
const (
	// Posted: the twit of the author at the position comes into the timelines of those who follow the author.
	Posted JobKind = "posted"
	// Deleted: it goes from them.
	Deleted JobKind = "deleted"
	// Followed: the twits of the author come into the timeline of the follower.
	Followed JobKind = "followed"
	// Unfollowed: they go from it.
	Unfollowed JobKind = "unfollowed"
	// Returned: an author with few followers is no broadcaster any more, and the twits come into the timelines of all of them.
	Returned JobKind = "returned"
)

// Job is what follows from a write that its caller did not wait for: it is done in the background, by any gateway, and twice is as
// good as once.
type Job struct {
	// ID is that of the write: a write has one job at most.
	ID   string
	Kind JobKind
	// At is the timestamp, in milliseconds, of the write.
	At       int64
	Author   string
	Follower string // of Followed and Unfollowed
	Position string // of Posted and Deleted: the twit's
}

// Jobs are those that are not done, in a few shards, by their ids and so by their time.
var Jobs = jobs{"errands"}

type jobs struct{ Table string }

// The columns of a job. CursorColumn, NotedColumn and LeaseColumn are no part of it.
const (
	jobKind     = "kind"
	jobAt       = "at"
	jobAuthor   = "author"
	jobFollower = "follower"
	jobPosition = "position"

	// CursorColumn holds the position in the author's list of followers up to which, and with which, it is done.
	CursorColumn = "cursor"
	// NotedColumn holds the [Batch] that may have been written, and was not looked at since.
	NotedColumn = "noted"
)

// JobShards is into how many ranges the jobs fall.
const JobShards = 8

const jobShard = 256 / JobShards

// Row returns the key of a job's row: shard ‖ id.
func (jobs) Row(id string) string { return string([]byte{hashOf(id)[0] &^ (jobShard - 1)}) + id }

// IDOf reads a key of Row back.
func (n jobs) IDOf(row string) (string, error) {
	if len(row) != 1+opLength || n.Row(row[1:]) != row {
		return "", corrupt(ErrName, row)
	}
	_, err := OpTime(row[1:])
	return row[1:], corrupt(err, row)
}

// Get reads a job whole, with who has taken it and how far it is.
func (n jobs) Get(id string) hbase.Get {
	return hbase.Get{Table: n.Table, Row: n.Row(id), Columns: Attributes}
}

// Scan is the range of a shard's jobs that began at from or later.
func (n jobs) Scan(shard int, from time.Time) hbase.Scan {
	prefix := []byte{byte(shard * jobShard)}
	return hbase.Scan{Table: n.Table, Start: string(prefix) + NewOp(from, 0), Stop: hbase.PrefixEnd(string(prefix)), Columns: Attributes}
}

// Put writes a job, with its own timestamp, and a lease that has run out: who takes it checks that, so that nobody takes one that was removed.
func (n jobs) Put(e Job) hbase.Put {
	put := hbase.Put{Table: n.Table, Row: n.Row(e.ID), Cells: []hbase.Cell{{Family: Attributes, Qualifier: LeaseColumn, Timestamp: 1, Value: []byte("0 ")}}}
	for _, c := range []struct{ column, value string }{
		{jobAt, strconv.FormatInt(e.At, 10)}, {jobAuthor, e.Author}, {jobFollower, e.Follower}, {jobKind, string(e.Kind)},
		{jobPosition, e.Position},
	} {
		if c.value != "" {
			put.Cells = append(put.Cells, hbase.Cell{Family: Attributes, Qualifier: c.column, Timestamp: e.At, Value: []byte(c.value)})
		}
	}
	return put
}

// Forever is the timestamp of what masks all that may come late: the end of the times that rows can carry.
var Forever = MaxTime.UnixMilli()

// Remove takes a job away for good: also a put of it that comes late stays masked.
func (n jobs) Remove(id string) hbase.Delete {
	return hbase.Delete{Table: n.Table, Row: n.Row(id), Timestamp: Forever}
}

// Decode returns the job of a row; ok is false if there is none, though its lease or cursor may have been left.
func (n jobs) Decode(row string, cells []hbase.Cell) (e Job, ok bool, err error) {
	if e.ID, err = n.IDOf(row); err != nil {
		return Job{}, false, err
	}
	at := ""
	for _, c := range cells {
		switch value := string(c.Value); c.Qualifier {
		case jobKind:
			e.Kind = JobKind(value)
		case jobAt:
			at = value
		case jobAuthor:
			e.Author = value
		case jobFollower:
			e.Follower = value
		case jobPosition:
			e.Position = value
		}
	}
	if at == "" && e.Kind == "" {
		return Job{}, false, nil
	}
	ms, err := parseCount(at)
	e.At = int64(ms)
	if err == nil && !ValidTime(time.UnixMilli(e.At)) {
		err = fmt.Errorf("%w: %d is the time of no write", ErrName, e.At)
	}
	if err == nil {
		err = e.check()
	}
	return e, true, corrupt(err, "job "+e.ID)
}

// check reports what a job of its kind lacks, or has and should not.
func (e Job) check() error {
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
		return fmt.Errorf("%w: %q is no kind of job", ErrName, e.Kind)
	}
	twit, follower := e.Kind == Posted || e.Kind == Deleted, e.Kind == Followed || e.Kind == Unfollowed
	if err == nil && ((e.Position != "") != twit || (e.Follower != "") != follower) {
		err = fmt.Errorf("%w: a job of the kind %s has a part of another kind", ErrName, e.Kind)
	}
	return err
}

// Hold says who is at a job, and how far it is.
type Hold struct {
	// Until is when Lease ends. No two leases of a job are alike.
	Until time.Time
	Lease []byte
	// Cursor is the position up to which it is done, but for what is noted: a [Batch], see [DecodeBatch].
	Cursor, Noted string
}

// Longer returns the hold of who has the job until then. Until has to be later than that of any hold before.
func (h Hold) Longer(holder string, until time.Time) Hold {
	h.Until, h.Lease = until, fmt.Appendf(nil, "%d %s", until.UnixMilli(), holder)
	return h
}

// Taken returns who has taken a job, as its cells say.
func (n jobs) Taken(cells []hbase.Cell) (h Hold) {
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

// Take returns the check and the put by which a job passes from one hold to the next.
func (n jobs) Take(id string, from, to Hold) (hbase.Check, hbase.Put) {
	cell := func(column, value string) hbase.Cell {
		return hbase.Cell{Family: Attributes, Qualifier: column, Value: []byte(value)}
	}
	return hbase.Check{Family: Attributes, Qualifier: LeaseColumn, Value: from.Lease}, hbase.Put{Table: n.Table, Row: n.Row(id), Cells: []hbase.Cell{
		cell(CursorColumn, to.Cursor), cell(LeaseColumn, string(to.Lease)), cell(NotedColumn, to.Noted)}}
}
