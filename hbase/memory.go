package hbase

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// smallRequest is the number of bytes that a request may read without a share of the memory. Most requests never need one.
	smallRequest = 1 << 20
	// maxPiece bounds the likely bytes of a call of the store.
	maxPiece = 8 << 20
	// largeCell is the average size of cells, in bytes, from which a row counts as large, and smallCell that below which it
	// counts as small.
	largeCell = 8 << 10
	smallCell = 2 << 10
	// maxColumns is the number of columns that is assumed for a Get with a greater limit, or none.
	maxColumns = 1000
	// maxWaiting bounds the requests that wait for memory, and maxMemoryWait their wait.
	maxWaiting    = 4
	maxMemoryWait = time.Second
	// maxFlightWait bounds the wait of Gets for the window of bytes in flight.
	maxFlightWait = 3 * time.Second
)

// Memory bounds the bytes that all requests of a gateway read from its store, before they are read. It is safe for concurrent use.
//
// The size of a result is unknown before it is read. There are two estimates:
//
//   - possible: the number of columns, times the largest cell of their family. It is usually a hundred times too large. A row whose
//     cells were small when they were last read counts with [smallCell] per column.
//   - likely: the size of the row's cells when they were last read, if they were large, and otherwise 0.
//
// The Gets of a request are sent in pieces, which bound both estimates. Two more bounds hold for all requests together:
//
//   - A request that has read more than [smallRequest], or is likely to, takes its bytes from the memory, and returns them when it
//     ends. If too few are left it waits. If [maxWaiting] requests wait already, or after [maxMemoryWait], it fails with [*Busy].
//   - The possible bytes of rows in flight that are not known to be large are at most those of the memory. So large rows that are
//     read for the first time arrive one piece after the other. An engine that can stop between two rows does not need this bound.
type Memory struct {
	most    int64
	large   *semaphore.Weighted // bytes of requests that are not small
	flight  *semaphore.Weighted // possible bytes of Gets in flight
	maxCell func(table, family string) int
	shapes  sync.Map // from columns to *columnSizes
	seed    maphash.Seed
	// rows remembers rows with large cells, each a [largeRow] in a place that it shares with others.
	rows  [1 << rowBits]atomic.Uint64
	known atomic.Bool // whether a large row was ever remembered
	// small remembers rows that were read in flight and had small cells: a part of the hash of each, in a place that it shares
	// with others.
	small      [1 << smallBits]atomic.Uint32
	knownSmall atomic.Bool

	waiting, held, refused atomic.Int64
	doubted                atomic.Int64 // the second of the last doubt
}

const (
	rowBits   = 14
	smallBits = 18
)

// doubts is true once per second: then a request that is likely to exceed its budget is read all the same, because its rows may
// have changed.
func (m *Memory) doubts() bool {
	last, now := m.doubted.Load(), time.Now().Unix()
	return now > last && m.doubted.CompareAndSwap(last, now)
}

// NewMemory returns a memory of that size. maxCell returns the maximum size of a cell of a family, in bytes.
func NewMemory(bytes int64, maxCell func(table, family string) int) *Memory {
	return &Memory{
		most:    bytes,
		large:   semaphore.NewWeighted(bytes),
		flight:  semaphore.NewWeighted(bytes),
		maxCell: maxCell,
		seed:    maphash.MakeSeed(),
	}
}

// Load returns the bytes that requests hold, and the number of requests that were rejected. Both are 0 if m is nil.
func (m *Memory) Load() (held, refused int64) {
	if m == nil {
		return 0, 0
	}
	return m.held.Load(), m.refused.Load()
}

// Busy is the error of a read that found no free memory.
type Busy struct{}

// Error implements error.
func (*Busy) Error() string { return "hbase: other requests read too many bytes" }

// RetryAfter returns the time after which to retry. Packages that do not know stores find it by this method.
func (*Busy) RetryAfter() time.Duration { return maxMemoryWait }

// take takes bytes for a request that is not small.
func (m *Memory) take(ctx context.Context, bytes int64, wait bool) error {
	if !m.large.TryAcquire(bytes) && !(wait && m.wait(ctx, bytes)) {
		m.refused.Add(1)
		return &Busy{}
	}
	m.held.Add(bytes)
	return nil
}

func (m *Memory) wait(ctx context.Context, bytes int64) bool {
	defer m.waiting.Add(-1)
	if m.waiting.Add(1) > maxWaiting {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, maxMemoryWait)
	defer cancel()
	return m.large.Acquire(ctx, bytes) == nil
}

func (m *Memory) give(bytes int64) {
	m.held.Add(-bytes)
	m.large.Release(bytes)
}

// errLearnt is the error of Gets whose rows became known as large while they waited.
var errLearnt = errors.New("hbase: the sizes of rows have become known")

// Fly waits until the window has room for the possible bytes of gets. The caller calls land with their results. It returns an error
// as it is. Engines that cannot stop between two rows call it.
func (b *Budget) Fly(ctx context.Context, gets []Get) (land func(results []Result), err error) {
	if b == nil || b.memory == nil {
		return func([]Result) {}, nil
	}
	m := b.memory
	before := m.sizeOf(gets)
	possible := min(before.possible, m.most)
	if possible <= smallRequest {
		return func([]Result) {}, nil
	}
	land = func(results []Result) {
		m.flight.Release(possible)
		m.learnSmall(gets, results)
	}
	if m.flight.TryAcquire(possible) {
		return land, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxFlightWait)
	defer cancel()
	if m.flight.Acquire(ctx, possible) != nil {
		m.refused.Add(1)
		return nil, &Busy{}
	}
	if m.sizeOf(gets).likely > before.likely {
		land(nil)
		return nil, errLearnt
	}
	return land, nil
}

// size is the estimates of Gets, in bytes.
type size struct{ likely, possible int64 }

// columnSizes is the maximum sizes of columns of a table.
type columnSizes struct {
	table, columns string
	hash           uint64 // of the table
	// named is the size of all named columns, each that of one column of all whole families.
	named, each int
}

// sizesOf returns the sizes of the columns of a Get. last is that of the previous Get, which usually has the same columns.
func (m *Memory) sizesOf(g *Get, last *columnSizes) *columnSizes {
	if last != nil && last.table == g.Table && last.columns == g.Columns {
		return last
	}
	key := [2]string{g.Table, g.Columns}
	if known, ok := m.shapes.Load(key); ok {
		return known.(*columnSizes)
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
	m.shapes.Store(key, s)
	return s
}

// size returns the estimates of a Get.
func (m *Memory) size(g *Get, s *columnSizes) size {
	columns := g.Page.Limit
	if columns == 0 || columns > maxColumns {
		columns = maxColumns
	}
	each := s.each
	if each >= largeCell && (m.known.Load() || m.knownSmall.Load()) {
		hash := m.hash(g, s)
		if row := m.rowOf(hash); row != 0 {
			return size{likely: int64(s.named + min(columns, row.columns())*row.cell())}
		}
		if m.placeSmall(hash).Load() == smallMark(hash) {
			each = smallCell
		}
	}
	return size{possible: int64(s.named + columns*each)}
}

// piece returns the number of Gets, at least one, that make the first piece, and their estimates.
func (m *Memory) piece(gets []Get) (n int, all size) {
	var s *columnSizes
	for i := range gets {
		s = m.sizesOf(&gets[i], s)
		one := m.size(&gets[i], s)
		if i > 0 && (all.likely+one.likely > maxPiece || all.possible+one.possible > m.most) {
			return i, all
		}
		all.likely, all.possible = all.likely+one.likely, all.possible+one.possible
	}
	return len(gets), all
}

// sizeOf returns the estimates of all Gets.
func (m *Memory) sizeOf(gets []Get) (all size) {
	var s *columnSizes
	for i := range gets {
		s = m.sizesOf(&gets[i], s)
		one := m.size(&gets[i], s)
		all.likely, all.possible = all.likely+one.likely, all.possible+one.possible
	}
	return all
}

// learn remembers the rows whose cells are large, and forgets those whose cells are no longer.
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
			m.known.Store(true)
			m.place(hash).Store(uint64(newLargeRow(hash, average, columns)))
		} else if m.rowOf(hash) != 0 {
			m.place(hash).Store(0)
		}
	}
}

// learnSmall remembers the rows whose cells are small, and forgets those whose cells are no longer.
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
			m.knownSmall.Store(true)
			m.placeSmall(hash).Store(smallMark(hash))
		} else {
			m.placeSmall(hash).CompareAndSwap(smallMark(hash), 0)
		}
	}
}

func (m *Memory) placeSmall(hash uint64) *atomic.Uint32 { return &m.small[hash>>(64-smallBits)] }

func smallMark(hash uint64) uint32 { return uint32(hash) | 1 }

func (m *Memory) hash(g *Get, s *columnSizes) uint64 { return maphash.String(m.seed, g.Row) ^ s.hash }

// largeRow describes a row with large cells: the first bits of its hash, the average size of its cells in KiB, and their number.
type largeRow uint64

const largeRowBits = 12 // of each of the last two

func newLargeRow(hash uint64, cell, columns int) largeRow {
	return largeRow(hash>>(2*largeRowBits)<<(2*largeRowBits) | uint64(min(cell>>10+1, 1<<largeRowBits-1))<<largeRowBits | uint64(columns))
}

func (r largeRow) is(hash uint64) bool { return (uint64(r)^hash)>>(2*largeRowBits) == 0 }
func (r largeRow) cell() int           { return int(r>>largeRowBits&(1<<largeRowBits-1)) << 10 }
func (r largeRow) columns() int        { return int(r & (1<<largeRowBits - 1)) }

// place returns the slot of a row: one of two, which the first bits of its hash determine.
func (m *Memory) place(hash uint64) *atomic.Uint64 {
	one, other := &m.rows[hash>>(64-rowBits)], &m.rows[hash>>(64-rowBits)^1]
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

// rowOf returns the description of a large row, or 0.
func (m *Memory) rowOf(hash uint64) largeRow {
	if row := largeRow(m.place(hash).Load()); row.is(hash) {
		return row
	}
	return 0
}
