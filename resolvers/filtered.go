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

// filtered is a connection of which the viewer sees a part.
type filtered[T any] struct {
	kind relay.List
	// eager lists look at all candidates at once, being such that most viewers see a few of them; the others look at as many as
	// the page is long, and at the rest only if it came out short.
	eager bool
	// look answers what lies in each span. The error is nil or index-aligned.
	look func(ctx context.Context, spans []loaders.Span) ([]candidates[T], error)
}

// candidates are a part of a list: what each of its members stands for, nil for what is not to be seen.
type candidates[T any] loaders.Page[*T]

// seen looks at a list whose members become things by see.
func seen[E, T any](list loaders.List[E], see func(ctx context.Context, owners []string, members []E) ([]*T, error)) func(context.Context, []loaders.Span) ([]candidates[T], error) {
	return func(ctx context.Context, spans []loaders.Span) ([]candidates[T], error) {
		lists, err := list.Page(ctx, spans)
		return sighted(ctx, spans, lists, err, see)
	}
}

// sighted turns the members of pages into things.
func sighted[E, T any](ctx context.Context, spans []loaders.Span, lists []loaders.Page[E], listErr error, see func(ctx context.Context, owners []string, members []E) ([]*T, error)) ([]candidates[T], error) {
	var owners []string
	var members []E
	for j := range lists {
		for _, e := range lists[j].Members {
			owners, members = append(owners, spans[j].Owner), append(members, e)
		}
	}
	things, seeErr := see(ctx, owners, members)
	found, errs, n := make([]candidates[T], len(spans)), make(loaders.Errors, len(spans)), 0
	for j, list := range lists {
		found[j] = candidates[T]{Members: things[n : n+len(list.Members)], Positions: list.Positions, HasNext: list.HasNext, HasPrevious: list.HasPrevious}
		for range list.Members {
			if err := loaders.At(seeErr, n); err != nil {
				errs[j] = err
			}
			n++
		}
	}
	return found, loaders.Join(len(spans), listErr, errs)
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
func (f filtered[T]) pages(ctx context.Context, owners []string, p relay.Page, want wants) ([]*entries[struct{}, T], error) {
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
		f.take(ctx, p, at, spans, states, errs)
		size = p.Size * lookahead
	}
	pages := make([]*entries[struct{}, T], len(owners))
	for i := range states {
		pages[i] = states[i].finish(f.kind, p)
	}
	return settle(pages, loaders.Join(len(pages), errs))
}

// take looks at one span of candidates for each open page and adds those that the viewer sees.
func (f filtered[T]) take(ctx context.Context, p relay.Page, at []int, spans []loaders.Span, states []sight[T], errs loaders.Errors) {
	found, err := f.look(ctx, spans)
	for j, i := range at {
		c, s := found[j], &states[i]
		errs[i] = loaders.At(err, j)
		if s.more = c.HasNext; p.Backward {
			s.more = c.HasPrevious
			c.Members, c.Positions = reversed(c.Members), reversed(c.Positions)
		}
		s.add(p, c.Members, c.Positions)
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
