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

// columns returns the columns of a job. at is its time. The lease and the [Progress] are not part of it.
func (e *Job) columns(at *string) []textColumn {
	return []textColumn{
		{"at", at}, {"author", &e.Author}, {"follower", &e.Follower}, {"kind", (*string)(&e.Kind)}, {"position", &e.Position},
	}
}

// Put writes a job, with its own timestamp, and a lease that ended in 1970. Every lease is taken by a check of
// the one before, so no gateway takes a job that was removed.
func (n jobs) Put(e Job) hbase.Put {
	at := strconv.FormatInt(e.At, 10)
	cells := append([]hbase.Cell{NewLease("", time.UnixMilli(0)).Cell(1)}, encodeTexts(e.columns(&at), e.At)...)
	return hbase.Put{Table: n.Table, Row: n.Row(e.ID), Cells: cells}
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
	decodeTexts(e.columns(&at), cells)
	if at == "" && e.Kind == "" {
		return Job{}, false, nil
	}
	began, err := decodeMilli(at)
	e.At = began.UnixMilli()
	if err == nil {
		err = e.check()
	}
	return e, true, corrupt(err, "job "+e.ID)
}

// check returns an error if the job lacks an attribute of its kind, or has one of another.
func (e Job) check() error {
	err := CheckUsername(e.Author)
	twit, follower := e.Kind == Posted || e.Kind == Deleted, e.Kind == Followed || e.Kind == Unfollowed
	switch {
	case !twit && !follower && e.Kind != Returned:
		return fmt.Errorf("%w: %q is not a kind of job", ErrName, e.Kind)
	case err != nil:
	case (e.Position != "") != twit || (e.Follower != "") != follower:
		err = fmt.Errorf("%w: a job of kind %s lacks an attribute, or has one of another kind", ErrName, e.Kind)
	case twit:
		err = checkTwitPosition(e.Position)
	case follower:
		err = CheckUsername(e.Follower)
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

// The columns of a [Progress].
const (
	jobCursor     = "cursor"
	jobUnverified = "noted"
)

// Progress returns the progress among the cells of a row.
func (jobs) Progress(cells []hbase.Cell) (p Progress) {
	decodeTexts([]textColumn{{jobCursor, &p.Cursor}, {jobUnverified, &p.Unverified}}, cells)
	return p
}

// Cells returns the cells of the progress, to be put with the store's timestamp.
func (p Progress) Cells() []hbase.Cell {
	return []hbase.Cell{textCell(jobCursor, p.Cursor, 0), textCell(jobUnverified, p.Unverified, 0)}
}
