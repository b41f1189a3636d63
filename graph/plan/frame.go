package plan

// frame is the memory of one execution: a batch for each node, since each is applied once, and the columns of all of them. It is used again
// by later executions of the same operation, so that what these gather needs no new memory.
type frame struct {
	batches []batch
	columns []column
}

// maxKept is how many objects the greatest frame has that is kept.
const maxKept = 1 << 16

// frame returns a frame for the operation of this root.
func (n *node) frame() *frame {
	if f, ok := n.frames.Get().(*frame); ok {
		return f
	}
	return &frame{make([]batch, n.size.nodes), make([]column, n.size.columns)}
}

// batch returns the batch of a node.
func (f *frame) batch(n *node) *batch {
	b := &f.batches[n.index]
	b.node, b.columns = n, f.columns[n.firstColumn:n.firstColumn+n.stored]
	return b
}

// release takes a frame back of which nothing is needed any more.
func (n *node) release(f *frame) {
	kept := 0
	for i := range f.batches {
		b := &f.batches[i]
		kept += cap(b.own)
		*b = batch{own: empty(b.own)}
	}
	for i := range f.columns {
		c := &f.columns[i]
		kept += cap(c.found.Objects) + cap(c.values)
		*c = column{values: empty(c.values), of: empty(c.of), at: c.at[:0],
			found: Gathered{Objects: empty(c.found.Objects), ends: c.found.ends[:0], nulls: c.found.nulls[:0]}}
	}
	if kept <= maxKept {
		n.frames.Put(f)
	}
}

// empty forgets what a slice holds, but not its memory.
func empty[T any](list []T) []T {
	clear(list)
	return list[:0]
}
