package embedded

import "sync/atomic"

// changes count the writes of rows, one count for all that have a slot in common: how many ever began, and in the last bits how many of them are
// under way. What was read of a row while none was under way is what it holds until another begins. Nil ones count nothing.
type changes []atomic.Uint64

// change is a count. Its numbers are not used up: a million writes a second to one row take half a year, after which a row would have to be kept
// unread since then to be taken for current.
type change uint64

const (
	slots = 1 << 16
	// underWay are the bits of the writes under way. Each is a call, so that there are never a million.
	underWay = 1<<20 - 1
	oneMore  = underWay + 2
)

// begin is called before a write can be seen by anybody, with each slot once.
func (c changes) begin(rows ...slot) {
	if c != nil {
		for _, p := range rows {
			c[p].Add(oneMore)
		}
	}
}

// end is called when the write can be seen by everybody, or never will be.
func (c changes) end(rows ...slot) {
	if c != nil {
		for _, p := range rows {
			c[p].Add(^uint64(0))
		}
	}
}

func (c changes) of(p slot) change { return change(c[p].Load()) }

// settled reports whether no write was under way.
func (c change) settled() bool { return c&underWay == 0 }

// same reports whether no write began between two counts.
func (c change) same(other change) bool { return c&^underWay == other&^underWay }
