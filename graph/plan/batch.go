package plan

import "slices"

// batch is the objects to which a selection set is applied.
type batch struct {
	set     *selectionSet
	objects []any
	own     []any // the objects, if they were picked from a list of several types
}

// column is what a field is for each object of a batch.
type column struct {
	values []any    // what the resolver returned
	found  Gathered // the objects that the field leads to
	err    error    // of all objects
	errs   []error  // of each object; nil if none has one
	// added are errors that the resolver added for an object, beside what it returned.
	added map[int32][]addedError

	// The batches below the field in which the found objects are.

	batch   *batch   // of all of them, if the field has one object type
	batches []*batch // of each of them, if it has several; nil for null
	at      []int32  // the index of each in its batch, -1 for null; nil if nothing is null
}

// child returns the batch and the index of the j-th object that the field led to; the batch is nil for null.
func (c *column) child(j int32) (b *batch, i int32) {
	if i = j; c.at != nil {
		i = c.at[j]
	}
	switch {
	case i < 0:
		return nil, 0
	case c.batch != nil:
		return c.batch, i
	}
	return c.batches[j], i
}

// null reports whether the value for object i is null.
func (c *column) null(f *Field, i int32) bool {
	switch {
	case f.To == "":
		return c.values[i] == nil
	case f.List:
		_, _, ok := c.found.list(i)
		return !ok
	}
	return c.at != nil && c.at[i] < 0
}

// Gathered collects the objects that a field leads to, for all objects of a batch: one for each, or a list for each. Generated
// code appends to Objects, where nil is null, and ends each list with End or Null.
type Gathered struct {
	Objects []any
	ends    []int32 // the end of each list in Objects; nil if the field is no list
	nulls   []bool  // whether each list is null; those beyond the end are not
}

// Room makes room for n lists, and for so many objects.
func (g *Gathered) Room(n, objects int) {
	g.Objects, g.ends = slices.Grow(g.Objects, objects), slices.Grow(g.ends, n)
}

// End ends a list.
func (g *Gathered) End() { g.ends = append(g.ends, int32(len(g.Objects))) }

// Null ends a list that is null.
func (g *Gathered) Null() {
	for len(g.nulls) < len(g.ends) {
		g.nulls = append(g.nulls, false)
	}
	g.nulls = append(g.nulls, true)
	g.End()
}

// list returns the range of list i in Objects; ok is false if it is null.
func (g *Gathered) list(i int32) (from, to int32, ok bool) {
	if i > 0 {
		from = g.ends[i-1]
	}
	return from, g.ends[i], int(i) >= len(g.nulls) || !g.nulls[i]
}

// compact removes the nulls. It appends to at the index that each object has now, -1 for null. It returns nil if there are none.
func (g *Gathered) compact(at []int32) []int32 {
	if !slices.Contains(g.Objects, nil) {
		return nil
	}
	kept := g.Objects[:0]
	for _, object := range g.Objects {
		if object == nil {
			at = append(at, -1)
			continue
		}
		at = append(at, int32(len(kept)))
		kept = append(kept, object)
	}
	clear(g.Objects[len(kept):])
	g.Objects = kept
	return at
}

// gather collects the objects of what a resolver returned. Where it failed there is null.
func (c *column) gather(f *Field) {
	g := &c.found
	if !f.List {
		g.Objects, c.values = c.values, g.Objects
		for i, err := range c.errs {
			if err != nil {
				g.Objects[i] = nil
			}
		}
		return
	}
	for i, v := range c.values {
		if v == nil || c.errs != nil && c.errs[i] != nil {
			g.Null()
			continue
		}
		f.Elems(v, g)
		g.End()
	}
}

// memory is that of one execution: a batch for each selection set, since each is applied once, and a column for each field that has
// one.
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
	return &memory{make([]batch, root.sets), make([]column, root.columns)}
}

// batch returns the batch of a selection set.
func (m *memory) batch(set *selectionSet) *batch {
	b := &m.batches[set.index]
	b.set = set
	return b
}

// column returns the column of a field that has one.
func (m *memory) column(s *selection) *column { return &m.columns[s.column] }

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
			values:  emptied(c.values),
			found:   Gathered{Objects: emptied(c.found.Objects), ends: c.found.ends[:0], nulls: c.found.nulls[:0]},
			batches: emptied(c.batches),
			at:      c.at[:0],
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
