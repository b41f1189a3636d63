package resolvers

import (
	"context"
	"slices"

	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

const lookahead = 4 // candidates per entry of a page

// filteredConnection is a connection of visible entries. The members of its list are candidates.
// The first read usually gets one candidate per entry of the page. If some are hidden, a second
// read gets more, up to the lookahead. So a page may be short although more entries follow.
type filteredConnection[P, T, C any] struct {
	owners func(parents []*P) []string
	list   *tables.AnyList
	source source[T]
	total  total
	as     func(*page[struct{}, T]) C
	// eager connections read the whole lookahead in one read, because most candidates are hidden
	// from most viewers.
	eager   bool
	unsplit bool // lists have one bucket
}

type source[T any] interface {
	read(ctx context.Context, pageKeys []loaders.PageKey) ([]candidates[T], error)
	cost(call *costCall, at explain.Stage, l candidateRead) explain.Stage
}

type candidates[T any] = loaders.Page[*T] // hidden members are nil

type candidateRead struct {
	loaders.Range
	atBeginning bool   // as in [loaders.List.PageShapes]
	candidates  int    // maximum number of candidates
	condition   string // empty for the first read
}

func (l candidateRead) first() bool { return l.condition == "" }

// candidateLimits returns the cumulative maximum of candidates after each read. A backward read of
// a list that may be split reads at least a whole bucket's positions, so one read is enough.
func (f filteredConnection[P, T, C]) candidateLimits(r *request) []int {
	if f.eager || r.Backward && !f.unsplit {
		return []int{r.Size * lookahead}
	}
	return []int{r.Size, r.Size * lookahead}
}

func (f filteredConnection[P, T, C]) rangeOf(r *request, limit int) loaders.Range {
	w := r.pageRange()
	w.Limit, w.Far = limit, w.Far && !f.unsplit
	return w
}

func (f filteredConnection[P, T, C]) resolve(ctx context.Context, parents []*P, args pageArgs) ([]*C, error) {
	r, err := args.request(ctx, relay.CursorsOf(f.list))
	if err != nil {
		return nil, err
	}
	return f.pages(ctx, parents, &r)
}

func (f filteredConnection[P, T, C]) pages(ctx context.Context, parents []*P, r *request) ([]*C, error) {
	owners := f.owners(parents)
	pages := newPages[struct{}, T](len(owners), r)
	err := f.fill(ctx, r, owners, pages)
	return convert(pages, err, f.as)
}

func (f filteredConnection[P, T, C]) fill(
	ctx context.Context, r *request, owners []string, pages []*page[struct{}, T],
) error {
	if !r.total || f.total == nil {
		return f.read(ctx, r, owners, pages)
	}
	var totals []*int
	var err, totalErr error
	loaders.Together(ctx,
		func() { totals, totalErr = f.total.read(ctx, owners) },
		func() { err = f.read(ctx, r, owners, pages) })
	for i, p := range pages {
		p.total = totals[i]
	}
	return loaders.Join(len(owners), err, totalErr)
}

func (f filteredConnection[P, T, C]) cost(call *costCall) error {
	requests, err := call.requests(relay.CursorsOf(f.list))
	if err != nil {
		return err
	}
	f.costFrom(call, requests, call.Begin())
	return nil
}

func (f filteredConnection[P, T, C]) costFrom(call *costCall, requests []request, at explain.Stage) {
	end := totalCost(call, &requests[0], f.total, at)
	if !requests[0].entries {
		return
	}
	for i := range requests {
		end = explain.Latest(end, f.readCost(call, &requests[i], at))
	}
	call.Returns("", call.Set(call.Parents, int64(requests[0].Size), end))
}

func (f filteredConnection[P, T, C]) read(
	ctx context.Context, r *request, owners []string, pages []*page[struct{}, T],
) error {
	if !r.entries {
		return nil
	}
	errs := make(loaders.Errors, len(owners))
	builders := make([]pageBuilder[T], len(owners))
	for i := range builders {
		builders[i].page = pages[i]
	}
	incomplete, pageKeys := make([]int, 0, len(owners)), make([]loaders.PageKey, 0, len(owners))
	for _, limit := range f.candidateLimits(r) {
		all := f.rangeOf(r, limit)
		incomplete, pageKeys = incomplete[:0], pageKeys[:0]
		for i := range builders {
			if errs[i] == nil && !builders[i].complete() {
				incomplete = append(incomplete, i)
				pageKeys = append(pageKeys, loaders.PageKey{Owner: owners[i], Range: builders[i].next(&all)})
			}
		}
		if len(pageKeys) == 0 {
			break
		}
		found, err := f.source.read(ctx, pageKeys)
		for j, i := range incomplete {
			errs[i] = loaders.At(err, j)
			builders[i].add(found[j])
		}
	}
	for i := range builders {
		builders[i].build()
	}
	return loaders.Join(len(pages), errs)
}

func (f filteredConnection[P, T, C]) readCost(call *costCall, r *request, at explain.Stage) explain.Stage {
	limits := f.candidateLimits(r)
	first := candidateRead{Range: f.rangeOf(r, limits[0]), candidates: limits[0]}
	first.atBeginning = first.After == ""
	at = f.source.cost(call, at, first)
	if len(limits) == 1 {
		return at
	}
	// The second read is of the same bucket if the first one began where the list begins, and
	// buckets are large enough.
	all := limits[1]
	second := candidateRead{Range: f.rangeOf(r, all), candidates: all - limits[0], condition: ifHidden}
	second.atBeginning = first.atBeginning && all < call.minMembers
	second.After += "\x00" // stands for the position of the first read's last candidate
	if r.Backward {        // the first read may have ended early
		second.candidates, second.condition = all, ifShort
	}
	return f.source.cost(call, at, second)
}

// pageBuilder collects candidates in the order of reading, from the end if the request is Backward.
// Until build, nodes and positions are those of all candidates.
type pageBuilder[T any] struct {
	*page[struct{}, T]
	exhausted bool
}

func (b *pageBuilder[T]) complete() bool {
	size, visible := b.request.Size, 0
	for _, node := range b.nodes {
		if node != nil {
			visible++
		}
	}
	return b.exhausted || visible >= size || len(b.nodes) >= size*lookahead
}

func (b *pageBuilder[T]) next(all *loaders.Range) *loaders.Range {
	n := len(b.positions)
	if n == 0 {
		return all
	}
	w := *all
	w.Limit = max(w.Limit-n, 0)
	if w.Backward {
		w.Before = b.positions[n-1]
	} else {
		w.After = b.positions[n-1]
	}
	return &w
}

func (b *pageBuilder[T]) add(c candidates[T]) {
	b.exhausted = !c.HasNext
	if b.request.Backward {
		c.Members, c.Positions, b.exhausted = reversed(c.Members), reversed(c.Positions), !c.HasPrevious
	}
	if b.nodes == nil {
		b.nodes, b.positions = c.Members, c.Positions
		return
	}
	b.nodes, b.positions = slices.Concat(b.nodes, c.Members), slices.Concat(b.positions, c.Positions)
}

// build makes the page. A full page ends with its last entry, any other with the last candidate
// that was read. The start and end cursors are those of its first and last candidate, even if
// hidden.
func (b *pageBuilder[T]) build() {
	nodes, positions := b.nodes, b.positions
	end := min(b.request.Size, len(nodes))
	// Pages that hide nothing need no copy: see uncopied-pages in 'go -C bench run . without'.
	b.nodes, b.positions = slices.Clip(nodes[:end]), slices.Clip(positions[:end])
	if slices.Contains(b.nodes, nil) {
		b.nodes, b.positions = make([]*T, 0, b.request.Size), make([]string, 0, b.request.Size)
		for end = 0; end < len(nodes) && len(b.nodes) < b.request.Size; end++ {
			if node := nodes[end]; node != nil {
				b.nodes, b.positions = append(b.nodes, node), append(b.positions, positions[end])
			}
		}
	}
	more := !b.exhausted || slices.ContainsFunc(nodes[end:], func(n *T) bool { return n != nil })
	begun, covered := b.request.After != "", positions[:end]
	if b.request.Backward {
		begun = b.request.Before != ""
	}
	hasPrevious, hasNext := begun, more
	if b.request.Backward != b.request.reversed {
		hasPrevious, hasNext, covered = more, begun, reversed(covered)
		slices.Reverse(b.nodes)
		slices.Reverse(b.positions)
	}
	b.locate(hasPrevious, hasNext, covered...)
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// unread returns candidates without members, which [distribute] adds.
func unread[T, E any](lists []loaders.Page[E]) []candidates[T] {
	pages := make([]candidates[T], len(lists))
	for i, list := range lists {
		pages[i] = candidates[T]{Positions: list.Positions, HasNext: list.HasNext, HasPrevious: list.HasPrevious}
	}
	return pages
}

// distribute gives each page its part of members, which are in the order of the pages. A member's
// error becomes an error of its page.
func distribute[T any](pages []candidates[T], members []*T, pageErr, memberErr error) ([]candidates[T], error) {
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
