package listscan

import (
	"slices"
	"sort"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// takeFirst continues after bucket 0.
func (s *Scan) takeFirst(results []hbase.Result) error {
	if results[0].Err != nil {
		return results[0].Err
	}
	cells := results[0].Cells
	// A short page has reached the end of the row, and has the whole directory.
	complete := len(cells) < s.columns()
	members, columns := split(cells)
	marker := slices.IndexFunc(members, tables.Moved)
	if marker >= 0 {
		members = members[:marker:marker] // what follows is read where it is now
	}
	full := s.add(members)
	if max(s.After, s.From) == "" {
		s.whole, s.found, s.width = 1, int32(len(s.cells)), 2
	}
	if full {
		s.finish()
		return nil
	}
	var err error
	if len(results) > 1 && marker < 0 {
		s.known, err = s.directory(results[1])
		complete = len(s.known) < FarLookup
	} else {
		// With a marker, the directory that was read beside bucket 0 may be older than the split.
		s.known, err = s.list.DecodeDirectory(s.owner, columns)
	}
	if err != nil {
		return err
	}
	s.advance(complete)
	return nil
}

// takeLookup continues after the directory.
func (s *Scan) takeLookup(r hbase.Result) (err error) {
	if s.known, err = s.directory(r); err != nil {
		return err
	}
	s.advance(true)
	return nil
}

// takeBuckets continues after sealed buckets.
func (s *Scan) takeBuckets(results []hbase.Result) error {
	read := s.known[:len(results)]
	s.known, s.whole, s.found = s.known[len(results):], 0, 0
	for k, b := range read {
		if results[k].Err != nil {
			return results[k].Err
		}
		had := len(s.cells)
		full := s.add(results[k].Cells)
		if full || b.Stop == "" {
			s.finish()
			return nil
		}
		if s.covers(b) {
			s.whole, s.found = s.whole+1, s.found+int32(len(s.cells)-had)
		}
		s.from = b.Stop
	}
	if s.whole > 0 {
		s.width = min(2*s.width, MaxWidth)
	}
	s.advance(false)
	return nil
}

// add adds members to the page, and reports whether that ends the scan.
func (s *Scan) add(members []hbase.Cell) (full bool) {
	if s.Before != "" {
		n := len(members)
		members = before(members, s.Before)
		full = len(members) < n
	}
	if room := s.room(); len(members) > room {
		members, s.hasNext, full = members[:room:room], true, true
	}
	if s.cells == nil {
		s.cells = members
	} else {
		s.cells = append(s.cells, members...)
	}
	return full
}

// advance chooses the next round of a forward scan. complete says that no bucket follows those that
// are known.
func (s *Scan) advance(complete bool) {
	if complete && len(s.known) == 0 {
		s.finish()
		return
	}
	if n := len(s.cells); n > 0 {
		s.from = max(s.from, hbase.Next(s.cells[n-1].Qualifier))
	}
	for len(s.known) > 0 && s.known[0].Stop != "" && s.known[0].Stop <= s.from {
		s.known = s.known[1:]
	}
	if s.Before != "" {
		n := len(s.known)
		s.known = s.known[:sort.Search(n, func(i int) bool { return s.known[i].Start >= s.Before })]
		complete = complete || len(s.known) < n || s.from >= s.Before
	}
	least, width := 1, int(s.width)
	if found := int(s.found); found > 0 {
		// No more than fill the page if they are as full as those before.
		width = min(width, ((s.room()+1)*int(s.whole)+found-1)/found)
	}
	if len(s.known) > 0 && s.known[0].Start < s.from {
		// The position is inside the first bucket, of which little may be left.
		least, width = 2, min(width+1, MaxWidth)
	}
	switch {
	case !complete && len(s.known) < least && (len(s.known) == 0 || s.known[0].Stop != ""):
		s.next(forwardLookup, 1)
	case len(s.known) == 0:
		s.finish()
	default:
		s.next(forwardBuckets, min(width, len(s.known)))
	}
}
