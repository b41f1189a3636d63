package hbase

import (
	"sync/atomic"
	"unsafe"
)

// Memo is a place beside a cell that its engine keeps in memory, for what a reader made of the cell, so that those who come later need not make it
// again. That follows from the cell and its row alone, and is everybody's: nobody writes to it. It lasts as long as the engine keeps the cell as it is. A
// Memo is safe for concurrent use.
type Memo struct {
	made atomic.Pointer[any]
	room func(bytes int) bool
}

// GiveMemos gives a memo to each of the cells that an engine keeps. room takes as many bytes, or says that there is no room for them; it is called by
// several at the same time.
func GiveMemos(cells []Cell, room func(bytes int) bool) {
	memos := make([]Memo, len(cells))
	for i := range cells {
		memos[i].room = room
		cells[i].Memo = &memos[i]
	}
}

// Made returns what was made of the cell, nil if nothing is remembered.
func (m *Memo) Made() any {
	if made := m.made.Load(); made != nil {
		return *made
	}
	return nil
}

// Remember gives what was made of the cell to those who come later, unless they have something already or there is no room. bytes is the memory that
// it takes and, beside the cell's own, keeps alive.
func (m *Memo) Remember(made any, bytes int) {
	if m.made.CompareAndSwap(nil, &made) && !m.room(bytes+int(unsafe.Sizeof(made))) {
		m.made.Store(nil)
	}
}

// Equal reports that a memo is no part of what a cell says: cells may be equal whatever was made of them.
func (m *Memo) Equal(*Memo) bool { return true }
