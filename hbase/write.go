package hbase

import (
	"fmt"
	"math"
)

// HBase's own limits, which every engine enforces.
const (
	MaxRowLength = 32767
	MaxCellSize  = 10 << 20
)

// Mutation is a [Put] or a [Delete]: the atomic change of one row.
type Mutation interface {
	// At names the table and the row.
	At() (table, row string)
	// Validate returns [ErrInvalid] or [ErrCellTooLarge] if no store can apply the mutation.
	Validate() error
	sealed()
}

// Put writes cells of one row, all or none. A cell of a timestamp that the column already has replaces that version.
type Put struct {
	Table string
	Row   string
	Cells []Cell
}

// Delete masks cells of one row. As in HBase it is a marker: it also masks later puts of an older timestamp.
type Delete struct {
	Table string
	Row   string
	// Columns are deleted; none means the whole row, every family up to Timestamp.
	Columns []Deletion
	// Timestamp is the whole row's bound if Columns is empty; 0 means the store's present.
	Timestamp int64
}

// Kind says how much a Deletion masks.
type Kind uint8

// The kinds of deletion. HBase names their markers DeleteFamily, DeleteColumn and Delete.
const (
	// Family masks every column of the family up to and including the timestamp.
	Family Kind = iota
	// AllVersions masks the versions of one column up to and including the timestamp.
	AllVersions
	// OneVersion masks exactly the version of the timestamp, which it therefore needs.
	OneVersion
)

// Deletion is one part of a Delete.
type Deletion struct {
	Kind      Kind
	Family    string
	Qualifier string
	// Timestamp 0 means the store's present.
	Timestamp int64
}

// Check is a condition on the newest version of one cell of a row that CheckAndPut writes.
type Check struct {
	Family    string
	Qualifier string
	// Value is what the cell must hold; empty matches an absent or an empty cell.
	Value []byte
}

// Increment adds Delta to one cell.
type Increment struct {
	Table     string
	Row       string
	Family    string
	Qualifier string
	Delta     int64
}

// At implements [Mutation].
func (p Put) At() (table, row string) { return p.Table, p.Row }

// At implements [Mutation].
func (d Delete) At() (table, row string) { return d.Table, d.Row }

func (Put) sealed()    {}
func (Delete) sealed() {}

// Validate implements [Mutation].
func (p Put) Validate() error {
	if err := checkRow(p.Row); err != nil {
		return err
	}
	if len(p.Cells) == 0 {
		return fmt.Errorf("%w: a Put needs a cell", ErrInvalid)
	}
	for _, c := range p.Cells {
		if !validTime(c.Timestamp) {
			return fmt.Errorf("%w: %s:%q: %d is no timestamp", ErrInvalid, c.Family, c.Qualifier, c.Timestamp)
		}
		if size := len(p.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value); size > MaxCellSize {
			return fmt.Errorf("%w: %s:%q has %d bytes, more than %d", ErrCellTooLarge, c.Family, c.Qualifier, size, MaxCellSize)
		}
	}
	return nil
}

// Validate implements [Mutation].
func (d Delete) Validate() error {
	if !validTime(d.Timestamp) {
		return fmt.Errorf("%w: %d is no timestamp", ErrInvalid, d.Timestamp)
	}
	for _, c := range d.Columns {
		if !validTime(c.Timestamp) || c.Kind > OneVersion || c.Kind == OneVersion && c.Timestamp == 0 {
			return fmt.Errorf("%w: %s:%q: a Deletion needs a kind, and of one version its timestamp", ErrInvalid, c.Family, c.Qualifier)
		}
	}
	return checkRow(d.Row)
}

// Validate returns [ErrInvalid] if no store can apply the increment.
func (i Increment) Validate() error { return checkRow(i.Row) }

// validTime rejects the greatest number: HBase takes it for the present.
func validTime(timestamp int64) bool { return timestamp >= 0 && timestamp < math.MaxInt64 }

func checkRow(row string) error {
	if row == "" || len(row) > MaxRowLength {
		return fmt.Errorf("%w: a row key has 1 to %d bytes, not %d", ErrInvalid, MaxRowLength, len(row))
	}
	return nil
}
