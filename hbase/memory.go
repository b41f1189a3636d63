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
	// smallRequest is how many bytes a request may read without a share of the memory: most requests never take one.
	smallRequest = 1 << 20
	// maxPiece is how many bytes a call of the store is to bring at most, as far as that can be foreseen.
	maxPiece = 8 << 20
	// largeCell is how many bytes the cells of a row have on average if the row is remembered.
	largeCell = 8 << 10
	// maxColumns is what a Get counts for that has a greater limit, or none.
	maxColumns = 1000
	// maxWaiting is how many requests wait for memory, up to maxMemoryWait.
	maxWaiting    = 4
	maxMemoryWait = time.Second
	// maxFlightWait is how long Gets wait to be in flight.
	maxFlightWait = 3 * time.Second
)

// Memory bounds the bytes that all requests of a gateway read from its store, before they are read. It is safe for concurrent use.
//
// How large the answer to a Get is nobody knows before. There are two estimates:
//
//   - possible: the number of columns, times the largest cell that their family may have. Mostly it is a hundred times too much. A
//     row whose cells were small when they were read last counts with [largeCell] for each.
//   - likely: what the row's cells had when they were read last, if they were large. Otherwise it is nothing.
//
// The Gets of a request are sent in pieces, of which neither estimate is too great. They pass two bounds:
//
//   - A request that has read more than [smallRequest], or is likely to, takes as much of the memory, and keeps it until it ends. If
//     there is none it waits. If many wait already, or it has waited for too long, it fails with [*Busy].
//   - Rows that are not known to be large: the possible bytes of all that are in flight are at most twice the memory. So large
//     rows that are read for the first time cannot come all at once. An engine that can stop between two rows does without.
type Memory struct {
	most    int64
	large   *semaphore.Weighted // bytes of requests that are not small
	flight  *semaphore.Weighted // possible bytes of Gets in flight
	maxCell func(table, family string) int
	shapes  sync.Map // from columns to *columnSizes
	seed    maphash.Seed
	// rows remembers rows with large cells, each a [largeRow] in a place that it shares with others.
	rows  [1 << rowBits]atomic.Uint64
	known atomic.Bool // whether there ever was one
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

// doubts is true once a second: then a request is read that is likely to exceed its budget, as its rows may have changed.
func (m *Memory) doubts() bool {
	last, now := m.doubted.Load(), time.Now().Unix()
	return now > last && m.doubted.CompareAndSwap(last, now)
}

// NewMemory returns a memory of so many bytes. maxCell returns how many bytes a cell of a family has at most.
func NewMemory(bytes int64, maxCell func(table, family string) int) *Memory {
	m := &Memory{most: bytes, large: semaphore.NewWeighted(bytes), maxCell: maxCell, seed: maphash.MakeSeed()}
	m.flight = semaphore.NewWeighted(m.window())
	return m
}

// Load returns how many bytes requests hold, and how many requests were refused for want of memory. Both are 0 if m is nil.
func (m *Memory) Load() (held, refused int64) {
	if m == nil {
		return 0, 0
	}
	return m.held.Load(), m.refused.Load()
}

// Busy is the error of a read for which there is no memory now.
type Busy struct{}

// Error implements error.
func (*Busy) Error() string { return "hbase: other requests read too many bytes" }

// RetryAfter returns when to try again. It tells those who know nothing of stores.
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

// errLearnt is the error of Gets that waited to be in flight, whose rows are known to be large now.
var errLearnt = errors.New("hbase: the sizes of rows have become known")

// Fly waits until Gets may be in flight together with those of other requests. The caller calls land when they are answered, unless
// there is an error, which the caller returns as it is. Engines call it that cannot stop between two rows.
func (b *Budget) Fly(ctx context.Context, gets []Get) (land func(results []Result), err error) {
	if b == nil || b.memory == nil {
		return func([]Result) {}, nil
	}
	m := b.memory
	before := m.sizeOf(gets)
	possible := min(before.possible, m.window())
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

func (m *Memory) window() int64 { return 2 * m.most }

// size is the estimates of Gets, in bytes.
type size struct{ likely, possible int64 }

// columnSizes is how large columns of a table may be.
type columnSizes struct {
	table, columns string
	hash           uint64 // of the table
	// named is the size of all named columns, each that of one column of all whole families.
	named, each int
}

// sizesOf returns the sizes of the columns of a Get. last is that of the Get before, which mostly has the same ones.
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
			each = largeCell
		}
	}
	return size{possible: int64(s.named + columns*each)}
}

// piece returns how many of the first Gets make a piece, at least one, and their estimates.
func (m *Memory) piece(gets []Get) (n int, all size) {
	var s *columnSizes
	for i := range gets {
		s = m.sizesOf(&gets[i], s)
		one := m.size(&gets[i], s)
		if i > 0 && (all.likely+one.likely > maxPiece || all.possible+one.possible > m.window()) {
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
		if len(cells) == 0 || int(Size(cells))/len(cells) < largeCell {
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

// largeRow is what is known of a row with large cells: the first bits of its hash, the average size of its cells in KiB, and
// how many it has.
type largeRow uint64

const largeRowBits = 12 // of each of the last two

func newLargeRow(hash uint64, cell, columns int) largeRow {
	return largeRow(hash>>(2*largeRowBits)<<(2*largeRowBits) | uint64(min(cell>>10+1, 1<<largeRowBits-1))<<largeRowBits | uint64(columns))
}

func (r largeRow) is(hash uint64) bool { return (uint64(r)^hash)>>(2*largeRowBits) == 0 }
func (r largeRow) cell() int           { return int(r>>largeRowBits&(1<<largeRowBits-1)) << 10 }
func (r largeRow) columns() int        { return int(r & (1<<largeRowBits - 1)) }

// place returns where a row is remembered, or would be: in one of two places, which the first bits of its hash name.
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

// rowOf returns what is known of a row, 0 for nothing.
func (m *Memory) rowOf(hash uint64) largeRow {
	if row := largeRow(m.place(hash).Load()); row.is(hash) {
		return row
	}
	return 0
}
