package writers

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// The tree stores an upper bound of its depth, which never decreases. While it is below MaxDepth,
// measure reads a new department's ancestors after the acknowledgement.

func depthOf(tree []hbase.Cell) (*int, error) {
	levels, known, err := tables.Tree.Depth(tree)
	if err != nil || !known {
		return nil, err
	}
	return &levels, nil
}

func tooDeep(code string) error {
	return reject(LimitExceeded, "parent",
		"the tree has at most %d levels: %q, or what is below it, would be deeper", tables.MaxDepth, code)
}

func deepen(depth *int, level int, o operation) []effect {
	if depth == nil || level <= *depth {
		return nil
	}
	return []effect{put{tables.Tree.Put(tables.Tree.DepthCell(level, o.at))}}
}

func measure(code string, depth *int, o operation) effect {
	return each{"measure", func(ctx context.Context, c client, apply pageApplier) error {
		get := c.getter(ctx, "measure")
		department, err := get.one(departmentOf(code))
		if err != nil {
			return err
		}
		chain, _, err := chainFrom(department, get)
		if err != nil {
			return err
		}
		_, err = apply(deepen(depth, len(chain), o))
		return err
	}}
}

// chainFrom returns the rows of a department and its ancestors, and the ancestors' codes, from the
// bottom up.
func chainFrom(first []hbase.Cell, get getter) (chain [][]hbase.Cell, above []string, err error) {
	for chain = [][]hbase.Cell{first}; ; {
		d, err := tables.Departments.Decode("", chain[len(chain)-1])
		if err != nil || d == nil || d.ParentCode == nil || len(chain) > tables.MaxDepth {
			return chain, above, err
		}
		above = append(above, *d.ParentCode)
		parent, err := get.one(departmentOf(*d.ParentCode))
		if err != nil {
			return nil, nil, err
		}
		chain = append(chain, parent)
	}
}

// levelUnder returns the level of a new department. If the stored bound is below MaxDepth, it
// returns 0 without a read.
func levelUnder(r *reading) (int, error) {
	if depth, err := depthOf(r.row); err != nil || depth != nil && *depth < tables.MaxDepth {
		return 0, err
	}
	chain, _, err := chainFrom(r.cells[1], r.get)
	r.after(chain...)
	return len(chain) + 1, err
}

type moveDepartmentArgs struct {
	Code            string
	Parent          *string
	ExpectedVersion *string
	// check sets these fields. To is the level of the deepest descendant after the move.
	Name      string
	From      *string
	Depth, To *int
}

var moveDepartment = register(opType[moveDepartmentArgs]{
	name: "moveDepartment", properties: properties{readsEffects: true, nonIdempotent: true},
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
		if err := joinUserErrors(err, parentErr); err != nil {
			return unchanged, err
		}
		if err := checkVersion(a.ExpectedVersion, *d.Version); err != nil {
			return unchanged, err
		}
		if a.Name, a.From = *d.Name, d.ParentCode; parentOf(a.From) == parentOf(a.Parent) {
			return unchanged, nil
		}
		level, height, cycle, err := searchTree(*a, *d.ChildCount > 0, r)
		switch {
		case err != nil:
			return unchanged, err
		case cycle:
			return unchanged, reject(Cycle, "parent", "%q would be below itself", a.Code)
		case level+height > tables.MaxDepth:
			return unchanged, tooDeep(a.Code)
		}
		r.after(r.cells...)
		a.Depth, err = depthOf(r.row)
		a.To = new(level + height)
		return commit(), err
	},
	effects: func(a moveDepartmentArgs, o operation) effects {
		from, to, child := parentOf(a.From), parentOf(a.Parent), tables.Child{Name: a.Name, Code: a.Code}
		now := slices.Concat(stage{departmentUnder(a.Code, a.Parent, tables.Department{}, o)},
			leave(tables.Children, from, child, o.at), join(tables.Children, to, child, o.at))
		if a.To != nil {
			now = append(now, deepen(a.Depth, *a.To, o)...)
		}
		return effects{now: []stage{now}}
	},
})

// searchTree returns the level of the new parent (0 is the top) and the height of the department (1
// without children).
func searchTree(
	a moveDepartmentArgs, hasChildren bool, r *reading,
) (level, height int, cycle bool, err error) {
	var g errgroup.Group
	if a.Parent != nil {
		g.Go(func() error {
			chain, above, err := chainFrom(r.cells[1], r.get)
			level, cycle = len(chain), *a.Parent == a.Code || slices.Contains(above, a.Code)
			return err
		})
	}
	if height = 1; hasChildren {
		g.Go(func() (err error) {
			height, err = heightOf(a.Code, r.get)
			return err
		})
	}
	err = g.Wait()
	return level, height, cycle, err
}

const searchWidth = 1000 // departments of a round

func heightOf(code string, get getter) (height int, err error) {
	whole := listscan.Range{Limit: math.MaxInt32}
	for level := []string{code}; len(level) > 0 && height <= tables.MaxDepth; height++ {
		var below []string
		for some := range slices.Chunk(level, searchWidth) {
			scans := make([]*listscan.Scan, len(some))
			for i, code := range some {
				scans[i] = listscan.New(&tables.Children.AnyList, code, &whole)
			}
			if err := listscan.Run(get, scans...); err != nil {
				return 0, err
			}
			for i, code := range some {
				children, _, err := tables.Children.Decode(code, scans[i].Cells())
				if err != nil {
					return 0, err
				}
				for _, c := range children {
					below = append(below, c.Code)
				}
			}
		}
		level = below
	}
	return height, nil
}

// MoveDepartment returns the code. A nil parent is the top.
func (w *Writers) MoveDepartment(ctx context.Context, code string, parent, expectedVersion *string) (string, error) {
	var in input
	a := moveDepartmentArgs{Code: in.code("code", code), ExpectedVersion: expectedVersion}
	a.Parent = optional(parent, func(s string) string { return in.code("parent", s) })
	return a.Code, execute(ctx, w, &in, moveDepartment, &a)
}
