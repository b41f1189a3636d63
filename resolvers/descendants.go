package resolvers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"twibase/graph/apierr"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// place is an entry of a subtree in tree order: level by level, each level in the order of its
// parents. The code finds the entry again after others came or went; if it is gone itself, depth
// and index say where it was.
type place struct {
	depth, index int
	code         string
}

func (p place) String() string { return fmt.Sprintf("%d.%d.%s", p.depth, p.index, p.code) }

func parsePlace(position string) (place, error) {
	parts := strings.SplitN(position, ".", 3)
	if len(parts) != 3 {
		return place{}, tables.ErrName
	}
	depth, err1 := strconv.Atoi(parts[0])
	index, err2 := strconv.Atoi(parts[1])
	p := place{depth, index, parts[2]}
	if err1 != nil || err2 != nil || depth < 1 || depth > tables.MaxDepth || index < 0 || p.String() != position {
		return place{}, tables.ErrName
	}
	return p, tables.CheckCode(p.code)
}

// descendants is the connection of the subtree below each parent.
type descendants struct{}

func (descendants) resolve(
	ctx context.Context, parents []*tables.Department, maxDepth *int, args pageArgs,
) ([]*model.DepartmentConnection, error) {
	request, err := args.request(ctx, placeCursors)
	if err != nil {
		return nil, err
	}
	depth, err := depthOf(maxDepth)
	if err != nil {
		return nil, err
	}
	trees := make([]*subtree, len(parents))
	for i, code := range departmentCodes(parents) {
		trees[i] = newSubtree(code, request.Page)
	}
	if request.entries {
		err = grow(ctx, trees, depth)
	}
	pages := newPages[place, tables.Department](len(parents), &request)
	var codes []string
	for i, tree := range trees {
		tree.fill(pages[i])
		for _, member := range pages[i].members {
			codes = append(codes, member.code)
		}
	}
	setNodes(pages, loaders.Departments.Named(ctx, codes, request.node))
	return convert(pages, err, departmentConnection(func(edge *model.DepartmentEdge, at place) { edge.Depth = &at.depth }))
}

var placeCursors = relay.Cursors{Letter: relay.Descendants, Check: func(position string) error {
	_, err := parsePlace(position)
	return err
}}

// depthOf returns how many levels of a subtree to read.
func depthOf(maxDepth *int) (int, error) {
	switch {
	case maxDepth == nil:
		return tables.MaxDepth, nil
	case *maxDepth < 0:
		return 0, apierr.BadUserInput("maxDepth can't be negative")
	}
	return min(tables.MaxDepth, *maxDepth), nil
}

// assumedSubtree is the number of departments of a subtree that is read to its end: no arguments
// bound it.
const assumedSubtree = 1000

func (descendants) cost(call *costCall) error {
	request, err := call.request(placeCursors)
	if err != nil {
		return err
	}
	depth, err := depthOf(argument[*int](call, "maxDepth"))
	if err != nil || !request.entries {
		return err
	}
	// A level is read only if the levels above have fewer departments than the page and one more:
	// it has at most a list for each of these.
	lists := request.Size
	if request.Backward || request.After != "" {
		lists = assumedSubtree
		call.Unbounded("all levels of the subtree are read down to the page")
	}
	at := call.Begin()
	if depth > 0 {
		w := newSubtree("", request.Page).window()
		w.Limit = min(w.Limit, assumedSubtree)
		shapes := loaders.Children.PageShapes(w, true, call.minMembers)
		at = call.reads(at, call.Parents, shapes, 1, "")
		if levels := min(depth-1, lists); levels > 0 {
			for _, o := range shapes {
				r := aside(o, "", o.If)
				r.Times, r.Rounds = int64(lists)*r.Times, levels*r.Rounds
				at = call.Read(at, call.Parents, r)
			}
		}
	}
	returnNamed(call, at, loaders.Departments, request.node, request.Size)
	return nil
}

// grow reads the trees level by level, all of them together: one round for each level.
func grow(ctx context.Context, trees []*subtree, maxDepth int) error {
	errs := make(loaders.Errors, len(trees))
	for range maxDepth {
		var spans []loaders.PageKey
		var of []int
		for i, tree := range trees {
			if errs[i] == nil && !tree.enough() {
				for _, code := range tree.level {
					spans, of = append(spans, loaders.PageKey{Owner: code, Range: tree.window()}), append(of, i)
				}
			}
		}
		if len(spans) == 0 {
			break
		}
		lists, err := loaders.Children.Page(ctx, spans)
		levels := make([][]string, len(trees))
		for j, i := range of {
			if e := loaders.At(err, j); e != nil {
				errs[i] = e
			}
			for _, child := range lists[j].Members {
				levels[i] = append(levels[i], child.Code)
			}
		}
		for i, tree := range trees {
			tree.add(levels[i])
		}
	}
	return loaders.Join(len(trees), errs)
}

// subtree is what has been read of the departments below one.
type subtree struct {
	asked relay.Page
	after place // the bounds; a zero place is none
	until place
	depth int
	level []string // the codes of the deepest level read
	found []place  // what lies between the bounds
	past  bool     // whether until has been reached
}

func newSubtree(code string, p relay.Page) *subtree {
	t := &subtree{asked: p, level: []string{code}}
	t.after, _ = parsePlace(p.After)
	t.until, _ = parsePlace(p.Before)
	return t
}

// window returns how much of each list of children to read for the next level. If the page begins
// in that level or above, it is what the page lacks, and one more that tells whether another page
// follows.
func (t *subtree) window() loaders.Range {
	if t.asked.Backward || t.depth+1 <= t.after.depth {
		return loaders.Whole
	}
	return loaders.Range{Limit: t.asked.Size + 1 - len(t.found)}
}

// enough reports whether the page has been read.
func (t *subtree) enough() bool {
	return len(t.level) == 0 || t.past || !t.asked.Backward && len(t.found) > t.asked.Size
}

// add adds the next level.
func (t *subtree) add(level []string) {
	t.depth++
	t.level = level
	from, to := 0, len(level)
	switch {
	case t.depth < t.after.depth:
		from = to
	case t.depth == t.after.depth:
		from = min(t.locate(t.after)+1, to)
	}
	if t.until.depth > 0 && t.depth >= t.until.depth {
		t.past = true
		if to = 0; t.depth == t.until.depth {
			to = min(t.locate(t.until), len(level))
		}
	}
	for i := from; i < to; i++ {
		t.found = append(t.found, place{t.depth, i, level[i]})
	}
}

// locate returns the index of a place in the level that was just read: that of its code or, if it
// is gone, the one that it had.
func (t *subtree) locate(p place) int {
	if i := slices.Index(t.level, p.code); i >= 0 {
		return i
	}
	return p.index
}

// fill fills the page that was asked for.
func (t *subtree) fill(p *page[place, tables.Department]) {
	size := t.asked.Size
	p.members = t.found
	hasPrevious, hasNext := t.asked.After != "", t.asked.Before != ""
	if more := len(t.found) > size; t.asked.Backward {
		if hasPrevious = more; more {
			p.members = t.found[len(t.found)-size:]
		}
	} else if hasNext = more; more {
		p.members = t.found[:size]
	}
	if p.request.edges || p.request.info {
		for _, member := range p.members {
			p.positions = append(p.positions, member.String())
		}
		p.locate(hasPrevious, hasNext, p.positions...)
	}
}
