package embedded

import (
	"hash/maphash"
	"slices"
	"sync"

	"twibase/hbase"
)

// rowLocks are the locks of all rows, a stripe for many. A blind write shares its row's; whoever reads before it writes has
// it alone. They are held until a write is visible, not until it is durable.
type rowLocks struct{ stripes [1024]sync.RWMutex }

var stripeSeed = maphash.MakeSeed()

func stripeOf(table uint32, row string) uint16 {
	return uint16((maphash.String(stripeSeed, row) + uint64(table)) % 1024)
}

// share locks the rows of the mutations that have a table against those who lock them alone. Stripes are locked in
// ascending order, so that two batches can't wait for each other.
func (l *rowLocks) share(tables []*table, mutations []hbase.Mutation) (unlock func()) {
	stripes := make([]uint16, 0, len(mutations))
	for i, t := range tables {
		if t != nil {
			_, row := mutations[i].At()
			stripes = append(stripes, stripeOf(t.id, row))
		}
	}
	slices.Sort(stripes)
	stripes = slices.Compact(stripes)
	for _, i := range stripes {
		l.stripes[i].RLock()
	}
	return func() {
		for _, i := range stripes {
			l.stripes[i].RUnlock()
		}
	}
}

// alone locks a row for one writer.
func (l *rowLocks) alone(table uint32, row string) (unlock func()) {
	stripe := &l.stripes[stripeOf(table, row)]
	stripe.Lock()
	return stripe.Unlock
}
