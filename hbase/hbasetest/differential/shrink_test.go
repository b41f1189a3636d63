package differential

import (
	"slices"

	"twibase/hbase"
)

// fails returns a sequence up to its failure, or nil.
func shrink(sequence []operation, fails func([]operation) []operation) []operation {
	for size := len(sequence) / 2; size > 0; size /= 2 {
		for start := 0; start+size < len(sequence); { // the last operation fails
			if shorter := fails(slices.Delete(slices.Clone(sequence), start, start+size)); shorter != nil {
				sequence = shorter
			} else {
				start += size
			}
		}
	}
	for i := range sequence {
		for simpler := range simplified(sequence[i]) {
			candidate := slices.Clone(sequence)
			candidate[i] = simpler
			if failing := fails(candidate); len(failing) == len(sequence) {
				sequence = failing
			}
		}
	}
	return sequence
}

func simplified(o operation) func(yield func(operation) bool) {
	return func(yield func(operation) bool) {
		switch m := o.mutation.(type) {
		case hbase.Put:
			for k := range m.Cells {
				if len(m.Cells) > 1 && !yield(operation{mutation: without(m, k)}) {
					return
				}
			}
		case hbase.Delete:
			for k := range m.Columns {
				d := m
				d.Columns = slices.Delete(slices.Clone(m.Columns), k, k+1)
				if len(d.Columns) > 0 && !yield(operation{mutation: d}) {
					return
				}
			}
		}
	}
}

func without(put hbase.Put, cell int) hbase.Put {
	put.Cells = slices.Delete(slices.Clone(put.Cells), cell, cell+1)
	return put
}
