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

// DeletedValue is the name of a deleted object, and the value of a removed attribute. A delete
// marker would mask later writes by gateways with slow clocks.
const DeletedValue = "\x00"

// Without returns the cell that removes an attribute.
func Without(attribute string, timestamp int64) hbase.Cell {
	return textCell(attribute, DeletedValue, timestamp)
}

// CompleteColumn has the id of the last operation known to be complete.
const CompleteColumn = "whole"

// CompleteCell returns the cell of [CompleteColumn].
func CompleteCell(family, op string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: family, Qualifier: CompleteColumn, Timestamp: timestamp, Value: []byte(op)}
}

// IsComplete reports whether the [CompleteColumn] of a row names op.
func IsComplete(row []hbase.Cell, family, op string) bool {
	c := hbase.FindCell(row, family, CompleteColumn)
	return c != nil && string(c.Value) == op
}

// opDigits keep the order of bytes.
var opDigits = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

const (
	opTime   = 6 // bytes
	opBytes  = opTime + 8
	opLength = 23 // digits
)

// NewOp returns an operation's id: its time in milliseconds and a random number. Ids sort by time.
func NewOp(at time.Time, random uint64) string {
	var b [2 + opBytes]byte
	binary.BigEndian.PutUint64(b[:], uint64(at.UnixMilli()))
	binary.BigEndian.PutUint64(b[2+opTime:], random)
	return opDigits.EncodeToString(b[2:])
}

// OpTime parses the time of an id.
func OpTime(id string) (time.Time, error) {
	b, err := opDigits.DecodeString(id)
	if err != nil || len(id) != opLength || opDigits.EncodeToString(b) != id {
		return time.Time{}, fmt.Errorf("%w: %q is no operation id", ErrName, id)
	}
	at := time.UnixMilli(int64(binary.BigEndian.Uint64(append([]byte{0, 0}, b[:opTime]...)))).UTC()
	if !ValidTime(at) {
		return time.Time{}, fmt.Errorf("%w: the time of operation id %q is out of range", ErrName, id)
	}
	return at, nil
}

// The commit record is the value of [CommitColumn]:
//
//	ID        operation ID has committed
//	OWN-ID    a fence with the id OWN: operation ID has not committed, and never will
//	ID-ID     operation ID is complete, and can't be compensated
const recordSeparator = "-"

// FenceRecord returns the form OWN-ID.
func FenceRecord(own, fenced string) string { return own + recordSeparator + fenced }

// FencedBy returns the fenced operation, if any.
func FencedBy(record string) (id string, fence bool) {
	own, id, second := strings.Cut(record, recordSeparator)
	return id, second && own != id
}

// CompletionRecord returns the form ID-ID.
func CompletionRecord(id string) string { return FenceRecord(id, id) }

// CommittedBy returns the id of the operation or fence that stored the record. done is true for the
// form ID-ID. An operation may be complete although done is false.
func CommittedBy(record string) (id string, done bool) {
	id, other, _ := strings.Cut(record, recordSeparator)
	return id, id == other && id != ""
}

// CheckCommitRecord checks the form of a record.
func CheckCommitRecord(s string) error {
	own, other, second := strings.Cut(s, recordSeparator)
	_, err := OpTime(own)
	if err == nil && second {
		_, err = OpTime(other)
	}
	return err
}

// DecodeCommitRecord returns the commit record of a row, or "".
func DecodeCommitRecord(cells []hbase.Cell, family string) (string, error) {
	c := hbase.FindCell(cells, family, CommitColumn)
	if c == nil {
		return "", nil
	}
	return string(c.Value), corrupt(CheckCommitRecord(string(c.Value)), "op")
}

// CountedColumn has a row's [Journal].
const CountedColumn = "counted"

// Journal makes an operation change the counts of a row exactly once: the counts include all Ops.
// Revision increases with every change. A full journal drops complete operations.
type Journal struct {
	Revision int
	Ops      []string
}

// Has reports whether the journal lists an operation.
func (j Journal) Has(op string) bool { return slices.Contains(j.Ops, op) }

// DecodeJournal returns a row's journal and its stored value, maybe nil.
func DecodeJournal(cells []hbase.Cell) (j Journal, value []byte, err error) {
	c := hbase.FindCell(cells, Attributes, CountedColumn)
	if c == nil {
		return Journal{}, nil, nil
	}
	j, err = parseJournal(string(c.Value))
	return j, c.Value, corrupt(err, string(c.Value))
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

// Cell returns the [CountedColumn].
func (j Journal) Cell(timestamp int64) hbase.Cell {
	value := strings.Join(append([]string{strconv.Itoa(j.Revision)}, j.Ops...), " ")
	return textCell(CountedColumn, value, timestamp)
}
