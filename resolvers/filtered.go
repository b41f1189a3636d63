package resolvers

import (
	"context"
	"slices"

	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/loaders"
)

// lookahead is how many candidates of a filtered list a page looks at, as a multiple of its size.
const lookahead = 4

// filtered is a connection of which the viewer sees a part: a list of candidates, and how they become objects, nil for those that
// are not to be seen.
type filtered[E, T any] struct {
	kind relay.List
	list loaders.List[E]
	// eager lists look at all candidates at once, being such that most viewers see a few of them; the others look at as many as
	// the page is long, and at the rest only if it came out short.
	eager bool
	see   func(ctx context.Context, owners []string, candidates []E) ([]*T, error)
}

// sight is the state of one owner's page while its candidates are looked at.
type sight[T any] struct {
	page      entries[struct{}, T]
	looked    []string // the positions of all candidates, in the order in which they were looked at
	more      bool     // whether candidates are left that may be seen
	exhausted bool     // whether the page is done with
}

// pages answers the connection of each owner. A page may be short while more follow: its cursor is that of the last candidate it looked at.
// If no entries are wanted nothing is read.
func (f filtered[E, T]) pages(ctx context.Context, owners []string, p relay.Page, want wants) ([]*entries[struct{}, T], error) {
	states, errs := make([]sight[T], len(owners)), make(loaders.Errors, len(owners))
	for i := range states {
		states[i].exhausted = !want.entries
	}
	size := p.Size
	if f.eager {
		size *= lookahead
	}
	for range 2 {
		var at []int
		var spans []loaders.Span
		for i := range states {
			if s := &states[i]; !s.exhausted {
				w := window(p)
				w.Limit = max(size-len(s.looked), 0)
				if n := len(s.looked); n > 0 && p.Backward {
					w.Before = s.looked[n-1]
				} else if n > 0 {
					w.After = s.looked[n-1]
				}
				at, spans = append(at, i), append(spans, loaders.Span{Owner: owners[i], Window: w})
			}
		}
		if len(at) == 0 {
			break
		}
		f.look(ctx, p, at, spans, states, errs)
		size = p.Size * lookahead
	}
	pages := make([]*entries[struct{}, T], len(owners))
	for i := range states {
		pages[i] = states[i].finish(f.kind, p)
	}
	return settle(pages, loaders.Join(len(pages), errs))
}

// look reads one span of candidates for each open page and adds those that the viewer sees.
func (f filtered[E, T]) look(ctx context.Context, p relay.Page, at []int, spans []loaders.Span, states []sight[T], errs loaders.Errors) {
	lists, listErr := f.list.Page(ctx, spans)
	var owners []string
	var candidates []E
	for j := range lists {
		for _, e := range lists[j].Members {
			owners, candidates = append(owners, spans[j].Owner), append(candidates, e)
		}
	}
	things, seeErr := f.see(ctx, owners, candidates)
	n := 0
	for j, i := range at {
		list, s := &lists[j], &states[i]
		mine := things[n : n+len(list.Members)]
		for k := range mine {
			if err := loaders.At(seeErr, n+k); err != nil {
				errs[i] = err
			}
		}
		n += len(mine)
		if err := loaders.At(listErr, j); err != nil {
			errs[i] = err
		}
		if s.more = list.HasNext; p.Backward {
			s.more = list.HasPrevious
			mine, list.Positions = reversed(mine), reversed(list.Positions)
		}
		s.add(p, mine, list.Positions)
		s.exhausted = errs[i] != nil || !s.more || len(s.page.nodes) == p.Size || len(s.looked) >= p.Size*lookahead
	}
}

// add takes candidates until the page is full. What is left behind it counts as more only if it is to be seen.
func (s *sight[T]) add(p relay.Page, things []*T, positions []string) {
	for k, thing := range things {
		if len(s.page.nodes) == p.Size {
			s.more = s.more || slices.ContainsFunc(things[k:], func(t *T) bool { return t != nil })
			return
		}
		s.looked = append(s.looked, positions[k])
		if thing != nil {
			s.page.nodes, s.page.positions = append(s.page.nodes, thing), append(s.page.positions, positions[k])
		}
	}
}

// finish puts the page in the list's order and says what lies around it.
func (s *sight[T]) finish(kind relay.List, p relay.Page) *entries[struct{}, T] {
	page := &s.page
	page.kind, page.info = kind, &model.PageInfo{HasNextPage: s.more, HasPreviousPage: p.After != ""}
	looked := s.looked
	if p.Backward {
		page.nodes, page.positions, looked = reversed(page.nodes), reversed(page.positions), reversed(looked)
		page.info.HasNextPage, page.info.HasPreviousPage = p.Before != "", s.more
	}
	if len(looked) > 0 {
		start, end := kind.EncodeCursor(looked[0]), kind.EncodeCursor(looked[len(looked)-1])
		page.info.StartCursor, page.info.EndCursor = &start, &end
	}
	page.members = make([]struct{}, len(page.nodes))
	return page
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
