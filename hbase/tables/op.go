package tables

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"twibase/hbase"
)

// CountedColumn, in a row that many writes count in, is its [Journal].
const CountedColumn = "counted"

// Gone is the name of an object that was deleted, and the value of another attribute that was taken away. It is a value, not an
// absence: so it can be part of a decision, and what a slower clock writes is not masked.
const Gone = "\x00"

// Without returns the attribute of an object as it is when it was taken away.
func Without(attribute string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: Attributes, Qualifier: attribute, Timestamp: timestamp, Value: []byte(Gone)}
}

// Whole is the column of a deciding row that names the last decision whose steps are known to be done, for those that read what the steps wrote.
const Whole = "whole"

// WholeCell says that all steps of a decision are done.
func WholeCell(family, op string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: family, Qualifier: Whole, Timestamp: timestamp, Value: []byte(op)}
}

// IsWhole reports whether the cells of a deciding row say that of a decision.
func IsWhole(row []hbase.Cell, op string) bool {
	return slices.ContainsFunc(row, func(c hbase.Cell) bool { return c.Qualifier == Whole && string(c.Value) == op })
}

// opDigits sort like the bytes that they stand for.
var opDigits = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

const (
	opTime   = 6 // bytes of milliseconds
	opBytes  = opTime + 8
	opLength = 23 // digits
)

// NewOp returns the id of a write: when it began, to the millisecond, and what tells it from all others. Ids sort by time.
func NewOp(at time.Time, random uint64) string {
	var b [2 + opBytes]byte
	binary.BigEndian.PutUint64(b[:], uint64(at.UnixMilli()))
	binary.BigEndian.PutUint64(b[2+opTime:], random)
	return opDigits.EncodeToString(b[2:])
}

// OpTime returns when a write began. It is [ErrName] if the id can't be one.
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

// opVoid stands between the id of a void decision and that of the write that it shut out.
const opVoid = "-"

// VoidOp returns what a deciding row holds after the write with the id shut was kept from ever being decided by one with the id own.
func VoidOp(own, shut string) string { return own + opVoid + shut }

// ShutOut returns the write that a void decision shut out, if it is one.
func ShutOut(op string) (id string, void bool) {
	own, id, void := strings.Cut(op, opVoid)
	return id, void && own != id
}

// DoneOp returns what a deciding row holds after all steps of the write with the id were done, where nothing may follow it there that was
// found out before.
func DoneOp(id string) string { return VoidOp(id, id) }

// DecidedBy returns the write that a decision is of, and whether it says that all steps of it were done.
func DecidedBy(op string) (id string, done bool) {
	id, shut, _ := strings.Cut(op, opVoid)
	return id, id == shut && id != ""
}

// CheckOp reports why s can't be the value of an op column.
func CheckOp(s string) error {
	own, shut, void := strings.Cut(s, opVoid)
	_, err := OpTime(own)
	if err == nil && void {
		_, err = OpTime(shut)
	}
	return err
}

// DecodeOp returns the last decision that the cells of a deciding row tell of, empty if there was none.
func DecodeOp(cells []hbase.Cell) (string, error) {
	for _, c := range cells {
		if c.Qualifier == Decision {
			return string(c.Value), corrupt(CheckOp(string(c.Value)), "op")
		}
	}
	return "", nil
}
