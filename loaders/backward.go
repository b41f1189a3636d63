package loaders

import (
	"slices"

	"twibase/hbase/tables"
)

// precede goes on backwards in the bucket that was looked up: the one that ends behind Before holds what precedes it, unless it starts there:
// then bucket 0 does, of which the beginning was read, too.
func (s *walk[E]) precede(d *tables.Decoder[E], owner string, w Window, r reply) error {
	s.round, s.width = buckets, 1
	if len(s.known) > 0 && (w.Before == "" || s.known[0].Start < w.Before) {
		return nil
	}
	s.known = beginning
	if cells, err := r.cells(1); err != nil || len(cells) == near {
		return err
	}
	return s.back(d, owner, w, r, 1)
}

// back adds the members of the only bucket of a backward walk that is read whole.
func (s *walk[E]) back(d *tables.Decoder[E], owner string, w Window, r reply, k int) error {
	cells, err := r.cells(k)
	if err != nil {
		return err
	}
	members, positions, _, err := d.Decode(owner, cells)
	if err != nil {
		return err
	}
	b := s.known[0]
	if len(members) == 0 && b.Number != 0 && b.Start > w.After {
		// Who was there has left: a page without a member leads nowhere.
		s.before, s.round = b.Start, lookback
		if len(s.rest) > 0 {
			s.search()
		}
		return nil
	}
	s.page.Members, s.page.Positions, s.done = members, positions, true
	// It is short at the bucket's beginning, before which there may be more in the window.
	s.page.HasPrevious = b.Number != 0 && len(members) <= w.Limit && b.Start > w.After
	return nil
}

// backtrack goes on in the bucket before, bucket 0 too. Mostly it has members: there was nobody in a part of the one behind it.
func (s *walk[E]) backtrack(w Window) {
	first := tables.Bucket{Stop: s.before}
	if len(s.known) > 0 {
		first.Stop = s.known[0].Start
	}
	s.known = slices.DeleteFunc(append([]tables.Bucket{first}, s.known...), func(b tables.Bucket) bool { return b.Stop <= w.After })
	if s.done = len(s.known) == 0; !s.done {
		last := len(s.known) - 1
		s.round, s.rest, s.known = buckets, s.known[:last], s.known[last:]
	}
}

// search goes on in whichever of the rest has members.
func (s *walk[E]) search() {
	s.round, s.known = probe, s.rest
	s.ahead = min(2*s.ahead, stretch)
	s.width = min(s.ahead, len(s.known))
}

// probed finds the last bucket that has members. The others are passed over without being read whole.
func (s *walk[E]) probed(r reply) error {
	from := len(s.known) - s.width
	for k := len(r.answers) - 1; k >= 0; k-- {
		cells, err := r.cells(k)
		if err != nil {
			return err
		}
		if len(cells) > 0 {
			s.rest, s.known, s.width, s.round = s.known[:from+k], s.known[from+k:from+k+1], 1, buckets
			return nil
		}
	}
	if s.rest, s.done = s.known[:from], from == 0; !s.done {
		s.search()
	}
	return nil
}
