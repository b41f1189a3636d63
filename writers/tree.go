package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// The tree's row stores an upper bound of its depth, so that a department can be created without
// reading all above it while there is room. The bound grows with the tree, and never shrinks.

// depthOf returns the bound of the tree's depth, nil if it is not known.
func depthOf(tree []hbase.Cell) (*int, error) {
	levels, known, err := tables.Tree.Depth(tree)
	if err != nil || !known {
		return nil, err
	}
	return &levels, nil
}

// roomy reports whether a department can be created anywhere in the tree.
func roomy(tree []hbase.Cell) bool {
	depth, err := depthOf(tree)
	return err == nil && depth != nil && *depth < tables.MaxDepth
}

func tooDeep(code string) error {
	return refuse(LimitExceeded, "parent",
		"the tree has at most %d levels: %q, or what is below it, would be deeper", tables.MaxDepth, code)
}

// deepen raises the bound of the tree's depth, if the level is below it.
func deepen(depth, level int, o operation) []effect {
	if level <= depth {
		return nil
	}
	return []effect{put{tables.Tree.Put(tables.Tree.DepthCell(level, o.at))}}
}

// measure is deepen for a department of an unknown level.
func measure(code string, depth int, o operation) effect {
	return each{"measure", func(ctx context.Context, c client, _ string) ([]effect, string, error) {
		first, err := c.one(ctx, "measure", departmentOf(code))
		if err != nil {
			return nil, "", err
		}
		chain := [][]hbase.Cell{first}
		for {
			next := climb(chain)
			if len(next) == 0 {
				return deepen(depth, len(chain), o), "", nil
			}
			above, err := c.get(ctx, "measure", next)
			if err != nil {
				return nil, "", err
			}
			chain = append(chain, above...)
		}
	}}
}

// climb reads the next department of a chain from the bottom up, none if the chain is complete.
func climb(chain [][]hbase.Cell) []hbase.Get {
	d, err := tables.Departments.Decode("", chain[len(chain)-1])
	if err != nil || d == nil || d.ParentCode == nil || len(chain) > tables.MaxDepth {
		return nil
	}
	return []hbase.Get{departmentOf(*d.ParentCode)}
}

type moveDepartmentArgs struct {
	Code            string
	Parent          *string
	ExpectedVersion *string
	// Name is its own, From its parent before. Depth is the depth of the tree before, if that was
	// known, and To the depth of the department's deepest descendant after. check completes them.
	Name      string
	From      *string
	Depth, To *int
}

// moveDepartment moves a department, with all below it, under another one.
var moveDepartment = register(opType[moveDepartmentArgs]{
	// A second one could revert a later update.
	name: "moveDepartment", properties: properties{needsPredecessor: true, nonIdempotent: true},
	row: func(moveDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a moveDepartmentArgs) []hbase.Get {
		gets := []hbase.Get{departmentOf(a.Code)}
		if a.Parent != nil {
			gets = append(gets, departmentOf(*a.Parent))
		}
		return gets
	},
	more: func(a moveDepartmentArgs, r *reading) []hbase.Get {
		if r.search == nil {
			r.search = &treeSearch{}
		}
		return r.search.(*treeSearch).next(a, r)
	},
	check: func(a *moveDepartmentArgs, r *reading) (decision, error) {
		d, err := existing(tables.Departments, a.Code, r.cells[0], "code")
		var parentErr error
		if a.Parent != nil {
			_, parentErr = existing(tables.Departments, *a.Parent, r.cells[1], "parent")
		}
		if err := together(err, parentErr); err != nil {
			return unchanged, err
		}
		if err := checkVersion(a.ExpectedVersion, *d.Version); err != nil {
			return unchanged, err
		}
		if a.Name, a.From = *d.Name, d.ParentCode; parentOf(a.From) == parentOf(a.Parent) {
			return unchanged, nil
		}
		w := r.search.(*treeSearch)
		switch {
		case w.err != nil:
			return unchanged, w.err
		case w.cycle:
			return unchanged, refuse(Cycle, "parent", "%q would be below itself", a.Code)
		case w.level+w.height > tables.MaxDepth:
			return unchanged, tooDeep(a.Code)
		}
		r.after(r.cells[:min(len(r.cells), 2)]...)
		a.Depth, err = depthOf(r.row)
		a.To = new(w.level + w.height)
		return commit(), err
	},
	plan: func(a moveDepartmentArgs, o operation) plan {
		from, to, child := parentOf(a.From), parentOf(a.Parent), tables.Child{Name: a.Name, Code: a.Code}
		now := stage{
			departmentUnder(a.Code, a.Parent, tables.Department{}, o),
			remove(tables.Children, from, child, o.at), add(tables.Children, to, child, o.at),
			countOf(tables.Children, from, -1), countOf(tables.Children, to, 1),
		}
		if a.Depth != nil {
			now = append(now, deepen(*a.Depth, *a.To, o)...)
		}
		return plan{now: []stage{now}}
	},
})

// treeSearch goes up from the new parent of a department, and down from the department, both at the
// same time.
type treeSearch struct {
	// seen is how many results were looked at, above whether the next one is that of a department
	// above, and level how many there are above.
	seen  int
	above bool
	level int
	cycle bool
	// asked are the lists whose members are next, open those that are to be read then; height is
	// how many levels there are below, with its own.
	asked, open []bucketOf
	height      int
	err         error
}

// bucketOf is a bucket of the list of a department so many levels below.
type bucketOf struct {
	code   string
	number uint32
	level  int
}

// walkPage is how many lists are read at once.
const walkPage = 1000

func (w *treeSearch) next(a moveDepartmentArgs, r *reading) (gets []hbase.Get) {
	if w.seen == 0 {
		w.begin(a, r)
	}
	for _, cells := range r.cells[w.seen:] {
		if w.above {
			w.above = false
			gets = w.up(a, cells)
			continue
		}
		w.down(w.asked[0], cells)
		w.asked = w.asked[1:]
	}
	w.seen = len(r.cells)
	w.above = len(gets) > 0
	switch {
	case w.cycle || w.err != nil:
		return nil
	case w.level+w.height > tables.MaxDepth: // what is above may still be the department itself
		w.open = nil
	}
	w.asked = w.open[:min(len(w.open), walkPage)]
	w.open = w.open[len(w.asked):]
	for _, b := range w.asked {
		gets = append(gets, tables.Children.Get(b.code, b.number, hbase.Page{}))
	}
	return gets
}

// begin takes the first results: the department, and its new parent if it is to have one.
func (w *treeSearch) begin(a moveDepartmentArgs, r *reading) {
	w.seen, w.height = 1, 1
	w.cycle = a.Parent != nil && *a.Parent == a.Code
	w.above = a.Parent != nil
	d, err := tables.Departments.Decode(a.Code, r.cells[0])
	if err == nil && d != nil && *d.ChildCount > 0 {
		w.open = []bucketOf{{a.Code, 0, 1}}
	}
}

// up takes a department above, and reads the next.
func (w *treeSearch) up(a moveDepartmentArgs, cells []hbase.Cell) []hbase.Get {
	w.level++
	d, err := tables.Departments.Decode("", cells)
	if err != nil || d == nil || d.ParentCode == nil || w.level > tables.MaxDepth {
		w.err = err
		return nil
	}
	w.cycle = w.cycle || *d.ParentCode == a.Code
	return []hbase.Get{departmentOf(*d.ParentCode)}
}

// down takes what is in a list.
func (w *treeSearch) down(b bucketOf, cells []hbase.Cell) {
	children, _, buckets, err := tables.Children.Decode(b.code, cells)
	if err != nil {
		w.err = err
		return
	}
	for _, c := range children {
		w.height = max(w.height, b.level+1)
		w.open = append(w.open, bucketOf{c.Code, 0, b.level + 1})
	}
	for _, further := range buckets {
		w.open = append(w.open, bucketOf{b.code, further.Number, b.level})
	}
}

// MoveDepartment moves a department below another one, or to the top if parent is nil, and returns
// its code as it is stored. The error may be UserErrors.
func (w *Writers) MoveDepartment(ctx context.Context, code string, parent, expectedVersion *string) (string, error) {
	var in input
	a := moveDepartmentArgs{
		Code: in.code("code", code), Parent: in.optionalCode("parent", parent), ExpectedVersion: expectedVersion,
	}
	return a.Code, run(ctx, w, &in, moveDepartment, &a)
}
