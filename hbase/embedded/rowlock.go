package embedded

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"twibase/hbase"
)

// Rows with the same hash share a rowState.
type rowStates [1 << rowStateBits]rowState

// 2^14 states of 40 bytes are 640 KB. A write invalidates the cached rows that share its state:
// about four in a cache full of small rows.
const rowStateBits = 14

// rowState is a row's lock and count of writes. Blind writes share the lock. Writes that read the
// row hold it exclusively. Both release it when the write is visible, before the fsync.
type rowState struct {
	sync.RWMutex
	begun, ended atomic.Uint64 // numbers of writes
}

func (r *rowState) begin() { r.begun.Add(1) }

func (r *rowState) end() { r.ended.Add(1) }

// idle reports whether no write is between begin and end. Cells read later are current while
// unchanged(writes) is true.
func (r *rowState) idle() (writes uint64, ok bool) {
	// ended is loaded first. Otherwise the end of a later write could hide a write in progress.
	ended := r.ended.Load()
	writes = r.begun.Load()
	return writes, writes == ended
}

func (r *rowState) unchanged(writes uint64) bool { return r.begun.Load() == writes }

var rowSeed = maphash.MakeSeed()

func rowHash(table uint32, row string) uint64 { return maphash.String(rowSeed, row) + uint64(table) }

func rowIndex(table uint32, row string) uint16 { return rowStateIndex(rowHash(table, row)) }

func rowStateIndex(rowHash uint64) uint16 { return uint16(rowHash % (1 << rowStateBits)) }

// share read-locks the states of the rows of valid mutations, whose table is not nil, in ascending
// order of their indexes, so that two batches do not deadlock.
func (r *rowStates) share(tables []*table, mutations []hbase.Mutation) (unlock func()) {
	indexes := make([]uint16, 0, len(mutations))
	for i, t := range tables {
		if t != nil {
			_, row := mutations[i].At()
			indexes = append(indexes, rowIndex(t.id, row))
		}
	}
	slices.Sort(indexes)
	indexes = slices.Compact(indexes)
	for _, i := range indexes {
		r[i].RLock()
		r[i].begin()
	}
	return func() {
		for _, i := range indexes {
			r[i].end()
			r[i].RUnlock()
		}
	}
}

func (r *rowStates) alone(table uint32, row string) (unlock func()) {
	state := &r[rowIndex(table, row)]
	state.Lock()
	state.begin()
	return func() {
		state.end()
		state.Unlock()
	}
}
