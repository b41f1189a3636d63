package plan

import "slices"

type objectSet struct {
	set *selectionSet
	// objects are the children of the column above that have this set's object type.
	objects []any
}

type column struct {
	values   []any    // of the resolver, until takeChildren
	children Children // if the field has a composite type
	err      error
	errs     []error // by object; may be nil
	// added has the errors of graphql.AddError, by object.
	added map[int32][]addedError

	childSet  *objectSet   // of all children, if the field has an object type
	childSets []*objectSet // of each child, if the field has an abstract type; nil for null
	// index is the index of each child in its object set, -1 for null. If nil, child j is object j
	// of childSet.
	index     []int32
	childErrs map[int32]error // of children that are null; may be nil
}

// failChild makes child j null, with an error.
func (c *column) failChild(j int32, err error) {
	if c.childErrs == nil {
		c.childErrs = map[int32]error{}
	}
	c.childErrs[j], c.index[j] = err, -1
}

// child returns the object set of child j, counted before compact, and the index there, or nil for
// null. In a field without a list, child j is of parent j.
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

// isNull reports whether the field is null for object i, which has no error.
func (c *column) isNull(f *Field, i int32) bool {
	switch {
	case f.Composite == "":
		return c.values[i] == nil
	case f.List:
		_, _, ok := c.children.list(i)
		return !ok
	}
	return c.index != nil && c.index[i] < 0
}

// Children has the children of all objects of an object set, in order: for each object a child, nil
// for null, or a list.
type Children struct {
	Objects []any
	ends    []int32 // the end of each list in Objects before compact; empty if the field is no list
	// nulls is true for lists that are null. It may be shorter than ends.
	nulls []bool
}

// Grow makes room for more lists, and for more objects in all of them together.
func (c *Children) Grow(lists, objects int) {
	c.Objects, c.ends = slices.Grow(c.Objects, objects), slices.Grow(c.ends, lists)
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

// AddObjects adds pointers or interfaces.
func AddObjects[T comparable](to *Children, list []T) {
	var null T
	for _, e := range list {
		if e == null {
			to.Objects = append(to.Objects, nil)
		} else {
			to.Objects = append(to.Objects, e)
		}
	}
}

// AddStructs adds pointers to the elements of list.
func AddStructs[T any](to *Children, list []T) {
	for i := range list {
		to.Objects = append(to.Objects, &list[i])
	}
}

// list returns the range of the children of list i, for column.child. ok is false for null.
func (c *Children) list(i int32) (from, to int32, ok bool) {
	if i > 0 {
		from = c.ends[i-1]
	}
	return from, c.ends[i], int(i) >= len(c.nulls) || !c.nulls[i]
}

// compact removes the nulls from Objects. It returns the new index of each object, -1 for null, or
// nil without nulls.
func (c *Children) compact() (index []int32) {
	if !slices.Contains(c.Objects, nil) {
		return nil
	}
	index = make([]int32, 0, len(c.Objects))
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

// takeChildren moves the objects of values to children, null for a value with an error.
func (c *column) takeChildren(f *Field) {
	g := &c.children
	if !f.List {
		g.Objects, c.values = c.values, nil
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

// results are of one run. They need no lock: one task writes a column and the object sets below,
// before other tasks or the writer read them.
type results struct {
	objectSets []objectSet
	columns    []column
}

func (o *operation) newResults() *results {
	return &results{make([]objectSet, o.sets), make([]column, o.columns)}
}

func (r *results) objectSet(set *selectionSet) *objectSet {
	o := &r.objectSets[set.index]
	o.set = set
	return o
}

func (r *results) column(s *selection) *column { return &r.columns[s.column] }
