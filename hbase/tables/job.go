package tables

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"twibase/hbase"
)

// JobKind is a kind of [Job].
type JobKind string

// docs/FEEDS.md has the effects of each kind.
const (
	Posted     JobKind = "posted"     // delivers a twit
	Deleted    JobKind = "deleted"    // removes a twit
	Followed   JobKind = "followed"   // delivers twits to a new follower
	Unfollowed JobKind = "unfollowed" // removes twits from a former follower
	Returned   JobKind = "returned"   // delivers the twits of a Leaving author
)

// Job is background work on timelines after a write. It is idempotent, and any gateway can run it.
type Job struct {
	// ID is the id of the operation, which has at most one job. A Returned job that another job
	// puts has a new id.
	ID   string
	Kind JobKind
	// At is the operation's timestamp, in milliseconds.
	At       int64
	Author   string
	Follower string // for Followed and Unfollowed
	Position string // of the twit, for Posted and Deleted
}

// Jobs are keyed by [Job.ID].
var Jobs = jobs{Outbox{"errands"}}

type jobs struct{ Outbox }

func (j *Job) columns(at *string) []textColumn {
	return []textColumn{
		{"at", at}, {"author", &j.Author}, {"follower", &j.Follower}, {"kind", (*string)(&j.Kind)}, {"position", &j.Position},
	}
}

// Put writes a job with a lease that has ended. Leasing expects the previous lease, so it fails if
// the job was removed.
func (n jobs) Put(j Job) hbase.Put {
	at := strconv.FormatInt(j.At, 10)
	cells := append([]hbase.Cell{NewLease("", time.UnixMilli(0)).Cell(1)}, encodeTexts(j.columns(&at), j.At)...)
	return hbase.Put{Table: n.Table, Row: n.Row(j.ID), Cells: cells}
}

// Forever is the timestamp of deletions that mask all later writes.
var Forever = MaxTime.UnixMilli()

func (n jobs) Remove(id string) hbase.Delete {
	return hbase.Delete{Table: n.Table, Row: n.Row(id), Timestamp: Forever}
}

// Decode returns ok = false for a row with only a lease and progress.
func (n jobs) Decode(row string, cells []hbase.Cell) (j Job, ok bool, err error) {
	if j.ID, err = n.IDOf(row); err != nil {
		return Job{}, false, err
	}
	at := ""
	decodeTexts(j.columns(&at), cells)
	if at == "" && j.Kind == "" {
		return Job{}, false, nil
	}
	began, err := decodeMilli(at)
	j.At = began.UnixMilli()
	if err == nil {
		err = j.check()
	}
	return j, true, corrupt(err, "job "+j.ID)
}

func (j Job) check() error {
	err := CheckUsername(j.Author)
	twit, follower := j.Kind == Posted || j.Kind == Deleted, j.Kind == Followed || j.Kind == Unfollowed
	switch {
	case !twit && !follower && j.Kind != Returned:
		return fmt.Errorf("%w: %q is not a kind of job", ErrName, j.Kind)
	case err != nil:
	case (j.Position != "") != twit || (j.Follower != "") != follower:
		err = fmt.Errorf("%w: a job of kind %s lacks an attribute, or has one of another kind", ErrName, j.Kind)
	case twit:
		err = checkTwitPosition(j.Position)
	case follower:
		err = CheckUsername(j.Follower)
	}
	return err
}

// Progress is stored with each lease.
type Progress struct {
	// Cursor is the position of a follower. All followers up to it are done, except those in
	// Unverified.
	Cursor string
	// Unverified is an encoded [Batch] that may have been put, and is not verified.
	Unverified string
}

const (
	jobCursor     = "cursor"
	jobUnverified = "noted"
)

func (jobs) Progress(cells []hbase.Cell) (p Progress) {
	decodeTexts([]textColumn{{jobCursor, &p.Cursor}, {jobUnverified, &p.Unverified}}, cells)
	return p
}

// Cells have the store's timestamp.
func (p Progress) Cells() []hbase.Cell {
	return []hbase.Cell{textCell(jobCursor, p.Cursor, 0), textCell(jobUnverified, p.Unverified, 0)}
}

// Batch is a part of a job: twits of one author, and followers whose timelines get or lose them.
type Batch struct {
	Followers []Follow
	Twits     []TwitKey
}

// Encode is the inverse of [DecodeBatch]: see docs/TABLES.md.
func (b Batch) Encode() string {
	text := binary.AppendUvarint(nil, uint64(len(b.Followers)))
	for _, f := range b.Followers {
		text = appendPart(text, Followers.Position(f))
	}
	for _, t := range b.Twits {
		text = appendPart(text, t.Position)
	}
	return string(text)
}

// DecodeBatch decodes [Batch.Encode], and "" as the zero Batch.
func DecodeBatch(author, text string) (Batch, error) {
	var b Batch
	if text == "" {
		return b, nil
	}
	n, size := binary.Uvarint([]byte(text[:min(len(text), binary.MaxVarintLen64)]))
	if size <= 0 || len(binary.AppendUvarint(nil, n)) != size {
		return Batch{}, corrupt(ErrName, text)
	}
	for rest := text[size:]; rest != ""; {
		position, next, ok := nextPart(rest)
		err := ErrName
		switch {
		case !ok:
		case uint64(len(b.Followers)) < n:
			var f Follow
			f, err = Followers.decode(nil, "", position, nil)
			b.Followers = append(b.Followers, f)
		default:
			err = checkTwitPosition(position)
			b.Twits = append(b.Twits, TwitKey{author, position})
		}
		if err != nil {
			return Batch{}, corrupt(err, text)
		}
		rest = next
	}
	if len(b.Followers) == 0 || len(b.Twits) == 0 {
		return Batch{}, corrupt(fmt.Errorf("%w: a batch of nothing", ErrName), text)
	}
	return b, nil
}
