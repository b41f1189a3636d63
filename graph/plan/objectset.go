package plan

import "slices"

// objectSet is a selection set with all its objects. doc.go draws object sets and columns.
type objectSet struct {
	set *selectionSet
	// objects are the children of the column above. buffer has them if the field above is of an
	// abstract type, because its children are in several sets.
	objects []any
	buffer  []any
}

// column is the values of a field, one for each object of an object set.
type column struct {
	values   []any    // returned by the resolver; gather moves objects to children
	children Children // the child objects, if the field has a composite type
	err      error    // of all objects
	errs     []error  // of each object; nil if none has one
	// added has the errors that the resolver added by graphql.AddError, by the index of the object.
	added map[int32][]addedError

	childSet  *objectSet   // the set of all children, if the field has an object type
	childSets []*objectSet // the set of each child, if the field has an abstract type; nil for null
	// index is the index of each child in its object set, -1 for null. It is nil if the children
	// are the objects of childSet, without a null.
	index []int32
}

// child returns the set of the j-th child, and its index there. The object set is nil for null.
func (c *column) child(j int32) (o *objectSet, i int32) {
	if i = j; c.index != nil {
		i = c.index[j]
	}
	switch {
	case i < 0:
		return nil, 0
	case c.childSet != nil:
		return c.childSet, i
	}
	return c.childSets[j], i
}

// null reports whether the value for object i is null. The column must not have an error for it.
func (c *column) null(f *Field, i int32) bool {
	switch {
	case f.Composite == "":
		return c.values[i] == nil
	case f.List:
		_, _, ok := c.children.list(i)
		return !ok
	}
	return c.index != nil && c.index[i] < 0
}

// Children collects the children of all objects of an object set, in order: one for each object, or
// a list for each. Null children are nil.
type Children struct {
	Objects []any
	ends    []int32 // the end of each list in Objects; empty if the field is not a list
	nulls   []bool  // whether each list is null; the lists beyond its length are not
}

// Grow makes room for n lists and this number of objects.
func (c *Children) Grow(n, objects int) {
	c.Objects, c.ends = slices.Grow(c.Objects, objects), slices.Grow(c.ends, n)
}

// EndList ends a list.
func (c *Children) EndList() { c.ends = append(c.ends, int32(len(c.Objects))) }

// NullList adds a list that is null.
func (c *Children) NullList() {
	for len(c.nulls) < len(c.ends) {
		c.nulls = append(c.nulls, false)
	}
	c.nulls = append(c.nulls, true)
	c.EndList()
}

// list returns the range of list i in Objects; ok is false if it is null.
func (c *Children) list(i int32) (from, to int32, ok bool) {
	if i > 0 {
		from = c.ends[i-1]
	}
	return from, c.ends[i], int(i) >= len(c.nulls) || !c.nulls[i]
}

// compact removes the nulls from Objects, and appends the new index of each object to index, -1 for
// null. If there are no nulls, it returns nil.
func (c *Children) compact(index []int32) []int32 {
	if !slices.Contains(c.Objects, nil) {
		return nil
	}
	kept := c.Objects[:0]
	for _, object := range c.Objects {
		if object == nil {
			index = append(index, -1)
			continue
		}
		index = append(index, int32(len(kept)))
		kept = append(kept, object)
	}
	clear(c.Objects[len(kept):])
	c.Objects = kept
	return index
}

// gather collects the children from the values of a resolver. A value with an error is null.
// Without lists the values are the children: the two slices are swapped, so that the memory of both
// is kept.
func (c *column) gather(f *Field) {
	g := &c.children
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
			g.NullList()
			continue
		}
		f.Elems(v, g)
		g.EndList()
	}
}

// memory is the object sets and columns of one execution. Later executions of the operation use it
// again.
type memory struct {
	objectSets []objectSet // by selectionSet.index
	columns    []column    // by selection.column
}

// maxKept is the capacity of the largest memory that is kept, in objects and values.
const maxKept = 1 << 16

// memory returns unused memory for an execution.
func (o *operation) memory() *memory {
	if m, ok := o.memories.Get().(*memory); ok {
		return m
	}
	return &memory{make([]objectSet, o.sets), make([]column, o.columns)}
}

func (m *memory) objectSet(set *selectionSet) *objectSet {
	o := &m.objectSets[set.index]
	o.set = set
	return o
}

func (m *memory) column(s *selection) *column { return &m.columns[s.column] }

// release clears the memory of an execution that has ended, and keeps it for later ones unless it
// is large.
func (o *operation) release(m *memory) {
	kept := 0
	for i := range m.objectSets {
		set := &m.objectSets[i]
		kept += cap(set.buffer)
		*set = objectSet{buffer: emptied(set.buffer)}
	}
	for i := range m.columns {
		c := &m.columns[i]
		kept += cap(c.children.Objects) + cap(c.values)
		*c = column{
			values: emptied(c.values),
			children: Children{
				Objects: emptied(c.children.Objects), ends: c.children.ends[:0], nulls: c.children.nulls[:0],
			},
			childSets: emptied(c.childSets),
			index:     c.index[:0],
		}
	}
	if kept <= maxKept {
		o.memories.Put(m)
	}
}

// emptied returns a list without its elements, which it clears for the garbage collector.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}
