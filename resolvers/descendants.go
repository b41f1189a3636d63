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

// treePosition is a position in a subtree, in level order. It stays valid when the tree changes:
// locate searches the level for code, and otherwise returns index.
type treePosition struct {
	depth, index int
	code         string
}

func (p treePosition) String() string { return fmt.Sprintf("%d.%d.%s", p.depth, p.index, p.code) }

func parseTreePosition(position string) (treePosition, error) {
	parts := strings.SplitN(position, ".", 3)
	if len(parts) != 3 {
		return treePosition{}, tables.ErrName
	}
	depth, err1 := strconv.Atoi(parts[0])
	index, err2 := strconv.Atoi(parts[1])
	p := treePosition{depth, index, parts[2]}
	if err1 != nil || err2 != nil || depth < 1 || depth > tables.MaxDepth || index < 0 || p.String() != position {
		return treePosition{}, tables.ErrName
	}
	return p, tables.CheckCode(p.code)
}

type descendants struct{}

func (descendants) resolve(
	ctx context.Context, parents []*tables.Department, maxDepth *int, args pageArgs,
) ([]*model.DepartmentConnection, error) {
	request, err := args.request(ctx, treeCursors)
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
	pages := newPages[treePosition, tables.Department](len(parents), &request)
	var codes []string
	for i, tree := range trees {
		tree.fill(pages[i])
		for _, member := range pages[i].members {
			codes = append(codes, member.code)
		}
	}
	setNodes(pages, loaders.Departments.Named(ctx, codes, request.node))
	setDepth := func(edge *model.DepartmentEdge, at treePosition) { edge.Depth = &at.depth }
	return convert(pages, err, departmentConnection(setDepth))
}

var treeCursors = relay.Cursors{Letter: relay.Descendants, Check: func(position string) error {
	_, err := parseTreePosition(position)
	return err
}}

func depthOf(maxDepth *int) (int, error) {
	switch {
	case maxDepth == nil:
		return tables.MaxDepth, nil
	case *maxDepth < 0:
		return 0, apierr.BadUserInput("maxDepth can't be negative")
	}
	return min(tables.MaxDepth, *maxDepth), nil
}

// assumedSubtree is the assumed size of a subtree if no argument bounds the read.
const assumedSubtree = 1000

func (descendants) cost(call *costCall) error {
	requests, err := call.requests(treeCursors)
	if err != nil {
		return err
	}
	request := requests[len(requests)-1] // backward costs more, because whole levels are read
	depth, err := depthOf(argument[*int](call, "maxDepth"))
	if err != nil || !request.entries {
		return err
	}
	// A level with more than request.Size departments fills the page, so that at most request.Size
	// lists are read for the level below it.
	lists := request.Size
	if request.Backward || request.After != "" {
		lists = assumedSubtree
		call.Unbounded("all levels of the subtree are read down to the page")
	}
	at := call.Begin()
	if depth > 0 {
		w := newSubtree("", request.Page).pageRange()
		w.Limit = min(w.Limit, assumedSubtree)
		shapes := loaders.Children.PageShapes(w, true, call.minMembers)
		at = call.reads(at, call.Parents, shapes, 1, "")
		if levels := min(depth-1, lists); levels > 0 {
			shapes = elsewhere(shapes)
			for i := range shapes {
				shapes[i].Rounds *= levels
			}
			at = call.reads(at, call.Parents, shapes, lists, "")
		}
	}
	returnNamed(call, at, loaders.Departments, request.node, request.Size)
	return nil
}

func grow(ctx context.Context, trees []*subtree, maxDepth int) error {
	errs := make(loaders.Errors, len(trees))
	for range maxDepth {
		var pageKeys []loaders.PageKey
		var indexes []int
		for i, tree := range trees {
			if errs[i] == nil && !tree.complete() {
				w := tree.pageRange()
				for _, code := range tree.level {
					pageKeys = append(pageKeys, loaders.PageKey{Owner: code, Range: &w})
					indexes = append(indexes, i)
				}
			}
		}
		if len(pageKeys) == 0 {
			break
		}
		lists, err := loaders.Children.Page(ctx, pageKeys)
		levels := make([][]string, len(trees))
		for j, i := range indexes {
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

type subtree struct {
	page   relay.Page
	start  treePosition // start and end are exclusive bounds of the page, or zero
	end    treePosition
	depth  int
	level  []string       // codes of the departments at depth
	found  []treePosition // between the bounds
	passed bool           // the level of end was reached
}

func newSubtree(code string, p relay.Page) *subtree {
	t := &subtree{page: p, level: []string{code}}
	t.start, _ = parseTreePosition(p.After)
	t.end, _ = parseTreePosition(p.Before)
	return t
}

// pageRange is the part of a list to read: the whole list for a backward page, and on the levels
// down to t.start.depth. Otherwise, its limit is the number of missing departments, and one more
// for hasNextPage.
func (t *subtree) pageRange() loaders.Range {
	if t.page.Backward || t.depth+1 <= t.start.depth {
		return loaders.Whole
	}
	return loaders.Range{Limit: t.page.Size + 1 - len(t.found)}
}

func (t *subtree) complete() bool {
	return len(t.level) == 0 || t.passed || !t.page.Backward && len(t.found) > t.page.Size
}

func (t *subtree) add(level []string) {
	t.depth++
	t.level = level
	from, to := 0, len(level)
	switch {
	case t.depth < t.start.depth:
		from = to
	case t.depth == t.start.depth:
		from = min(t.locate(t.start)+1, to)
	}
	if t.end.depth > 0 && t.depth >= t.end.depth {
		t.passed = true
		if to = 0; t.depth == t.end.depth {
			to = min(t.locate(t.end), len(level))
		}
	}
	for i := from; i < to; i++ {
		t.found = append(t.found, treePosition{t.depth, i, level[i]})
	}
}

func (t *subtree) locate(p treePosition) int {
	if i := slices.Index(t.level, p.code); i >= 0 {
		return i
	}
	return p.index
}

func (t *subtree) fill(p *page[treePosition, tables.Department]) {
	size := t.page.Size
	p.members = t.found
	hasPrevious, hasNext := t.page.After != "", t.page.Before != ""
	if more := len(t.found) > size; t.page.Backward {
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
