package tables

import (
	"fmt"
	"strconv"
	"time"

	"twibase/hbase"
)

// JobKind is what a [Job] does.
type JobKind string

// The kinds of jobs.
const (
	// Posted delivers the author's twit at the position to the timelines of the author's followers.
	Posted JobKind = "posted"
	// Deleted removes it from them.
	Deleted JobKind = "deleted"
	// Followed delivers the author's twits to the timeline of a new follower.
	Followed JobKind = "followed"
	// Unfollowed removes them from it.
	Unfollowed JobKind = "unfollowed"
	// Returned delivers the twits of an author with few followers to all their timelines: the author is no
	// longer a broadcaster.
	Returned JobKind = "returned"
)

// Job is the fan-out that follows from a write. Any gateway does it in the background, and doing it twice is
// harmless.
type Job struct {
	// ID is that of the write: a write has one job at most.
	ID   string
	Kind JobKind
	// At is the timestamp of the write, in milliseconds.
	At       int64
	Author   string
	Follower string // of Followed and Unfollowed
	Position string // of Posted and Deleted: the twit's
}

// Jobs is the outbox of fan-out jobs.
var Jobs = jobs{Outbox{"errands"}}

type jobs struct{ Outbox }

// The columns of a job. The lease and the columns of [Progress] are not part of it.
const (
	jobKind     = "kind"
	jobAt       = "at"
	jobAuthor   = "author"
	jobFollower = "follower"
	jobPosition = "position"
	jobCursor   = "cursor"
	jobNoted    = "noted"
)

// Put writes a job, with its own timestamp, and a lease that ended in 1970. Every lease is taken by a check of
// the one before, so no gateway takes a job that was removed.
func (n jobs) Put(e Job) hbase.Put {
	put := hbase.Put{Table: n.Table, Row: n.Row(e.ID), Cells: []hbase.Cell{NewLease("", time.UnixMilli(0)).Cell(1)}}
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

// Forever is the timestamp of deletions that mask whatever is written later: the latest time that rows can carry.
var Forever = MaxTime.UnixMilli()

// Remove removes a job for good: a put of it that arrives later stays masked.
func (n jobs) Remove(id string) hbase.Delete {
	return hbase.Delete{Table: n.Table, Row: n.Row(id), Timestamp: Forever}
}

// Decode returns the job of a row. ok is false if there is none; the row may still have a lease or progress.
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
		err = fmt.Errorf("%w: %d is out of range for a time", ErrName, e.At)
	}
	if err == nil {
		err = e.check()
	}
	return e, true, corrupt(err, "job "+e.ID)
}

// check returns an error if the job lacks an attribute of its kind, or has one of another.
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
		return fmt.Errorf("%w: %q is not a kind of job", ErrName, e.Kind)
	}
	twit, follower := e.Kind == Posted || e.Kind == Deleted, e.Kind == Followed || e.Kind == Unfollowed
	if err == nil && ((e.Position != "") != twit || (e.Follower != "") != follower) {
		err = fmt.Errorf("%w: a job of kind %s has an attribute of another kind", ErrName, e.Kind)
	}
	return err
}

// Progress is how far a job is. It is stored together with each lease.
type Progress struct {
	// Cursor is the position in the author's list of followers up to which the job is done, except for
	// Unverified.
	Cursor string
	// Unverified is the encoded [Batch] that may have been delivered and is not verified.
	Unverified string
}

// Progress returns the progress among the cells of a row.
func (jobs) Progress(cells []hbase.Cell) (p Progress) {
	for _, c := range cells {
		switch c.Qualifier {
		case jobCursor:
			p.Cursor = string(c.Value)
		case jobNoted:
			p.Unverified = string(c.Value)
		}
	}
	return p
}

// Cells returns the cells of the progress, to be put with the store's timestamp.
func (p Progress) Cells() []hbase.Cell {
	return []hbase.Cell{
		{Family: Attributes, Qualifier: jobCursor, Value: []byte(p.Cursor)},
		{Family: Attributes, Qualifier: jobNoted, Value: []byte(p.Unverified)},
	}
}
