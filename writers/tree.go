package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// How deep the tree is, at most, is kept in its row: so that a department can be made below any other without a look at all above, as long as
// there is room. It grows with the tree, and never shrinks.

// depthOf returns how deep the tree is, nil if that is not known.
func depthOf(tree []hbase.Cell) (*int, error) {
	levels, known, err := tables.Tree.Depth(tree)
	if err != nil || !known {
		return nil, err
	}
	return &levels, nil
}

// roomy reports whether something can be made at any place of the tree.
func roomy(tree []hbase.Cell) bool {
	depth, err := depthOf(tree)
	return err == nil && depth != nil && *depth < tables.MaxDepth
}

func tooDeep(code string) error {
	return refuse(LimitExceeded, "parent", "the tree has at most %d levels: %q, or what is below it, would be deeper", tables.MaxDepth, code)
}

// deepen notes that the tree has a department at a level.
func deepen(depth, level int, o op) []step {
	if level <= depth {
		return nil
	}
	return []step{put{tables.Tree.Put(tables.Tree.DepthCell(level, o.at))}}
}

// measure is deepen for a department whose level is still to be found out.
func measure(code string, depth int, o op) step {
	return each{"measure", func(ctx context.Context, p port, _ string) ([]step, string, error) {
		first, err := p.one(ctx, "measure", departmentOf(code))
		if err != nil {
			return nil, "", err
		}
		chain := [][]hbase.Cell{first}
		for {
			next := climb(chain)
			if len(next) == 0 {
				return deepen(depth, len(chain), o), "", nil
			}
			above, err := p.get(ctx, "measure", next)
			if err != nil {
				return nil, "", err
			}
			chain = append(chain, above...)
		}
	}}
}

// climb reads the next department of a chain from the bottom up, none if that is whole.
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
	// Name is its own, From its parent before, and Depth how deep the tree was, if that was known, as To is what it gets: decide completes
	// them.
	Name      string
	From      *string
	Depth, To *int
}

// moveDepartment puts a department, with all that is below it, under another one.
var moveDepartment = register(kind[moveDepartmentArgs]{
	name: "moveDepartment", ordered: true, added: true, // a second one could undo what came between
	row: func(moveDepartmentArgs) hbase.Get { return tables.Tree.Get() },
	reads: func(a moveDepartmentArgs) []hbase.Get {
		gets := []hbase.Get{departmentOf(a.Code)}
		if a.Parent != nil {
			gets = append(gets, departmentOf(*a.Parent))
		}
		return gets
	},
	more: func(a moveDepartmentArgs, r *reading) []hbase.Get {
		if r.walk == nil {
			r.walk = &walk{}
		}
		return r.walk.(*walk).next(a, r)
	},
	decide: func(a *moveDepartmentArgs, r *reading) ([]hbase.Cell, error) {
		d, err := existingDepartment(a.Code, r.cells[0], "code")
		var parentErr error
		if a.Parent != nil {
			_, parentErr = existingDepartment(*a.Parent, r.cells[1], "parent")
		}
		if err := together(err, parentErr); err != nil {
			return nil, err
		}
		if err := unchanged(a.ExpectedVersion, *d.Version); err != nil {
			return nil, err
		}
		if a.Name, a.From = *d.Name, d.ParentCode; parentOf(a.From) == parentOf(a.Parent) {
			return nil, errNothing
		}
		w := r.walk.(*walk)
		switch {
		case w.err != nil:
			return nil, w.err
		case w.cycle:
			return nil, refuse(Cycle, "parent", "%q would be below itself", a.Code)
		case w.level+w.height > tables.MaxDepth:
			return nil, tooDeep(a.Code)
		}
		r.after(r.cells[:min(len(r.cells), 2)]...)
		a.Depth, err = depthOf(r.row)
		a.To = new(w.level + w.height)
		return nil, err
	},
	plan: func(a moveDepartmentArgs, o op) plan {
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

// walk goes up from the new parent of a department, and down from the department, both at the same time.
type walk struct {
	// seen is how many results were looked at, above whether the next one is that of a department above, and level how many there are above.
	seen  int
	above bool
	level int
	cycle bool
	// asked are the lists whose members are next, open those that are to be read then; height is how many levels there are below, with its own.
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

func (w *walk) next(a moveDepartmentArgs, r *reading) (gets []hbase.Get) {
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
func (w *walk) begin(a moveDepartmentArgs, r *reading) {
	w.seen, w.height = 1, 1
	w.cycle = a.Parent != nil && *a.Parent == a.Code
	w.above = a.Parent != nil
	d, err := tables.Departments.Decode(a.Code, r.cells[0])
	if err == nil && d != nil && *d.ChildCount > 0 {
		w.open = []bucketOf{{a.Code, 0, 1}}
	}
}

// up takes a department above, and reads the next.
func (w *walk) up(a moveDepartmentArgs, cells []hbase.Cell) []hbase.Get {
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
func (w *walk) down(b bucketOf, cells []hbase.Cell) {
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

// MoveDepartment puts a department under another one, at the top if parent is nil, and returns its code as it is stored. It may be refused with
// Problems.
func (w *Writers) MoveDepartment(ctx context.Context, code string, parent, expectedVersion *string) (string, error) {
	var in input
	a := moveDepartmentArgs{Code: in.code("code", code), Parent: in.optionalCode("parent", parent), ExpectedVersion: expectedVersion}
	if err := in.err(); err != nil {
		return "", err
	}
	_, err := do(ctx, w, moveDepartment, &a)
	return a.Code, err
}
