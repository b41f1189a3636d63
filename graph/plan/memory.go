package plan

// memory is that of one execution: a batch for each selection set, since each is applied once, and the columns of all of them.
// Later executions of the same operation use it again, so that they allocate little.
type memory struct {
	batches []batch
	columns []column
}

// maxKept is the most objects for which a memory has room that is kept.
const maxKept = 1 << 16

// memory returns a memory for the operation of this root.
func (root *selectionSet) memory() *memory {
	if m, ok := root.memories.Get().(*memory); ok {
		return m
	}
	return &memory{make([]batch, root.size.sets), make([]column, root.size.columns)}
}

// batch returns the batch of a selection set.
func (m *memory) batch(set *selectionSet) *batch {
	b := &m.batches[set.index]
	b.set, b.columns = set, m.columns[set.firstColumn:set.firstColumn+set.columns]
	return b
}

// release takes back the memory of an execution that is over. It keeps no objects, only the room for them.
func (root *selectionSet) release(m *memory) {
	kept := 0
	for i := range m.batches {
		b := &m.batches[i]
		kept += cap(b.own)
		*b = batch{own: emptied(b.own)}
	}
	for i := range m.columns {
		c := &m.columns[i]
		kept += cap(c.found.Objects) + cap(c.values)
		*c = column{
			values:   emptied(c.values),
			found:    Gathered{Objects: emptied(c.found.Objects), ends: c.found.ends[:0], nulls: c.found.nulls[:0]},
			children: children{batches: emptied(c.batches), at: c.at[:0]},
		}
	}
	if kept <= maxKept {
		root.memories.Put(m)
	}
}

// emptied clears a slice, and returns it with its capacity.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}
