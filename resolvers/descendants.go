package resolvers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"twibase/graph/apierr"
	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// place is an entry of a subtree in tree order: level by level, each level in its parents' order. Depth and index tell where it is; the
// code finds it again if others came or went.
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

// Descendants is the batch resolver for the descendants field.
func (r *departmentResolver) Descendants(ctx context.Context, objs []*tables.Department, maxDepth *int, first *int, after *string, last *int, before *string) ([]*model.DepartmentConnection, error) {
	p, depth, err := subtreeArgs(pageArgs{first, after, last, before}, maxDepth)
	if err != nil {
		return nil, err
	}
	want := wanted(ctx, "Department")
	trees := make([]*subtree, len(objs))
	for i, code := range departmentCodes(objs) {
		trees[i] = newSubtree(code, p)
	}
	if want.entries {
		err = grow(ctx, trees, depth)
	}
	pages, errs := make([]*entries[place, tables.Department], len(objs)), make(loaders.Errors, len(objs))
	var codes []string
	for i, tree := range trees {
		errs[i] = loaders.At(err, i)
		pages[i] = tree.page(want.parts)
		for _, member := range pages[i].members {
			codes = append(codes, member.code)
		}
	}
	name(ctx, loaders.Departments, codes, want, pages)
	pages, err = settle(pages, loaders.Join(len(pages), errs))
	return convert(pages, err, func(p *entries[place, tables.Department]) model.DepartmentConnection {
		return departmentConnection(p, func(at place) *int { return &at.depth })
	})
}

// subtreeArgs checks the arguments: which page, and how many levels to go down.
func subtreeArgs(args pageArgs, maxDepth *int) (p relay.Page, depth int, err error) {
	p, err = args.read(relay.Descendants, func(position string) error { _, err := parsePlace(position); return err })
	if err != nil || maxDepth == nil {
		return p, tables.MaxDepth, err
	}
	if *maxDepth < 0 {
		return p, 0, apierr.BadUserInput("maxDepth can't be negative")
	}
	return p, min(tables.MaxDepth, *maxDepth), nil
}

// wholeSubtree is for how many departments a subtree counts of which all is read: no arguments bound it.
const wholeSubtree = 1000

func descendantsCost(q *inquiry) error {
	p, depth, err := subtreeArgs(q.pageArgs(), argument[*int](q, "maxDepth"))
	if err != nil {
		return err
	}
	want, at := wanted(q.Ctx, "Department"), q.Begin()
	if !want.entries {
		return nil
	}
	// A level is read if less than the page and one more was found above it, so it takes a list of each department of the page at most.
	lists := p.Size
	if p.Backward || p.After != "" {
		lists = wholeSubtree
		q.Open("all levels of the subtree are read down to the page")
	}
	if depth > 0 {
		w := newSubtree("", p).window()
		w.Limit = min(w.Limit, wholeSubtree)
		outlines := loaders.Children.OutlinePage(w, true, q.half)
		at = q.reads(at, q.Parents, outlines, 1, "")
		if levels := min(depth-1, lists); levels > 0 {
			for _, o := range outlines {
				r := readOf(o)
				r.Kind, r.Times, r.Rounds = explain.Alone, int64(lists)*r.Times, levels*r.Rounds
				at = q.Read(at, q.Parents, r)
			}
		}
	}
	lead(q, at, loaders.Departments, want.fields, p.Size)
	return nil
}

// grow reads the trees level by level, all of them together: one round a level, whatever its breadth.
func grow(ctx context.Context, trees []*subtree, maxDepth int) error {
	errs := make(loaders.Errors, len(trees))
	for range maxDepth {
		var spans []loaders.Span
		var of []int
		for i, tree := range trees {
			if errs[i] == nil && !tree.enough() {
				for _, code := range tree.level {
					spans, of = append(spans, loaders.Span{Owner: code, Window: tree.window()}), append(of, i)
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
	after place // the zero place if there is no bound
	until place
	depth int
	level []string // the codes of the deepest level read
	found []place  // what lies between the bounds
	past  bool     // whether the bound before has been met
}

func newSubtree(code string, p relay.Page) *subtree {
	t := &subtree{asked: p, level: []string{code}}
	t.after, _ = parsePlace(p.After)
	t.until, _ = parsePlace(p.Before)
	return t
}

// window is how much of each list of children the next level needs: no more than what is missing from the page and one that
// tells whether another follows, if whatever is beyond can't be asked for.
func (t *subtree) window() loaders.Window {
	if t.asked.Backward || t.depth+1 <= t.after.depth {
		return loaders.Whole
	}
	return loaders.Window{Limit: t.asked.Size + 1 - len(t.found)}
}

// enough reports whether the page is read.
func (t *subtree) enough() bool {
	return len(t.level) == 0 || t.past || !t.asked.Backward && len(t.found) > t.asked.Size
}

// add takes the next level.
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

// locate returns the index of a place in the level just read: that of its code or, if that is gone, the one it had.
func (t *subtree) locate(p place) int {
	if i := slices.Index(t.level, p.code); i >= 0 {
		return i
	}
	return p.index
}

// page returns the page that was asked for.
func (t *subtree) page(want parts) *entries[place, tables.Department] {
	found, size := t.found, t.asked.Size
	previous, next := t.asked.After != "", t.asked.Before != ""
	if more := len(found) > size; t.asked.Backward {
		if previous = more; more {
			found = found[len(found)-size:]
		}
	} else if next = more; more {
		found = found[:size]
	}
	page := &entries[place, tables.Department]{parts: want, kind: relay.Descendants, members: found}
	if want != (parts{}) {
		for _, p := range found {
			page.positions = append(page.positions, p.String())
		}
		page.locate(previous, next, page.positions...)
	}
	return page
}
