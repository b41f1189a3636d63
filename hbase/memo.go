package hbase

import (
	"sync/atomic"
	"unsafe"
)

// Memo caches the decoded value of a cell that an engine keeps in memory. The value depends on the cell and its row only. It is shared by all
// readers, which must not change it, and lives until the engine drops the cell. A Memo is safe for concurrent use.
type Memo struct {
	made atomic.Pointer[any]
	room func(bytes int) bool
}

// GiveMemos gives a memo to each of the cells that an engine keeps. room reserves bytes of the engine's memory, and reports whether there was room. It
// must be safe for concurrent use.
func GiveMemos(cells []Cell, room func(bytes int) bool) {
	memos := make([]Memo, len(cells))
	for i := range cells {
		memos[i].room = room
		cells[i].Memo = &memos[i]
	}
}

// Made returns the decoded value, nil if there is none.
func (m *Memo) Made() any {
	if made := m.made.Load(); made != nil {
		return *made
	}
	return nil
}

// Remember keeps a decoded value, unless there is one already or there is no room. bytes is the memory that the value takes and keeps alive, without the
// cell's own.
func (m *Memo) Remember(made any, bytes int) {
	if m.made.CompareAndSwap(nil, &made) && !m.room(bytes+int(unsafe.Sizeof(made))) {
		m.made.Store(nil)
	}
}

// Equal makes cells equal whatever their memos hold.
func (m *Memo) Equal(*Memo) bool { return true }
