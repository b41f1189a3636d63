package tables

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"twibase/hbase"
)

// textCell returns a cell of the family [Attributes].
func textCell(column, value string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: Attributes, Qualifier: column, Timestamp: timestamp, Value: []byte(value)}
}

// find returns the cell of a column among those of a row, whatever its family.
func find(cells []hbase.Cell, column string) (c hbase.Cell, ok bool) {
	i := slices.IndexFunc(cells, func(c hbase.Cell) bool { return c.Qualifier == column })
	if i < 0 {
		return hbase.Cell{}, false
	}
	return cells[i], true
}

// textColumn is a column of a row, and the variable that holds its text. Empty texts are not stored.
type textColumn struct {
	name string
	text *string
}

// encodeTexts returns the cells of the columns.
func encodeTexts(columns []textColumn, timestamp int64) (cells []hbase.Cell) {
	for _, c := range columns {
		if *c.text != "" {
			cells = append(cells, textCell(c.name, *c.text, timestamp))
		}
	}
	return cells
}

// decodeTexts sets the texts of the columns that are among the cells.
func decodeTexts(columns []textColumn, cells []hbase.Cell) {
	for _, column := range columns {
		if c, ok := find(cells, column.name); ok {
			*column.text = string(c.Value)
		}
	}
}

// decodeMilli returns the time of a text of milliseconds. The error is [ErrName].
func decodeMilli(text string) (time.Time, error) {
	milli, err := parseCount(text)
	at := time.UnixMilli(int64(milli)).UTC()
	if err == nil && !ValidTime(at) {
		err = fmt.Errorf("%w: time %d is out of range", ErrName, milli)
	}
	return at, err
}

// encodeMilli returns the text of a time in milliseconds.
func encodeMilli(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// corrupt says that stored bytes are not what they should be, if err is not nil.
func corrupt(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %q: %w", hbase.ErrCorrupt, what, err)
}
