package tables

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"twibase/hbase"
)

// Gone is the name of a deleted object, and the value of a removed attribute. It is a value, not an absence: a commit can
// write it, and it does not mask what a slower clock writes later.
const Gone = "\x00"

// Without returns the cell of a removed attribute.
func Without(attribute string, timestamp int64) hbase.Cell {
	return textCell(attribute, Gone, timestamp)
}

// CompleteColumn is the column of a commit row that names the last operation that is known to be complete. Operation types
// that read effects of earlier operations use it.
const CompleteColumn = "whole"

// CompleteCell says that an operation is complete.
func CompleteCell(family, op string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: family, Qualifier: CompleteColumn, Timestamp: timestamp, Value: []byte(op)}
}

// IsComplete reports whether the cells of a commit row say that an operation is complete.
func IsComplete(row []hbase.Cell, op string) bool {
	c, ok := find(row, CompleteColumn)
	return ok && string(c.Value) == op
}

// opDigits sort like the bytes that they encode.
var opDigits = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

const (
	opTime   = 6 // bytes of milliseconds
	opBytes  = opTime + 8
	opLength = 23 // digits
)

// NewOp returns the id of an operation: the time at which it began, to the millisecond, and a random number. Ids sort by
// time.
func NewOp(at time.Time, random uint64) string {
	var b [2 + opBytes]byte
	binary.BigEndian.PutUint64(b[:], uint64(at.UnixMilli()))
	binary.BigEndian.PutUint64(b[2+opTime:], random)
	return opDigits.EncodeToString(b[2:])
}

// OpTime returns the time of an id. The error is [ErrName] if it is not the id of an operation.
func OpTime(id string) (time.Time, error) {
	b, err := opDigits.DecodeString(id)
	if err != nil || len(id) != opLength || opDigits.EncodeToString(b) != id {
		return time.Time{}, fmt.Errorf("%w: %q is no id of a write", ErrName, id)
	}
	at := time.UnixMilli(int64(binary.BigEndian.Uint64(append([]byte{0, 0}, b[:opTime]...)))).UTC()
	if !ValidTime(at) {
		return time.Time{}, fmt.Errorf("%w: %q is the id of a write in no time", ErrName, id)
	}
	return at, nil
}

// The commit record is the value of [CommitColumn]. It has one of three forms:
//
//	ID        the operation ID committed
//	VOID-ID   a fence: the operation ID has not committed, and never will
//	ID-ID     the operation ID is complete, and its compensations fail from now on
const opVoid = "-"

// VoidOp returns the commit record of a fence. own is its id, and fenced the operation that it fences.
func VoidOp(own, fenced string) string { return own + opVoid + fenced }

// FencedBy returns the operation that a commit record fences, if it is a fence.
func FencedBy(record string) (id string, fence bool) {
	own, id, void := strings.Cut(record, opVoid)
	return id, void && own != id
}

// DoneOp returns the commit record of an operation that is complete, and that nothing may compensate any more.
func DoneOp(id string) string { return VoidOp(id, id) }

// CommittedBy returns the operation of a commit record, and whether the record says that it is complete.
func CommittedBy(record string) (id string, done bool) {
	id, other, _ := strings.Cut(record, opVoid)
	return id, id == other && id != ""
}

// CheckOp reports why s can't be a commit record. The error is [ErrName].
func CheckOp(s string) error {
	own, other, void := strings.Cut(s, opVoid)
	_, err := OpTime(own)
	if err == nil && void {
		_, err = OpTime(other)
	}
	return err
}

// DecodeOp returns the commit record among the cells of a commit row, empty if there is none.
func DecodeOp(cells []hbase.Cell) (string, error) {
	c, ok := find(cells, CommitColumn)
	if !ok {
		return "", nil
	}
	return string(c.Value), corrupt(CheckOp(string(c.Value)), "op")
}

// CountedColumn holds the [Journal] of a row with counts.
const CountedColumn = "counted"

// Journal belongs to the counts of a row, which each operation changes exactly once. It holds a revision, which increases
// with every change of a count, and the ids of operations that were counted and may not be complete.
type Journal struct {
	Revision int
	Ops      []string
}

// Has reports whether the operation was counted.
func (j Journal) Has(op string) bool { return slices.Contains(j.Ops, op) }

// DecodeJournal returns the journal among the cells of a row, and its stored value, nil if there is none yet.
func DecodeJournal(cells []hbase.Cell) (j Journal, value []byte, err error) {
	for _, c := range cells {
		if c.Family == Attributes && c.Qualifier == CountedColumn {
			j, err = parseJournal(string(c.Value))
			return j, c.Value, corrupt(err, string(c.Value))
		}
	}
	return Journal{}, nil, nil
}

func parseJournal(s string) (Journal, error) {
	parts := strings.Split(s, " ")
	revision, err := parseCount(parts[0])
	if err == nil && revision == 0 {
		err = fmt.Errorf("%w: a journal's revisions start at 1", ErrName)
	}
	j := Journal{revision, parts[1:]}
	for _, op := range j.Ops {
		if err == nil {
			_, err = OpTime(op)
		}
	}
	return j, err
}

// Cell returns the column of a journal.
func (j Journal) Cell(timestamp int64) hbase.Cell {
	value := strings.Join(append([]string{strconv.Itoa(j.Revision)}, j.Ops...), " ")
	return textCell(CountedColumn, value, timestamp)
}
