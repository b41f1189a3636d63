package embedded

import (
	"bytes"
	"unsafe"

	"twibase/hbase"
)

// arena allocates results in large pieces. It never overwrites a piece, so callers may keep
// results. For what it saves, see arena in 'go -C bench run . without'.
type arena struct {
	cells []hbase.Cell
	row   int // first cell of the current row
	data  []byte
}

const (
	minCells, maxCells = 8, 512
	minBytes, maxBytes = 512, 64 << 10
	// A larger value would leave much of a piece unused.
	largeValue = maxBytes / 16
)

func (a *arena) begin() { a.row = len(a.cells) }

func (a *arena) end() []hbase.Cell {
	if a.row == len(a.cells) {
		return nil
	}
	return a.cells[a.row:len(a.cells):len(a.cells)]
}

func (a *arena) add(c hbase.Cell) {
	if len(a.cells) == cap(a.cells) {
		row := a.cells[a.row:]
		size := max(min(2*cap(a.cells), maxCells), minCells, 2*len(row))
		a.cells, a.row = append(make([]hbase.Cell, 0, size), row...), 0
	}
	a.cells = append(a.cells, c)
}

func (a *arena) reserve(n int) (start int) {
	if n > cap(a.data)-len(a.data) {
		a.data = make([]byte, 0, max(min(2*cap(a.data), maxBytes), minBytes, n))
	}
	return len(a.data)
}

func (a *arena) copy(value []byte) []byte {
	if len(value) > largeValue {
		return bytes.Clone(value)
	}
	start := a.reserve(len(value))
	a.data = append(a.data, value...)
	return a.data[start:len(a.data):len(a.data)]
}

func (a *arena) unescaped(escaped []byte) (qualifier string, err error) {
	start := a.reserve(len(escaped))
	a.data, err = appendUnescaped(a.data, escaped)
	text := a.data[start:]
	return unsafe.String(unsafe.SliceData(text), len(text)), err
}
