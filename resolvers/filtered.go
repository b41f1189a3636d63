package resolvers

import (
	"context"
	"slices"

	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// lookahead is how many candidates a page of a filtered connection reads at most, as a multiple of
// its size.
const lookahead = 4

// filteredConnection is a connection that shows the entries that are visible to the viewer. The
// members of its list are candidates. It reads as many candidates as the page has entries and, if
// some of them are hidden, the rest of the lookahead: two looks at most. A page may still be short
// although more entries follow: its end cursor is that of the last candidate that was read.
type filteredConnection[P, T, C any] struct {
	owners func(parents []*P) []string
	list   *tables.AnyList
	source source[T]
	total  total // nil if there is none
	as     func(*page[struct{}, T]) C
	// eager connections read the whole lookahead at once, because most viewers see few of the
	// candidates.
	eager bool
	// unsplit lists have one bucket.
	unsplit bool
}

// source reads candidates.
type source[T any] interface {
	// read returns the candidates in each span. The error is nil or index-aligned.
	read(ctx context.Context, spans []loaders.PageKey) ([]candidates[T], error)
	// cost declares what read reads in a look at the list of each parent.
	cost(call *costCall, at explain.Stage, l look) explain.Stage
}

// candidates are a part of a list, in its order. A member that is hidden from the viewer is nil.
type candidates[T any] = loaders.Page[*T]

// look is what one look at candidates reads.
type look struct {
	loaders.Range
	atBeginning bool   // the window is at the list's beginning, within its first bucket
	candidates  int    // how many candidates were not read by the look before
	condition   string // why there is a second look; empty for the first
}

func (l look) first() bool { return l.condition == "" }

// looks returns how many candidates of a list have been read after each look. Backwards a bucket is
// read whole, and no other: a second look would not find more.
func (f filteredConnection[P, T, C]) looks(r *request) []int {
	if f.eager || r.Backward && !f.unsplit {
		return []int{r.Size * lookahead}
	}
	return []int{r.Size, r.Size * lookahead}
}

func (f filteredConnection[P, T, C]) window(r *request, limit int) loaders.Range {
	w := r.window()
	w.Limit, w.Far = limit, w.Far && !f.unsplit
	return w
}

// resolve returns the connection of each parent. The error is nil or index-aligned.
func (f filteredConnection[P, T, C]) resolve(ctx context.Context, parents []*P, args pageArgs) ([]*C, error) {
	r, err := args.request(ctx, relay.CursorsOf(f.list))
	if err != nil {
		return nil, err
	}
	owners := f.owners(parents)
	pages := newPages[struct{}, T](len(owners), &r)
	err = fill(ctx, pages, &r, f.total, owners, func() error { return f.read(ctx, &r, owners, pages) })
	return convert(pages, err, f.as)
}

func (f filteredConnection[P, T, C]) cost(call *costCall) error {
	r, err := call.request(relay.CursorsOf(f.list))
	if err != nil {
		return err
	}
	f.costFrom(call, &r, call.Begin())
	return nil
}

// costFrom declares the cost of a field that begins to read at a stage.
func (f filteredConnection[P, T, C]) costFrom(call *costCall, r *request, at explain.Stage) {
	end := totalCost(call, r, f.total, at)
	if r.entries {
		end = explain.Latest(end, f.readCost(call, r, at))
		call.Returns("", call.Set(call.Parents, int64(r.Size), end))
	}
}

// read fills the pages of owners with entries. The error is nil or index-aligned.
func (f filteredConnection[P, T, C]) read(
	ctx context.Context, r *request, owners []string, pages []*page[struct{}, T],
) error {
	errs := make(loaders.Errors, len(owners))
	builders := make([]pageBuilder[T], len(owners))
	for i := range builders {
		builders[i].page = pages[i]
	}
	for _, limit := range f.looks(r) {
		window := f.window(r, limit)
		incomplete, spans := make([]int, 0, len(owners)), make([]loaders.PageKey, 0, len(owners))
		for i := range builders {
			if errs[i] == nil && !builders[i].complete() {
				incomplete = append(incomplete, i)
				spans = append(spans, loaders.PageKey{Owner: owners[i], Range: builders[i].next(window)})
			}
		}
		if len(spans) == 0 {
			break
		}
		found, err := f.source.read(ctx, spans)
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

// readCost declares what read reads.
func (f filteredConnection[P, T, C]) readCost(call *costCall, r *request, at explain.Stage) explain.Stage {
	looks := f.looks(r)
	at = f.source.cost(call, at, look{Range: f.window(r, looks[0]), atBeginning: r.After == "", candidates: looks[0]})
	if len(looks) == 1 {
		return at
	}
	// The second look goes on behind the first: in the same bucket if that began at the list's
	// beginning and buckets are large enough.
	all := looks[1]
	second := look{Range: f.window(r, all), candidates: all - looks[0], condition: ifHidden}
	second.atBeginning = r.After == "" && all < call.minMembers
	second.After += "\x00"
	if r.Backward { // the first look may have ended early
		second.candidates, second.condition = all, ifShort
	}
	return f.source.cost(call, at, second)
}

// pageBuilder builds the page of one owner from the candidates of one look after another. It
// collects entries in the order in which they are read: from the end of the list if the request is
// Backward.
type pageBuilder[T any] struct {
	*page[struct{}, T]
	// read counts the candidates, hidden or not, that the page covers. first and last are the
	// positions of the first and the last one.
	read        int
	first, last string
	// exhausted says that no candidate follows the last look. more says that a visible entry may
	// follow the page.
	exhausted, more bool
}

// complete reports whether no further look can add to the page.
func (b *pageBuilder[T]) complete() bool {
	return b.exhausted || len(b.nodes) == b.request.Size || b.read >= b.request.Size*lookahead
}

// next returns the part of a window that has not been read.
func (b *pageBuilder[T]) next(w loaders.Range) loaders.Range {
	w.Limit = max(w.Limit-b.read, 0)
	switch {
	case b.read == 0:
	case w.Backward:
		w.Before = b.last
	default:
		w.After = b.last
	}
	return w
}

// add adds the candidates of a look until the page is full.
func (b *pageBuilder[T]) add(c candidates[T]) {
	nodes, positions := c.Members, c.Positions
	b.more = c.HasNext
	if b.request.Backward {
		nodes, positions = reversed(nodes), reversed(positions)
		b.more = c.HasPrevious
	}
	b.exhausted = !b.more
	room := min(b.request.Size-len(b.nodes), len(nodes))
	if b.read == 0 && room > 0 && !slices.Contains(nodes[:room], nil) {
		// Nothing is hidden, as on most pages: no copy. That saves two allocations per page, two
		// thirds of those of BenchmarkEmbedded/reference in bench.
		b.nodes, b.positions = slices.Clip(nodes[:room]), slices.Clip(positions[:room])
		b.read, b.first, b.last = room, positions[0], positions[room-1]
		b.more = b.more || slices.ContainsFunc(nodes[room:], func(n *T) bool { return n != nil })
		return
	}
	b.nodes, b.positions = slices.Grow(b.nodes, room), slices.Grow(b.positions, room)
	for i, node := range nodes {
		if len(b.nodes) == b.request.Size { // the page ends before this candidate
			b.more = b.more || slices.ContainsFunc(nodes[i:], func(n *T) bool { return n != nil })
			return
		}
		if b.read == 0 {
			b.first = positions[i]
		}
		b.read, b.last = b.read+1, positions[i]
		if node != nil {
			b.nodes, b.positions = append(b.nodes, node), append(b.positions, positions[i])
		}
	}
}

// build completes the page, in the order of the list. Its cursors are those of the first and the last
// candidate.
func (b *pageBuilder[T]) build() {
	hasPrevious, hasNext, ends := b.request.After != "", b.more, []string{b.first, b.last}
	if b.request.Backward {
		slices.Reverse(b.nodes)
		slices.Reverse(b.positions)
		slices.Reverse(ends)
		hasPrevious, hasNext = b.more, b.request.Before != ""
	}
	if b.read == 0 {
		ends = nil
	}
	b.locate(hasPrevious, hasNext, ends...)
	b.members = make([]struct{}, len(b.nodes))
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// unread returns pages of the objects that the members of lists refer to, before the objects are read.
func unread[T, E any](lists []loaders.Page[E]) []candidates[T] {
	pages := make([]candidates[T], len(lists))
	for i, list := range lists {
		pages[i] = candidates[T]{Positions: list.Positions, HasNext: list.HasNext, HasPrevious: list.HasPrevious}
	}
	return pages
}

// distribute gives each page its members, and its errors. The members are those of one page after
// the other; a page has as many as positions.
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
