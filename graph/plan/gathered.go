package plan

import "slices"

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
	first := slices.Index(g.Objects, nil)
	if first < 0 {
		return nil
	}
	kept := g.Objects[:first]
	for j := range first {
		at = append(at, int32(j))
	}
	for _, object := range g.Objects[first:] {
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
