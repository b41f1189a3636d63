package loaders

import (
	"cmp"
	"context"
	"sort"

	"twibase/hbase"
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

// walk is where the reading of one owner's list has got to.
type walk[E any] struct {
	page    Page[E]
	bucket  uint32
	stop    string          // of a sealed bucket
	start   string          // of the one that a backward walk is in
	before  string          // where a backward walk goes on, if not at the window's end
	known   []tables.Bucket // a stretch of the directory, ascending
	looking bool            // whether the next read is of the directory
	done    bool
}

// Page answers each span. A list of one bucket takes one round forwards and two backwards; each further bucket
// that the window reaches into takes another. Backwards no second bucket is read once there is a member: the page may be short while
// more precede it.
func (l List[E]) Page(ctx context.Context, spans []Span) ([]Page[E], error) {
	walks, open := make([]walk[E], len(spans)), make([]int, 0, len(spans))
	for i := range walks {
		if walks[i].looking = spans[i].Backward; !spans[i].empty() {
			open = append(open, i)
		}
	}
	errs, d := failures{n: len(spans)}, l.of.Decoder()
	for len(open) > 0 {
		var m memory
		asked := requests(len(open), func(j int) get { return l.next(&m, spans[open[j]].Owner, &walks[open[j]], spans[open[j]].Window) })
		answers, list := read(ctx, l.name, asked)
		left := open[:0]
		for j, i := range open {
			err := At(list.or(), j)
			if err == nil {
				err = l.take(d, spans[i].Owner, &walks[i], spans[i].Window, asked[j].shape.get.Page, answers[j].cells())
			}
			if err != nil {
				errs.set(i, err)
			} else if !walks[i].done {
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

// next returns the read that brings a walk on.
func (l List[E]) next(m *memory, owner string, s *walk[E], w Window) hbase.Get {
	if s.looking {
		if w.Backward {
			return l.of.Directory(owner, cmp.Or(s.before, w.Before))
		}
		return l.of.Directory(owner, hbase.Next(max(s.position(w), s.stop)))
	}
	p := hbase.Page{Start: hbase.Next(s.position(w))}
	if s.position(w) == "" {
		p.Start = ""
	}
	if w.Backward {
		p.Stop = cmp.Or(s.before, w.Before, s.stop, tables.MembersEnd)
		return l.of.GetIn(m, owner, s.bucket, p)
	}
	if s.bucket != 0 {
		p.Stop = cmp.Or(s.stop, tables.MembersEnd) // what is behind it may have moved
	}
	p.Limit = w.Limit + 1 - len(s.page.Members)
	return l.of.GetIn(m, owner, s.bucket, p)
}

// position is the last one behind which a forward walk has read.
func (s *walk[E]) position(w Window) string {
	if n := len(s.page.Positions); n > 0 {
		return s.page.Positions[n-1]
	}
	return w.After
}

// take adds what a read brought, and decides how to go on.
func (l List[E]) take(d *tables.Decoder[E], owner string, s *walk[E], w Window, asked hbase.Page, cells []hbase.Cell) error {
	more := asked.Limit > 0 && len(cells) >= asked.Limit
	if !s.looking && !w.Backward && s.bucket == 0 {
		var moved bool
		cells, moved = tables.Beginning(cells)
		more = more || moved
	}
	// The member beyond the limit says no more than that it is there. The directory, which sorts behind all members, says more.
	if room := w.Limit - len(s.page.Members); !s.looking && !w.Backward && w.Before == "" && len(cells) > room && cells[room].Qualifier < tables.MembersEnd {
		cells, s.page.HasNext, s.done = cells[:room], true, true
	}
	members, positions, buckets, err := d.Decode(owner, cells)
	if err != nil {
		return err
	}
	if s.looking {
		s.looking = false
		if w.Backward {
			// The bucket that ends behind Before holds what precedes it, unless it starts there: then bucket 0 does.
			s.bucket, s.stop, s.start = 0, "", ""
			if before := cmp.Or(s.before, w.Before); len(buckets) > 0 && (before == "" || buckets[0].Start < before) {
				s.bucket, s.stop, s.start = buckets[0].Number, buckets[0].Stop, buckets[0].Start
			}
			return nil
		}
		s.known = buckets
		s.enter(w, false)
		return nil
	}
	if w.Backward {
		if len(members) == 0 && s.bucket != 0 && s.start > w.After {
			// All who were there have left: a page without a member leads nowhere.
			s.before, s.looking = s.start, true
			return nil
		}
		s.page.Members, s.page.Positions, s.done = members, positions, true
		s.page.HasPrevious = s.bucket != 0 && len(members) <= w.Limit && (w.After == "" || asked.Start == "")
		return nil
	}
	if w.Before != "" {
		if end := sort.SearchStrings(positions, w.Before); end < len(positions) {
			members, positions, s.done = members[:end], positions[:end], true
		}
	}
	if s.page.Members == nil {
		s.page.Members, s.page.Positions = members, positions
	} else {
		s.page.Members, s.page.Positions = append(s.page.Members, members...), append(s.page.Positions, positions...)
	}
	if s.done = s.done || len(s.page.Members) > w.Limit; s.done {
		return nil
	}
	if s.bucket == 0 {
		s.known = buckets
		s.enter(w, more)
		return nil
	}
	if s.stop == "" {
		s.done = true
		return nil
	}
	s.enter(w, true)
	return nil
}

// enter goes on in the sealed bucket that covers what follows. If the known stretch of the directory does not tell which, it is
// looked up, given that there is more of it.
func (s *walk[E]) enter(w Window, more bool) {
	position := max(s.position(w), s.stop)
	for i, b := range s.known {
		if b.Stop == "" || b.Stop > position {
			s.bucket, s.stop, s.known = b.Number, b.Stop, s.known[i+1:]
			return
		}
	}
	s.known, s.looking, s.done = nil, more, !more
}
