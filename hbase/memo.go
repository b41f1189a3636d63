package hbase

import (
	"sync/atomic"
	"unsafe"
)

// Memo caches the decoded value of a cell that an engine keeps in memory. The value is shared and
// read-only, and depends on the cell and its row only. A Memo is safe for concurrent use. For what
// memos save, see 'go -C bench run . without'.
type Memo struct {
	made atomic.Pointer[any]
	room func(bytes int) bool
}

// GiveMemos gives a memo to each cell. room reserves bytes of the engine's memory if they are free.
// It must be safe for concurrent use.
func GiveMemos(cells []Cell, room func(bytes int) bool) {
	memos := make([]Memo, len(cells))
	for i := range cells {
		memos[i].room = room
		cells[i].Memo = &memos[i]
	}
}

// Made returns the decoded value, or nil.
func (m *Memo) Made() any {
	if made := m.made.Load(); made != nil {
		return *made
	}
	return nil
}

// Remember keeps the first decoded value, if there is room. bytes excludes memory that the value
// shares with the cell.
func (m *Memo) Remember(made any, bytes int) {
	if m.made.CompareAndSwap(nil, &made) && !m.room(bytes+int(unsafe.Sizeof(made))) {
		m.made.Store(nil)
	}
}

// Equal makes comparisons of cells ignore memos.
func (m *Memo) Equal(*Memo) bool { return true }
