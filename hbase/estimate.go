package hbase

import (
	"hash/maphash"
	"math"
	"sync/atomic"
)

// size estimates the results of Gets, in bytes:
//
//   - likely is the size of rows whose cells were large when they were last read.
//   - possible is that of all other rows: the number of columns, times the largest cell of their
//     family. It is usually a hundred times too large. A row whose cells were small when they were
//     last read counts with [smallCell] per column.
type size struct{ likely, possible int64 }

const (
	// A row is large if its cells have an average of at least largeCell bytes, and small if it is
	// less than smallCell.
	largeCell = 8 << 10
	smallCell = 2 << 10
	// maxColumns is assumed for a Get with a greater limit, or none.
	maxColumns = 1000
)

var unlimited = size{math.MaxInt64, math.MaxInt64}

// estimate returns how many Gets, at least one, fit within most, and their total.
func (m *Memory) estimate(gets []Get, most size) (n int, all size) {
	var s *columnSizes
	for i := range gets {
		s = m.sizesOf(&gets[i], s)
		one := m.estimateOne(&gets[i], s)
		next := size{all.likely + one.likely, all.possible + one.possible}
		if i > 0 && (next.likely > most.likely || next.possible > most.possible) {
			return i, all
		}
		all = next
	}
	return len(gets), all
}

func (m *Memory) piece(gets []Get) (n int, all size) {
	return m.estimate(gets, size{maxPiece, m.most})
}

func (m *Memory) estimateOne(g *Get, s *columnSizes) size {
	columns := g.Page.Limit
	if columns == 0 || columns > maxColumns {
		columns = maxColumns
	}
	each := s.each
	if each >= largeCell && (m.anyLarge.Load() || m.anySmall.Load()) {
		hash := m.hash(g, s)
		if row := m.largeRow(hash); row != 0 {
			return size{likely: int64(s.named + min(columns, row.columns())*row.cell())}
		}
		if m.smallSlot(hash).Load() == smallMark(hash) {
			each = smallCell
		}
	}
	return size{possible: int64(s.named + columns*each)}
}

// columnSizes is the maximum sizes of the selected columns of a table.
type columnSizes struct {
	table, columns string
	hash           uint64 // of the table
	named          int    // of all named columns
	each           int    // of one column of each whole family
}

// sizesOf returns the sizes for a Get. last is that of the previous Get, which usually has the same
// columns.
func (m *Memory) sizesOf(g *Get, last *columnSizes) *columnSizes {
	if last != nil && last.table == g.Table && last.columns == g.Columns {
		return last
	}
	key := [2]string{g.Table, g.Columns}
	if known, ok := m.shapes.Get(key); ok {
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
	m.shapes.Add(key, s)
	return s
}

func (m *Memory) learn(gets []Get, results []Result) {
	var s *columnSizes
	for i := range results {
		s = m.sizesOf(&gets[i], s)
		g, cells := &gets[i], results[i].Cells
		if s.each < largeCell || len(cells) == 0 {
			continue
		}
		hash, average, columns := m.hash(g, s), int(Size(cells))/len(cells), maxColumns
		if g.Page.Start == "" && len(cells) < g.Page.Limit {
			columns = len(cells)
		}
		if average >= largeCell {
			m.anyLarge.Store(true)
			m.largeSlot(hash).Store(uint64(newLargeRow(hash, average, columns)))
		} else if m.largeRow(hash) != 0 {
			m.largeSlot(hash).Store(0)
		}
	}
}

func (m *Memory) learnSmall(gets []Get, results []Result) {
	var s *columnSizes
	for i := range results {
		s = m.sizesOf(&gets[i], s)
		cells := results[i].Cells
		if s.each < largeCell || results[i].Err != nil {
			continue
		}
		hash := m.hash(&gets[i], s)
		if len(cells) == 0 || int(Size(cells))/len(cells) < smallCell {
			m.anySmall.Store(true)
			m.smallSlot(hash).Store(smallMark(hash))
		} else {
			m.smallSlot(hash).CompareAndSwap(smallMark(hash), 0)
		}
	}
}

// Rows are remembered in hash tables of a fixed size. A later row replaces an earlier one.
const (
	largeRowSlots = 14 // bits
	smallRowSlots = 18
)

func (m *Memory) hash(g *Get, s *columnSizes) uint64 { return maphash.String(m.seed, g.Row) ^ s.hash }

func (m *Memory) smallSlot(hash uint64) *atomic.Uint32 { return &m.smallRows[hash>>(64-smallRowSlots)] }

// smallMark is the value of a small row's slot: a part of its hash.
func smallMark(hash uint64) uint32 { return uint32(hash) | 1 }

// largeRow is the value of a large row's slot; 0 is empty.
//
//	│ hash 40 bits │ average size of its cells in KiB 12 │ number of cells 12 │
type largeRow uint64

const largeRowBits = 12

func newLargeRow(hash uint64, cell, columns int) largeRow {
	kib := uint64(min(cell>>10+1, 1<<largeRowBits-1))
	return largeRow(hash>>(2*largeRowBits)<<(2*largeRowBits) | kib<<largeRowBits | uint64(columns))
}

func (r largeRow) is(hash uint64) bool { return (uint64(r)^hash)>>(2*largeRowBits) == 0 }
func (r largeRow) cell() int           { return int(r>>largeRowBits&(1<<largeRowBits-1)) << 10 }
func (r largeRow) columns() int        { return int(r & (1<<largeRowBits - 1)) }

// largeSlot returns the slot of a row, one of two: its own, a free one, or another row's.
func (m *Memory) largeSlot(hash uint64) *atomic.Uint64 {
	one, other := &m.largeRows[hash>>(64-largeRowSlots)], &m.largeRows[hash>>(64-largeRowSlots)^1]
	switch first, second := largeRow(one.Load()), largeRow(other.Load()); {
	case first.is(hash):
		return one
	case second.is(hash):
		return other
	case first != 0 && second == 0:
		return other
	}
	return one
}

func (m *Memory) largeRow(hash uint64) largeRow {
	if row := largeRow(m.largeSlot(hash).Load()); row.is(hash) {
		return row
	}
	return 0
}
