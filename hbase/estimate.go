package hbase

import (
	"hash/maphash"
	"math"
	"sync/atomic"
)

// size estimates the results of Gets, in bytes:
//
//   - known is for rows whose cells were large when last read.
//   - assumed is for other rows, and for Gets without values.
//
// A named column counts with the maxCell of its family: see [NewMemory]. A whole family counts with
// its number of columns times the size of a cell: the row's average for large rows and for columns
// that were read before, and otherwise maxCell, which is usually a hundred times too large for
// texts of twits.
type size struct{ known, assumed int64 }

const (
	// A row is large if its average cell has more than largeCell bytes.
	largeCell = 8 << 10
	// maxColumns is assumed for a Get without a limit, or with a greater limit.
	maxColumns = 1000
)

var unlimited = size{math.MaxInt64, math.MaxInt64}

// estimate returns how many of the first Gets fit into the limit, at least one, and the sum of
// their estimates.
func (m *Memory) estimate(gets []Get, limit size) (n int, all size) {
	var s *columnSizes
	for i := range gets {
		s = m.sizesOf(&gets[i], s)
		one := m.estimateOne(&gets[i], s)
		next := size{all.known + one.known, all.assumed + one.assumed}
		if i > 0 && (next.known > limit.known || next.assumed > limit.assumed) {
			return i, all
		}
		all = next
	}
	return len(gets), all
}

// piece is [Memory.estimate] for the next piece. Only engines that reserve memory need assumed
// sizes.
func (m *Memory) piece(gets []Get) (n int, all size) {
	if m.reserves {
		return m.estimate(gets, size{maxPiece, m.limit})
	}
	return m.estimate(gets, size{maxPiece, math.MaxInt64})
}

func (m *Memory) estimateOne(g *Get, s *columnSizes) size {
	columns := g.Page.Limit
	if columns == 0 || columns > maxColumns {
		columns = maxColumns
	}
	if s.each < largeCell {
		return size{assumed: int64(s.named + columns*s.each)}
	}
	row := m.known(g, s)
	if row.large() && !g.Page.NoValues {
		return size{known: int64(s.named + min(columns, row.columns())*row.cell())}
	}
	known := min(columns, row.smallColumns(&g.Page))
	return size{assumed: int64(s.named + known*row.cell() + (columns-known)*s.each)}
}

// columnSizes has the assumed bytes of selected columns.
type columnSizes struct {
	table, columns string
	hash           uint64 // of the table
	named          int    // all named columns
	each           int    // one column of each whole family
}

// sizesOf returns the sizes of a Get's columns: usually last, the sizes of the previous Get.
func (m *Memory) sizesOf(g *Get, last *columnSizes) *columnSizes {
	if last != nil && last.table == g.Table && last.columns == g.Columns {
		return last
	}
	key := [2]string{g.Table, g.Columns}
	if known, ok := m.sizes.Get(key); ok {
		return known
	}
	s := &columnSizes{table: g.Table, columns: g.Columns, hash: maphash.String(m.seed, g.Table)}
	columns, _ := ParseColumns(g.Columns)
	for _, c := range columns {
		if n := m.maxCell(g.Table, c.Family); c.Whole {
			s.each += n
		} else {
			s.named += n
		}
	}
	m.sizes.Add(key, s)
	return s
}

// learn remembers rows of families whose cells may be large.
func (m *Memory) learn(gets []Get, results []Result) {
	var s *columnSizes
	for i := range results {
		s = m.sizesOf(&gets[i], s)
		g, cells := &gets[i], results[i].Cells
		if s.each < largeCell || g.Page.NoValues || results[i].Err != nil {
			continue
		}
		hash := m.hash(g, s)
		row, slot := newKnownRow(hash, &g.Page, cells), m.slot(hash)
		earlier := knownRow(slot.Load())
		if !m.reserves && !row.large() && !earlier.is(hash) {
			continue // the sizes of small rows are not needed: see piece
		}
		if row.replaces(earlier) {
			slot.Store(uint64(row))
		}
	}
}

func (m *Memory) hash(g *Get, s *columnSizes) uint64 { return maphash.String(m.seed, g.Row) ^ s.hash }

// knownRow has the sizes of a row when it was last read. 0 is an unknown row.
//
//	│ hash 40 bits │ average size of its cells in KiB 12 │ number of columns 12 │
//
// A small row has maxColumns if the whole row was read. Otherwise it has the number of columns that
// were read from its start, because the others may be large. For a large row that was read only in
// part, maxColumns is an upper bound.
type knownRow uint64

const knownRowBits = 12

func newKnownRow(hash uint64, page *Page, cells []Cell) knownRow {
	kib := uint64(min(int(Size(cells))/max(1, len(cells))>>10+1, 1<<knownRowBits-1))
	row := knownRow(hash>>(2*knownRowBits)<<(2*knownRowBits) | kib<<knownRowBits)
	whole := page.Start == "" && page.Stop == "" && (page.Limit == 0 || len(cells) < page.Limit)
	columns := min(len(cells), maxColumns)
	switch {
	case row.large() != whole:
		columns = maxColumns
	case !row.large() && page.Start != "":
		columns = 0
	}
	return row | knownRow(columns)
}

func (r knownRow) is(hash uint64) bool { return (uint64(r)^hash)>>(2*knownRowBits) == 0 }
func (r knownRow) cell() int           { return int(r>>knownRowBits&(1<<knownRowBits-1)) << 10 }
func (r knownRow) columns() int        { return int(r & (1<<knownRowBits - 1)) }
func (r knownRow) large() bool         { return r.cell() > largeCell }

func (r knownRow) smallColumns(page *Page) int {
	if r.large() || page.Start != "" && r.columns() < maxColumns {
		return 0
	}
	return r.columns()
}

// replaces reports whether r replaces the earlier row in its slot. A small row replaces no other
// row that is large. A large row becomes small only if it is read completely.
func (r knownRow) replaces(earlier knownRow) bool {
	same := earlier.is(uint64(r))
	switch {
	case r.large():
		return true
	case earlier.large():
		return same && r.columns() == maxColumns
	case same:
		return r.columns() >= earlier.columns()
	}
	return r.columns() > 0
}

const slotBits = 17

// slot returns the slot of the row, a free slot, or another row's.
func (m *Memory) slot(hash uint64) *atomic.Uint64 {
	one, other := &m.rows[hash>>(64-slotBits)], &m.rows[hash>>(64-slotBits)^1]
	switch first, second := knownRow(one.Load()), knownRow(other.Load()); {
	case first.is(hash):
		return one
	case second.is(hash):
		return other
	case first != 0 && (second == 0 || first.large()):
		return other
	}
	return one
}

func (m *Memory) known(g *Get, s *columnSizes) knownRow {
	hash := m.hash(g, s)
	if row := knownRow(m.slot(hash).Load()); row.is(hash) {
		return row
	}
	return 0
}
