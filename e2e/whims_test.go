package e2e

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
)

// whims decide what goes wrong in a response: always the same for the same thing, whoever asks for it, how often and in what order.
type whims struct {
	seed uint64
	// faults and holes are out of how many rows one can't be read, and out of how many things one is not there; 0 is none.
	faults, holes uint64
}

type whimsKey struct{}

func whimsOf(ctx context.Context) whims {
	w, _ := ctx.Value(whimsKey{}).(whims)
	return w
}

// hit decides about a thing.
func (w whims) hit(share uint64, kind, name string) bool {
	if share == 0 {
		return false
	}
	h := fnv.New64a()
	fmt.Fprint(h, w.seed, kind, " ", name)
	return h.Sum64()>>7%share == 0
}

// store returns the store with its faults.
func (w whims) store(store hbase.Store) hbase.Store {
	if w.faults == 0 {
		return store
	}
	return hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		return hbasetest.Fault{Err: w.fault(op.Table, op.Row)}
	})
}

// fault is why a row can't be read, if it can't be.
func (w whims) fault(table, row string) error {
	switch {
	case strings.Contains(row, gone):
		return nil
	case w.hit(w.faults, table, row):
		return hbase.ErrUnavailable
	case w.hit(w.faults*2, "corrupt "+table, row):
		return hbase.ErrCorrupt
	}
	return nil
}
