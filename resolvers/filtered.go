package resolvers

import (
	"context"
	"slices"

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
	// near lists are never cut, and what is read beside them hardly ever.
	near bool
	// look answers what lies in each span, mostly the list's members. The error is nil or index-aligned.
	look func(ctx context.Context, spans []loaders.Span) ([]candidates[T], error)
}

// atOnce reports whether all candidates of a page are looked at together: of a list that is eager, and backwards of one that is not near, as a row is
// read whole there and no other.
func (f filtered[E, T]) atOnce(p relay.Page) bool { return f.eager || p.Backward && !f.near }

func (f filtered[E, T]) window(p relay.Page) loaders.Window {
	w := window(p)
	w.Far = w.Far && !f.near
	return w
}

// candidates are a part of a list: what each of its members stands for, nil for what is not to be seen.
type candidates[T any] = loaders.Page[*T]

// seen answers the members of pages as far as visible leaves them.
func seen[T any](ctx context.Context, pages []candidates[T], pageErr error, visible func(ctx context.Context, members []*T) ([]*T, error)) ([]candidates[T], error) {
	members := make([]*T, 0, membersOf(pages))
	for j := range pages {
		members = append(members, pages[j].Members...)
	}
	members, err := visible(ctx, members)
	return dealt(pages, members, pageErr, err)
}

// dealt deals members out to the pages of their positions, and their errors too.
func dealt[T any](pages []candidates[T], members []*T, pageErr, memberErr error) ([]candidates[T], error) {
	errs, n := make(loaders.Errors, len(pages)), 0
	for j := range pages {
		end := n + len(pages[j].Positions)
		pages[j].Members = members[n:end]
		for ; memberErr != nil && n < end; n++ {
			if err := loaders.At(memberErr, n); err != nil {
				errs[j] = err
			}
		}
		n = end
	}
	return pages, loaders.Join(len(pages), pageErr, errs)
}

// sight is the state of one owner's page while its candidates are looked at.
type sight[T any] struct {
	page      entries[struct{}, T]
	looked    int    // how many candidates were looked at
	from, to  string // the positions of the first and the last of them
	more      bool   // whether candidates are left that may be seen
	exhausted bool   // whether the page is done with
}

// pages answers the connection of each owner. A page may be short while more follow: its cursor is that of the last candidate it looked at.
// If no entries are wanted nothing is read.
func (f filtered[E, T]) pages(ctx context.Context, owners []string, p relay.Page, want wants) ([]*entries[struct{}, T], error) {
	states, errs := make([]sight[T], len(owners)), make(loaders.Errors, len(owners))
	for i := range states {
		states[i].page.kind, states[i].page.parts = f.kind, want.parts
		states[i].exhausted = !want.entries
	}
	size, whole, looks := p.Size, f.window(p), 2
	if f.atOnce(p) {
		size, looks = p.Size*lookahead, 1
	}
	at, spans := make([]int, 0, len(owners)), make([]loaders.Span, 0, len(owners))
	for range looks {
		at, spans = at[:0], spans[:0]
		for i := range states {
			if s := &states[i]; !s.exhausted {
				w := whole
				w.Limit = max(size-s.looked, 0)
				if s.looked > 0 && p.Backward {
					w.Before = s.to
				} else if s.looked > 0 {
					w.After = s.to
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
		pages[i] = states[i].finish(p)
	}
	return settle(pages, loaders.Join(len(pages), errs))
}

// take looks at one span of candidates for each open page and adds those that the viewer sees.
func (f filtered[E, T]) take(ctx context.Context, p relay.Page, at []int, spans []loaders.Span, states []sight[T], errs loaders.Errors) {
	found, err := f.look(ctx, spans)
	for j, i := range at {
		c, s := found[j], &states[i]
		errs[i] = loaders.At(err, j)
		if s.more = c.HasNext; p.Backward {
			s.more = c.HasPrevious
			c.Members, c.Positions = reversed(c.Members), reversed(c.Positions)
		}
		s.add(p, c.Members, c.Positions)
		s.exhausted = errs[i] != nil || !s.more || len(s.page.nodes) == p.Size || s.looked >= p.Size*lookahead
	}
}

// add takes candidates until the page is full. What is left behind it counts as more only if it is to be seen.
func (s *sight[T]) add(p relay.Page, things []*T, positions []string) {
	if s.looked == 0 && len(things) > 0 && len(things) <= p.Size && !slices.Contains(things, nil) {
		s.page.nodes, s.page.positions = slices.Clip(things), slices.Clip(positions)
		s.looked, s.from, s.to = len(things), positions[0], positions[len(positions)-1]
		return
	}
	room := min(p.Size, len(things)) - len(s.page.nodes)
	s.page.nodes, s.page.positions = slices.Grow(s.page.nodes, max(room, 0)), slices.Grow(s.page.positions, max(room, 0))
	for k, thing := range things {
		if len(s.page.nodes) == p.Size {
			s.more = s.more || slices.ContainsFunc(things[k:], func(t *T) bool { return t != nil })
			return
		}
		if s.looked == 0 {
			s.from = positions[k]
		}
		s.looked, s.to = s.looked+1, positions[k]
		if thing != nil {
			s.page.nodes, s.page.positions = append(s.page.nodes, thing), append(s.page.positions, positions[k])
		}
	}
}

// finish puts the page in the list's order and says what lies around it.
func (s *sight[T]) finish(p relay.Page) *entries[struct{}, T] {
	page := &s.page
	previous, next, start, end := p.After != "", s.more, s.from, s.to
	if p.Backward {
		page.nodes, page.positions = reversed(page.nodes), reversed(page.positions)
		previous, next, start, end = s.more, p.Before != "", s.to, s.from
	}
	if s.looked > 0 {
		page.locate(previous, next, start, end)
	} else {
		page.locate(previous, next)
	}
	page.members = make([]struct{}, len(page.nodes))
	return page
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
