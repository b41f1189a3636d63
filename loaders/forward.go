package loaders

import (
	"sort"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// forth adds the members of buckets.
func (s *walk[E]) forth(d *tables.Decoder[E], owner string, w Window, r reply) (err error) {
	read := s.known[:min(len(r.answers), len(s.known))]
	s.known, s.whole, s.met = s.known[len(read):], 0, 0
	more, moved := true, false // whether the directory may tell of more, and whether who follows is known to have moved
	for k, b := range read {
		cells, err := r.cells(k)
		if err != nil {
			return err
		}
		if b.Number == 0 {
			more = len(cells) >= r.answers[k].shape.get.Page.Limit
			cells, moved = tables.Beginning(cells)
		}
		found := len(s.page.Members)
		known, err := s.add(d, owner, w, cells)
		if w.After == "" || b.Start > w.After {
			s.whole, s.met = s.whole+1, s.met+len(s.page.Members)-found
		}
		if s.done = s.done || b.Number != 0 && b.Stop == ""; err != nil || s.done {
			return err
		}
		if s.stop = b.Stop; b.Number == 0 {
			s.known, more = known, more || moved
		}
	}
	// The directory beside bucket 0 may have been read before this was cut.
	if len(r.answers) > len(read) && !moved {
		if s.known, err = directory(d, owner, r, len(read)); err != nil {
			return err
		}
		more = len(s.known) == far // fewer are the last
	}
	if s.whole > 0 {
		s.ahead = min(2*s.ahead, stretch)
	}
	s.enter(w, more)
	return nil
}

// add adds the members among the cells of a bucket, and returns what they tell of the directory.
func (s *walk[E]) add(d *tables.Decoder[E], owner string, w Window, cells []hbase.Cell) ([]tables.Bucket, error) {
	// The member beyond the limit says no more than that it is there. The directory, which sorts behind all members, says more.
	if room := w.Limit - len(s.page.Members); w.Before == "" && len(cells) > room && cells[room].Qualifier < tables.MembersEnd {
		cells, s.page.HasNext, s.done = cells[:room], true, true
	}
	members, positions, known, err := d.Decode(owner, cells)
	if err != nil {
		return nil, err
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
	s.done = s.done || len(s.page.Members) > w.Limit
	return known, nil
}

// enter goes on in the sealed buckets that cover what follows. How many may be read at once doubles from round to round, but no more are read than
// the page takes if they have as many members as those of the last round that were read whole. Those that are not known are looked up, given
// that there are more.
func (s *walk[E]) enter(w Window, more bool) {
	position := max(s.position(w), s.stop)
	for len(s.known) > 0 && s.known[0].Stop != "" && s.known[0].Stop <= position {
		s.known = s.known[1:]
	}
	if w.Before != "" {
		known := len(s.known)
		s.known = s.known[:sort.Search(known, func(i int) bool { return s.known[i].Start >= w.Before })]
		more = more && len(s.known) == known && position < w.Before
	}
	n, least, width := len(s.known), 1, s.ahead
	if s.met > 0 {
		missing := w.Limit + 1 - len(s.page.Members)
		width = min(width, (missing*s.whole+s.met-1)/s.met)
	}
	if n > 0 && s.known[0].Start <= s.position(w) {
		least, width = 2, min(width+1, stretch) // there may be little behind the position
	}
	if more && n < least && (n == 0 || s.known[0].Stop != "") {
		s.round, s.width = lookup, 1
	} else {
		s.round, s.width, s.done = buckets, min(width, n), n == 0
	}
}
