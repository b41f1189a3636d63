package loaders

import (
	"cmp"
	"slices"
	"sort"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// How many buckets of a directory are looked up at a time: a page that is far behind the beginning needs its own, and mostly the next.
const (
	far     = 2
	stretch = 32
)

// walk is where the reading of one owner's list has got to. A round is either of its directory or of buckets.
type walk[E any] struct {
	page    Page[E]
	known   []tables.Bucket // those that are to be read, ascending: a stretch of the directory
	width   int             // how many reads the next round takes
	looking bool            // whether that is of the directory
	stop    string          // of the bucket that was read last
	ahead   int             // how many times as many buckets a round reads as it should need
	before  string          // the beginning of a bucket of which a backward walk found that all members left
	probing bool            // whether a backward walk looks for the last bucket that has members
	done    bool
}

// beginning is all that is known of a directory before it was looked at.
var beginning = []tables.Bucket{{}}

func (s *walk[E]) begin(w Window) {
	s.known, s.width, s.looking, s.ahead = beginning, 1, w.Backward, 1
	if w.Far && !w.Backward {
		s.width = 2
	}
}

// next returns the k-th of the reads that bring a walk on.
func (l List[E]) next(m *memory, owner string, s *walk[E], w Window, k int) hbase.Get {
	switch {
	case s.looking && s.before != "":
		return l.of.DirectoryTo(owner, s.before)
	case s.looking && w.Backward:
		return l.of.Directory(owner, w.Before, 1)
	case s.looking:
		return l.of.Directory(owner, hbase.Next(max(s.position(w), s.stop)), stretch)
	case k == len(s.known):
		return l.of.Directory(owner, hbase.Next(w.After), far)
	}
	if w.Backward {
		k += len(s.known) - s.width
	}
	b, p := s.known[k], hbase.Page{}
	if at := s.position(w); at != "" {
		p.Start = hbase.Next(at)
	}
	if w.Backward {
		if p.Stop = cmp.Or(b.Stop, tables.MembersEnd); w.Before != "" {
			p.Stop = min(p.Stop, w.Before)
		}
		if s.probing {
			p.Limit = 1
		}
		return l.of.GetIn(m, owner, b.Number, p)
	}
	if b.Number != 0 {
		p.Stop = cmp.Or(b.Stop, tables.MembersEnd) // what is behind it may have moved
	}
	p.Limit = w.Limit + 1 - len(s.page.Members)
	return l.of.GetIn(m, owner, b.Number, p)
}

// position is the last one behind which a forward walk has read.
func (s *walk[E]) position(w Window) string {
	if n := len(s.page.Positions); n > 0 {
		return s.page.Positions[n-1]
	}
	return w.After
}

// take adds what a round brought, and decides how to go on.
func (l List[E]) take(d *tables.Decoder[E], owner string, s *walk[E], w Window, answers []*answer) error {
	switch {
	case s.looking:
		_, _, buckets, err := d.Decode(owner, answers[0].cells())
		if err != nil {
			return err
		}
		if s.known = buckets; w.Backward {
			s.precede(w)
		} else {
			s.enter(w, false)
		}
		return nil
	case s.probing:
		s.probe(answers)
		return nil
	case w.Backward:
		return s.back(d, owner, w, answers[0].cells())
	}
	found, more, moved, read := len(s.page.Members), true, false, s.known[:min(len(answers), len(s.known))]
	s.known = s.known[len(read):]
	for k, b := range read {
		cells := answers[k].cells()
		if b.Number == 0 {
			full := len(cells) >= answers[k].shape.get.Page.Limit
			cells, moved = tables.Beginning(cells)
			more = full || moved
		}
		if err := s.add(d, owner, w, b, cells); err != nil || s.done {
			return err
		}
	}
	if len(answers) > len(read) && !moved {
		_, _, buckets, err := d.Decode(owner, answers[len(read)].cells())
		if err != nil {
			return err
		}
		s.known, more = buckets, len(buckets) == far
	}
	if len(s.page.Members) > found {
		s.ahead = 1
	} else if read[0].Number != 0 || w.After == "" {
		s.ahead = min(2*s.ahead, stretch) // all who were there have left
	}
	s.enter(w, more)
	return nil
}

// add adds the members of a bucket, and what bucket 0 tells of the directory.
func (s *walk[E]) add(d *tables.Decoder[E], owner string, w Window, b tables.Bucket, cells []hbase.Cell) error {
	// The member beyond the limit says no more than that it is there. The directory, which sorts behind all members, says more.
	if room := w.Limit - len(s.page.Members); w.Before == "" && len(cells) > room && cells[room].Qualifier < tables.MembersEnd {
		cells, s.page.HasNext, s.done = cells[:room], true, true
	}
	members, positions, buckets, err := d.Decode(owner, cells)
	if err != nil {
		return err
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
	if b.Number == 0 {
		s.known = buckets
	}
	s.stop = b.Stop
	s.done = s.done || len(s.page.Members) > w.Limit || b.Number != 0 && b.Stop == ""
	return nil
}

// enter goes on in the sealed buckets that cover what follows. If the known stretch of the directory does not tell them, they are looked
// up, given that there is more of it.
func (s *walk[E]) enter(w Window, more bool) {
	position := max(s.position(w), s.stop)
	for len(s.known) > 0 && s.known[0].Stop != "" && s.known[0].Stop <= position {
		s.known = s.known[1:]
	}
	n, width := len(s.known), 1
	if n > 0 && s.known[0].Start <= s.position(w) {
		width = 2 // there may be little behind the position
	}
	width = min(width*s.ahead, stretch)
	if s.looking = more && (n == 0 || n < width && s.known[n-1].Stop != ""); s.looking {
		s.width = 1
	} else {
		s.width, s.done = min(width, n), n == 0
	}
}

// precede goes on backwards in the bucket that was looked up: the one that ends behind Before holds what precedes it, unless it starts there:
// then bucket 0 does. Once that had no members it goes on in any of those before.
func (s *walk[E]) precede(w Window) {
	s.looking = false
	if s.before == "" {
		if len(s.known) == 0 || w.Before != "" && s.known[0].Start >= w.Before {
			s.known = beginning
		}
		return
	}
	first := tables.Bucket{Stop: s.before}
	if len(s.known) > 0 {
		first.Stop = s.known[0].Start
	}
	s.known = slices.DeleteFunc(append([]tables.Bucket{first}, s.known...), func(b tables.Bucket) bool { return b.Stop <= w.After })
	s.probing, s.done = true, len(s.known) == 0
}

// probe looks for the last bucket that has members. The others are passed over without being read whole.
func (s *walk[E]) probe(answers []*answer) {
	from := len(s.known) - s.width
	for k := len(answers) - 1; k >= 0; k-- {
		if len(answers[k].cells()) > 0 {
			s.known, s.width, s.probing = s.known[from+k:from+k+1], 1, false
			return
		}
	}
	s.known, s.ahead = s.known[:from], min(2*s.ahead, stretch)
	s.width, s.done = min(s.ahead, from), from == 0
}

// back adds the members of the only bucket of a backward walk that is read.
func (s *walk[E]) back(d *tables.Decoder[E], owner string, w Window, cells []hbase.Cell) error {
	members, positions, _, err := d.Decode(owner, cells)
	if err != nil {
		return err
	}
	b := s.known[0]
	if len(members) == 0 && b.Number != 0 && b.Start > w.After {
		// All who were there have left: a page without a member leads nowhere.
		s.before, s.looking = b.Start, true
		return nil
	}
	s.page.Members, s.page.Positions, s.done = members, positions, true
	// It is short at the bucket's beginning, before which there may be more in the window.
	s.page.HasPrevious = b.Number != 0 && len(members) <= w.Limit && b.Start > w.After
	return nil
}
