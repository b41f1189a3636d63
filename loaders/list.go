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
	walks, open := make([]walk[E], len(spans)), make([]int, 0, len(spans))
	for i := range walks {
		if walks[i].begin(spans[i].Window); !spans[i].empty() {
			open = append(open, i)
		}
	}
	errs, d := failures{n: len(spans)}, l.of.Decoder()
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			for _, i := range open {
				errs.set(i, err)
			}
			break
		}
		var m memory
		reads := 0
		for _, i := range open {
			reads += walks[i].width
		}
		at, k := 0, -1
		asked := requests(reads, func(int) get {
			if k++; k == walks[open[at]].width {
				at, k = at+1, 0
			}
			i := open[at]
			return l.next(&m, spans[i].Owner, &walks[i], spans[i].Window, k)
		})
		answers, list := read(ctx, l.name, asked)
		left, first := open[:0], 0
		for _, i := range open {
			s, r := &walks[i], reply{answers: answers[first : first+walks[i].width]}
			if list != nil {
				r.errs = list[first : first+s.width]
			}
			first += s.width
			if err := s.take(d, spans[i].Owner, spans[i].Window, r); err != nil {
				errs.set(i, err)
			} else if !s.done {
				left = append(left, i)
			}
		}
		open = left
	}
	pages := make([]Page[E], len(spans))
	for i := range walks {
		pages[i] = walks[i].page
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
