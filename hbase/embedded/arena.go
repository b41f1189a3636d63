package embedded

import (
	"strings"

	"twibase/hbase"
)

// arena is the memory of the rows of one call: a few large pieces instead of one per cell. Nothing that was given out is
// written to again.
type arena struct {
	cells  []hbase.Cell
	start  int
	values []byte
	text   strings.Builder
	// rows and bytes count what was given out, those of families, qualifiers and values.
	rows, bytes int64
}

// The sizes of the pieces: each is twice as large as the one before it, within bounds.
const (
	minCells, maxCells = 8, 512
	minBytes, maxBytes = 512, 64 << 10
)

// begin starts a row, end returns its cells.
func (a *arena) begin() { a.start = len(a.cells) }

func (a *arena) end() []hbase.Cell {
	if a.start == len(a.cells) {
		return nil
	}
	a.rows++
	return a.cells[a.start:len(a.cells):len(a.cells)]
}

func (a *arena) last() *hbase.Cell { return &a.cells[len(a.cells)-1] }

func (a *arena) add(family, qualifier string, timestamp int64, value []byte) {
	a.bytes += int64(len(family) + len(qualifier) + len(value))
	if len(a.cells) == cap(a.cells) {
		row := a.cells[a.start:]
		size := min(max(2*cap(a.cells), minCells), maxCells)
		a.cells = append(make([]hbase.Cell, 0, max(size, 2*len(row))), row...)
		a.start = 0
	}
	a.cells = append(a.cells, hbase.Cell{Family: family, Qualifier: qualifier, Timestamp: timestamp, Value: a.copy(value)})
}

func (a *arena) copy(value []byte) []byte {
	if len(value) > maxBytes/4 {
		return append([]byte(nil), value...)
	}
	if len(value) > cap(a.values)-len(a.values) {
		a.values = make([]byte, 0, max(min(2*cap(a.values), maxBytes), minBytes, len(value)))
	}
	start := len(a.values)
	a.values = append(a.values, value...)
	return a.values[start:len(a.values):len(a.values)]
}

// unescaped returns a qualifier from its escaped form.
func (a *arena) unescaped(escaped []byte) (string, error) {
	if len(escaped) > a.text.Cap()-a.text.Len() {
		size := max(min(2*a.text.Cap(), maxBytes), minBytes, len(escaped))
		a.text = strings.Builder{}
		a.text.Grow(size)
	}
	start := a.text.Len()
	err := writeUnescaped(&a.text, escaped)
	return a.text.String()[start:], err
}
