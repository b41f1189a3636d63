package embedded

import (
	"hash/maphash"
	"slices"
	"sync"

	"twibase/hbase"
)

// rowLocks are the locks of all rows, a stripe for many. A blind write shares its row's; whoever reads before it writes has
// it alone. They are held until a write is visible, not until it is durable. Meanwhile the row is being changed.
type rowLocks struct {
	stripes [1024]sync.RWMutex
	changes changes
}

var rowSeed = maphash.MakeSeed()

// slot is where a row stands among the changes; its lock is that of its upper bits.
type slot uint16

func slotOf(table uint32, row string) slot {
	return slot(maphash.String(rowSeed, row) + uint64(table))
}

func (p slot) stripe() int { return int(p) / (slots / 1024) }

// share locks the rows of the mutations that have a table against those who lock them alone. Stripes are locked in
// ascending order, so that two batches can't wait for each other.
func (l *rowLocks) share(tables []*table, mutations []hbase.Mutation) (unlock func()) {
	rows := make([]slot, 0, len(mutations))
	for i, t := range tables {
		if t != nil {
			_, row := mutations[i].At()
			rows = append(rows, slotOf(t.id, row))
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	stripes := make([]int, len(rows))
	for i, p := range rows {
		stripes[i] = p.stripe()
	}
	stripes = slices.Compact(stripes)
	for _, i := range stripes {
		l.stripes[i].RLock()
	}
	l.changes.begin(rows...)
	return func() {
		l.changes.end(rows...)
		for _, i := range stripes {
			l.stripes[i].RUnlock()
		}
	}
}

// alone locks a row for one writer.
func (l *rowLocks) alone(table uint32, row string) (unlock func()) {
	p := slotOf(table, row)
	stripe := &l.stripes[p.stripe()]
	stripe.Lock()
	l.changes.begin(p)
	return func() {
		l.changes.end(p)
		stripe.Unlock()
	}
}
