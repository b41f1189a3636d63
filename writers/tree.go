package writers

import (
	"cmp"
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
	return each{"measure", func(ctx context.Context, c client, apply func([]effect) error) error {
		get := func(gets ...hbase.Get) ([][]hbase.Cell, error) { return c.get(ctx, "measure", gets) }
		first, err := get(departmentOf(code))
		if err != nil {
			return err
		}
		chain, err := chainFrom(first[0], get)
		if err != nil {
			return err
		}
		return apply(deepen(depth, len(chain), o))
	}}
}

// chainFrom reads the departments above one, and returns all from the bottom up.
func chainFrom(first []hbase.Cell, get func(...hbase.Get) ([][]hbase.Cell, error)) ([][]hbase.Cell, error) {
	chain := [][]hbase.Cell{first}
	for len(chain) <= tables.MaxDepth {
		d, err := tables.Departments.Decode("", chain[len(chain)-1])
		if err != nil || d == nil || d.ParentCode == nil {
			return chain, err
		}
		above, err := get(departmentOf(*d.ParentCode))
		if err != nil {
			return nil, err
		}
		chain = append(chain, above...)
	}
	return chain, nil
}

// levelUnder returns the level of a new department under the parent that was read, 0 if there is
// room for it anyway.
func levelUnder(r *reading) (int, error) {
	if roomy(r.row) {
		return 0, nil
	}
	chain, err := chainFrom(r.cells[1], r.get)
	r.after(chain...)
	return len(chain) + 1, err
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
		s, err := searchTree(*a, *d.ChildCount > 0, r)
		switch {
		case err != nil:
			return unchanged, err
		case s.cycle:
			return unchanged, refuse(Cycle, "parent", "%q would be below itself", a.Code)
		case s.level+s.height > tables.MaxDepth:
			return unchanged, tooDeep(a.Code)
		}
		r.after(r.cells...)
		a.Depth, err = depthOf(r.row)
		a.To = new(s.level + s.height)
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

// treeSearch finds the ancestors of the new parent, and the height of the department.
type treeSearch struct {
	// level is the number of ancestors, height that of levels from the department on.
	level, height int
	// cycle is whether the department is one of the ancestors.
	cycle bool
	// pending are the buckets that have not been read.
	pending []childBucket
}

// childBucket is a bucket of the list of children of a department, so many levels below.
type childBucket struct {
	code   string
	number uint32
	level  int
}

// searchWidth is how many buckets are read at once.
const searchWidth = 1000

// searchTree walks up and down at the same time: each round reads one ancestor and one level below.
func searchTree(a moveDepartmentArgs, hasChildren bool, r *reading) (s treeSearch, err error) {
	s.height = 1
	if hasChildren {
		s.pending = []childBucket{{a.Code, 0, 1}}
	}
	var gets []hbase.Get
	if a.Parent != nil {
		s.cycle = *a.Parent == a.Code
		gets, err = s.takeAncestor(a, r.cells[1])
	}
	for err == nil && !s.cycle {
		if s.level+s.height > tables.MaxDepth { // too deep, but a cycle may still be found above
			s.pending = nil
		}
		n, ancestors := min(len(s.pending), searchWidth), len(gets)
		buckets := s.pending[:n]
		s.pending = s.pending[n:]
		for _, b := range buckets {
			gets = append(gets, tables.Children.Get(b.code, b.number, hbase.Page{}))
		}
		if len(gets) == 0 {
			break
		}
		var cells [][]hbase.Cell
		if cells, err = r.get(gets...); err != nil {
			break
		}
		gets = nil
		for _, c := range cells[:ancestors] {
			gets, err = s.takeAncestor(a, c)
		}
		for i, b := range buckets {
			err = cmp.Or(err, s.takeChildren(b, cells[ancestors+i]))
		}
	}
	return s, err
}

// takeAncestor takes an ancestor, and reads the next if there is one.
func (s *treeSearch) takeAncestor(a moveDepartmentArgs, cells []hbase.Cell) ([]hbase.Get, error) {
	s.level++
	d, err := tables.Departments.Decode("", cells)
	if err != nil || d == nil || d.ParentCode == nil || s.level > tables.MaxDepth {
		return nil, err
	}
	s.cycle = s.cycle || *d.ParentCode == a.Code
	return []hbase.Get{departmentOf(*d.ParentCode)}, nil
}

// takeChildren takes a bucket of children.
func (s *treeSearch) takeChildren(b childBucket, cells []hbase.Cell) error {
	children, _, buckets, err := tables.Children.Decode(b.code, cells)
	for _, c := range children {
		s.height = max(s.height, b.level+1)
		s.pending = append(s.pending, childBucket{c.Code, 0, b.level + 1})
	}
	for _, further := range buckets {
		s.pending = append(s.pending, childBucket{b.code, further.Number, b.level})
	}
	return err
}

// MoveDepartment moves a department below another one, or to the top if parent is nil, and returns
// its code as it is stored. The error may be UserErrors.
func (w *Writers) MoveDepartment(ctx context.Context, code string, parent, expectedVersion *string) (string, error) {
	var in input
	a := moveDepartmentArgs{
		Code: in.code("code", code), Parent: optional(in.code, "parent", parent), ExpectedVersion: expectedVersion,
	}
	return a.Code, run(ctx, w, &in, moveDepartment, &a)
}
