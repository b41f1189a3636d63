package hbase

import (
	"fmt"
	"math"
)

// Limits of HBase, which every engine enforces.
const (
	MaxRowLength = 32767
	MaxCellSize  = 10 << 20
)

// Mutation is an atomic change of one row.
type Mutation interface {
	At() (table, row string)
	// Validate returns [ErrInvalid] or [ErrCellTooLarge].
	Validate() error
	sealed()
}

// Put writes cells of one row.
type Put struct {
	Table string
	Row   string
	Cells []Cell
}

// Delete masks cells of one row, also cells that are put later with an older timestamp.
type Delete struct {
	Table string
	Row   string
	// If Columns is empty, the Delete masks all families up to Timestamp.
	Columns []Deletion
	// Timestamp 0 means now.
	Timestamp int64
}

// Kind is the kind of a Deletion.
type Kind uint8

// As in HBase, a marker masks cells up to its timestamp, inclusive.
const (
	Family      Kind = iota // HBase's DeleteFamily
	AllVersions             // DeleteColumn
)

// Deletion is a part of a Delete.
type Deletion struct {
	Kind      Kind
	Family    string
	Qualifier string
	// Timestamp 0 means now.
	Timestamp int64
}

// PutCells returns a Put of cells.
func PutCells(table, row string, cells ...Cell) Put { return Put{table, row, cells} }

// DeleteCells deletes the columns of cells, up to their timestamps.
func DeleteCells(table, row string, cells ...Cell) Delete {
	d := Delete{Table: table, Row: row}
	for _, c := range cells {
		d.Columns = append(d.Columns, Deletion{AllVersions, c.Family, c.Qualifier, c.Timestamp})
	}
	return d
}

// Check is the condition of a CheckAndPut: the newest version of a column has the Value.
type Check struct {
	Family    string
	Qualifier string
	// An empty Value also matches a missing column.
	Value []byte
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
			return fmt.Errorf("%w: %s:%q: timestamp %d is out of range", ErrInvalid, c.Family, c.Qualifier, c.Timestamp)
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
		return fmt.Errorf("%w: timestamp %d is out of range", ErrInvalid, d.Timestamp)
	}
	for _, c := range d.Columns {
		if !validTime(c.Timestamp) || c.Kind > AllVersions {
			return fmt.Errorf("%w: %s:%q: a Deletion needs a known kind and a timestamp in range",
				ErrInvalid, c.Family, c.Qualifier)
		}
	}
	return checkRow(d.Row)
}

func validTime(timestamp int64) bool {
	return timestamp >= 0 && timestamp < math.MaxInt64 // HBase replaces MaxInt64 by the current time
}

func checkRow(row string) error {
	if row == "" || len(row) > MaxRowLength {
		return fmt.Errorf("%w: a row key has 1 to %d bytes, not %d", ErrInvalid, MaxRowLength, len(row))
	}
	return nil
}
