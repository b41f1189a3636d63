package listscan

import (
	"slices"
	"sort"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (s *Scan) takeFirst(results []hbase.Result) error {
	if results[0].Err != nil {
		return results[0].Err
	}
	cells := results[0].Cells
	allKnown := len(cells) < s.limit() // a short page has the whole directory
	members, directory := split(cells)
	marker := slices.IndexFunc(members, tables.Moved)
	if marker >= 0 {
		members = members[:marker:marker] // named buckets cover the members after the marker
	}
	ended := s.add(members)
	if max(s.After, s.From) == "" { // the page starts with bucket 0
		s.width = 2
		s.estimate(1, len(s.cells))
	}
	if ended {
		s.finish()
		return nil
	}
	var err error
	if len(results) > 1 && marker < 0 {
		s.known, err = s.directory(results[1])
		allKnown = len(s.known) < FarLookup
	} else {
		// The page's directory columns are as new as its marker. Those of the other Get may be
		// older than the split.
		s.known, err = s.list.DecodeDirectory(s.owner, directory)
	}
	if err != nil {
		return err
	}
	s.advance(allKnown)
	return nil
}

func (s *Scan) takeLookup(r hbase.Result) (err error) {
	if s.known, err = s.directory(r); err != nil {
		return err
	}
	s.advance(true)
	return nil
}

func (s *Scan) takeBuckets(results []hbase.Result) error {
	read := s.known[:len(results)]
	s.known = s.known[len(results):]
	whole, found := 0, 0 // buckets that start in the range, and their members
	for k, b := range read {
		if results[k].Err != nil {
			return results[k].Err
		}
		had := len(s.cells)
		ended := s.add(results[k].Cells)
		if ended || b.Stop == "" {
			s.finish()
			return nil
		}
		if s.hasStart(b) {
			whole, found = whole+1, found+len(s.cells)-had
		}
		s.from = b.Stop
	}
	if whole > 0 {
		s.width = min(2*s.width, MaxWidth)
	}
	s.estimate(whole, found)
	s.advance(false)
	return nil
}

// estimate sets s.fill from buckets that were read from their start.
func (s *Scan) estimate(buckets, members int) {
	if s.fill = MaxWidth; members > 0 {
		s.fill = uint8(min(((s.room()+1)*buckets+members-1)/members, MaxWidth))
	}
}

// add returns ended = true if a member was beyond the page or the range.
func (s *Scan) add(members []hbase.Cell) (ended bool) {
	if s.Before != "" {
		n := len(members)
		members = before(members, s.Before)
		ended = len(members) < n
	}
	if room := s.room(); len(members) > room {
		members, s.hasNext, ended = members[:room:room], true, true
	}
	if s.cells == nil {
		s.cells = members
	} else {
		s.cells = append(s.cells, members...)
	}
	return ended
}

// advance chooses the next round. enough means that it needs no lookup: s.known has the next
// buckets, or no buckets follow.
func (s *Scan) advance(enough bool) {
	if enough && len(s.known) == 0 { // most lists: skipRead would allocate
		s.finish()
		return
	}
	s.skipRead()
	enough = enough || s.covered()
	s.trimKnown()
	needed, width := 1, int(min(s.width, s.fill)) // buckets
	if len(s.known) > 0 && s.known[0].Start < s.from {
		// The first bucket is read from its middle, so the next bucket joins the round.
		needed, width = 2, min(width+1, MaxWidth)
	}
	switch {
	case !enough && len(s.known) < needed:
		s.next(forwardLookup, 1)
	case len(s.known) == 0:
		s.finish()
	default:
		s.next(forwardBuckets, min(width, len(s.known)))
	}
}

func (s *Scan) skipRead() {
	if n := len(s.cells); n > 0 {
		s.from = max(s.from, hbase.Next(s.cells[n-1].Qualifier))
	}
	for len(s.known) > 0 && s.known[0].Stop != "" && s.known[0].Stop <= s.from {
		s.known = s.known[1:]
	}
}

// covered reports whether the known buckets reach the end of the range.
func (s *Scan) covered() bool {
	if len(s.known) == 0 {
		return s.Before != "" && s.from >= s.Before
	}
	stop := s.known[len(s.known)-1].Stop
	return stop == "" || s.Before != "" && stop >= s.Before
}

// trimKnown drops buckets after the range.
func (s *Scan) trimKnown() {
	if s.Before != "" {
		s.known = s.known[:sort.Search(len(s.known), func(i int) bool { return s.known[i].Start >= s.Before })]
	}
}
