package loaders

import (
	"context"

	"twibase/hbase/tables"
)

// Span is the key of [List.Page]: whose list, and what of it.
type Span struct {
	Owner string
	Window
}

// Window is the part of a list to read: at most Limit members behind the position After and before the position Before, from
// the beginning or, Backward, from the end. An empty position is none.
type Window struct {
	After, Before string
	Limit         int
	Backward      bool
	// Far is whether After may be far behind the list's beginning: then the directory is read along with bucket 0.
	Far bool
}

// empty reports whether nothing can lie in the window.
func (w Window) empty() bool { return w.Before != "" && w.After >= w.Before }

// width is by how many Gets the reading begins.
func (w Window) width() int {
	if w.Backward || w.Far {
		return 2
	}
	return 1
}

// Whole is the window of a whole list, whatever its length.
var Whole = Window{Limit: 1 << 30}

// Page is a part of a list, in its order. Positions are those of the members.
type Page[E any] struct {
	Members     []E
	Positions   []string
	HasNext     bool
	HasPrevious bool
}

// cut drops the member beyond the window's limit, which was read to tell whether more follow.
func (p *Page[E]) cut(w Window) {
	more := len(p.Members) > w.Limit
	if w.Backward {
		if more {
			from := len(p.Members) - w.Limit
			p.Members, p.Positions = p.Members[from:], p.Positions[from:]
		}
		p.HasPrevious, p.HasNext = p.HasPrevious || more, w.Before != ""
		return
	}
	if more {
		p.Members, p.Positions = p.Members[:w.Limit], p.Positions[:w.Limit]
	}
	p.HasNext, p.HasPrevious = p.HasNext || more, w.After != ""
}

// List loads pages of the lists of one kind.
type List[E any] struct {
	name string
	of   *tables.List[E]
	// Length answers how long the owner's list is, for those lists that keep count.
	Length Loader[string, int]
}

func list[E any](name string, of *tables.List[E]) List[E] {
	return List[E]{name, of, Loader[string, int]{name + "Length", func(_ *memory, owner string) get { return of.Length(owner) }, func(_ *memory, _ string, cells []cell) (int, error) { return tables.DecodeCount(cells) }}}
}

// Check reports why a position, which may come from a client, can't be one in such a list.
func (l List[E]) Check(position string) error { return l.of.Check(position) }

// Page answers each span. A list of one bucket takes one round forwards and, of more than 255 members, two backwards. Forwards further
// buckets that the window reaches into take others: how many may be read at once doubles from round to round, up to [stretch], but no more
// are than are needed if they have as many members as the last ones. The first two behind a position are read together: little may be left of
// the one that it is in. A round more looks up buckets that are not known from the first. Backwards no second bucket is read once there is a
// member: the page may be short while more precede it.
func (l List[E]) Page(ctx context.Context, spans []Span) ([]Page[E], error) {
	pages, errs, d := make([]Page[E], len(spans)), failures{n: len(spans)}, l.of.Decoder()
	open, reads := make([]int, 0, len(spans)), 0
	for i := range spans {
		if !spans[i].empty() {
			open, reads = append(open, i), reads+spans[i].width()
		}
	}
	// Nearly all walks end with the first round, and before that nothing is known of them: those alone that go on are kept, side by side with open.
	var kept []walk[E]
	var beginner walk[E]
	at := func(j int) *walk[E] {
		if kept != nil {
			return &kept[j]
		}
		beginner.begin(spans[open[j]].Window)
		return &beginner
	}
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			for _, i := range open {
				errs.set(i, err)
			}
			break
		}
		var m memory
		s, j, k := at(0), 0, -1
		asked := requests(reads, func(_ int, g *get) {
			if k++; k == s.width {
				j, k = j+1, 0
				if kept == nil && s.width == 1 && spans[open[j]].Window == spans[open[j-1]].Window {
					g.Row = l.of.RowIn(&m, spans[open[j]].Owner)
					return
				}
				s = at(j)
			}
			*g = l.next(&m, spans[open[j]].Owner, s, spans[open[j]].Window, k)
		})
		answers, list := read(ctx, l.name, asked)
		left, on, first := open[:0], kept[:0], 0
		reads = 0
		for j, i := range open {
			s := at(j)
			r := reply{answers: answers[first : first+s.width]}
			if list != nil {
				r.errs = list[first : first+s.width]
			}
			first += s.width
			err := s.take(d, spans[i].Owner, spans[i].Window, r)
			if pages[i] = s.page; err != nil {
				errs.set(i, err)
			} else if !s.done {
				left, on, reads = append(left, i), append(on, *s), reads+s.width
			}
		}
		open, kept = left, on
	}
	for i := range pages {
		pages[i].cut(spans[i].Window)
	}
	return pages, errs.err()
}

// or returns e as an error that is nil if e is.
func (e Errors) or() error {
	if e == nil {
		return nil
	}
	return e
}
