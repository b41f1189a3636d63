package plan

import "slices"

// Gathered is what a field leads to for the objects of a batch, one after the other: an object each, or a list each. Whoever fills it
// adds to Objects, where nil is null, and ends each list by End or Null.
type Gathered struct {
	Objects []any
	ends    []int32 // behind the last object of each list; nil if the field is none
	nulls   []bool  // which lists are null; those beyond its end are not
}

// Room makes room for the objects of n lists.
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

// list returns where the objects of list i are; ok is false if it is null.
func (g *Gathered) list(i int32) (from, to int32, ok bool) {
	if i > 0 {
		from = g.ends[i-1]
	}
	return from, g.ends[i], int(i) >= len(g.nulls) || !g.nulls[i]
}

// compact takes the nulls out. It appends to at where each object is then, -1 for null, and returns nil if there were none.
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

// gather makes of what resolvers returned what they lead to. What failed is null.
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
