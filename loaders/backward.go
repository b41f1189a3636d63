package loaders

import (
	"slices"

	"twibase/hbase/tables"
)

// precede goes on backwards in the bucket that was looked up: the one that ends behind Before holds what precedes it, unless it starts there:
// then bucket 0 does.
func (s *walk[E]) precede(w Window) {
	s.round = buckets
	if len(s.known) == 0 || w.Before != "" && s.known[0].Start >= w.Before {
		s.known = beginning
	}
}

// back adds the members of the only bucket of a backward walk that is read whole.
func (s *walk[E]) back(d *tables.Decoder[E], owner string, w Window, r reply) error {
	cells, err := r.cells(0)
	if err != nil {
		return err
	}
	members, positions, _, err := d.Decode(owner, cells)
	if err != nil {
		return err
	}
	b := s.known[0]
	if len(members) == 0 && b.Number != 0 && b.Start > w.After {
		// All who were there have left: a page without a member leads nowhere.
		s.before, s.round = b.Start, lookback
		return nil
	}
	s.page.Members, s.page.Positions, s.done = members, positions, true
	// It is short at the bucket's beginning, before which there may be more in the window.
	s.page.HasPrevious = b.Number != 0 && len(members) <= w.Limit && b.Start > w.After
	return nil
}

// backtrack goes on in whichever bucket before has members, bucket 0 too.
func (s *walk[E]) backtrack(w Window) {
	first := tables.Bucket{Stop: s.before}
	if len(s.known) > 0 {
		first.Stop = s.known[0].Start
	}
	s.known = slices.DeleteFunc(append([]tables.Bucket{first}, s.known...), func(b tables.Bucket) bool { return b.Stop <= w.After })
	s.round, s.done = probe, len(s.known) == 0
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
			s.known, s.width, s.round = s.known[from+k:from+k+1], 1, buckets
			return nil
		}
	}
	s.known, s.ahead = s.known[:from], min(2*s.ahead, stretch)
	s.width, s.done = min(s.ahead, from), from == 0
	return nil
}
