package listscan

import (
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// takeEnd needs another round for a short bucket 0 only if members may be large.
func (s *Scan) takeEnd(column, beginning hbase.Result) error {
	named, err := s.directory(column)
	if err != nil {
		return err
	}
	if len(named) > 0 && (s.Before == "" || named[0].Start < s.Before) {
		s.known = named
		s.readBucket()
		return nil
	}
	s.known = []tables.Bucket{{}} // the range ends in bucket 0
	switch {
	case beginning.Err != nil:
		return beginning.Err
	case len(beginning.Cells) == HeadLimit:
		s.readBucket()
		return nil
	case s.keysFirst():
		return s.takeKeys(beginning)
	}
	return s.takeBucket(beginning)
}

// keysFirst reports whether values may be large, so that the scan reads positions first.
func (s *Scan) keysFirst() bool { return s.list.MaxMember > 0 }

func (s *Scan) readBucket() {
	if s.keysFirst() {
		s.next(backwardKeys, 1)
	} else {
		s.next(backwardBucket, 1)
	}
}

func (s *Scan) takeKeys(r hbase.Result) error {
	if r.Err != nil {
		return r.Err
	}
	if s.keys = r.Cells; len(s.keys) == 0 {
		s.skipEmpty()
	} else {
		s.next(backwardBucket, 1)
	}
	return nil
}

// endOfKeys returns the columns to read with values: the last Limit keys, and one more for
// hasPrevious. If the result reaches the page's limit, members were added since the keys were read,
// and the last members may be missing.
func (s *Scan) endOfKeys() (page hbase.Page, first int) {
	n := len(s.keys)
	first = max(0, n-s.Limit-1)
	start, stop := s.keys[first].Qualifier, hbase.Next(s.keys[n-1].Qualifier)
	return hbase.Page{Start: start, Stop: stop, Limit: n - first + s.added + 1}, first
}

func (s *Scan) takeBucket(r hbase.Result) error {
	if r.Err != nil {
		return r.Err
	}
	if len(s.keys) > 0 {
		page, first := s.endOfKeys()
		if len(r.Cells) == page.Limit {
			// Read again, with another limit, because package loaders sends equal Gets of a
			// response only once.
			s.added += page.Limit
			return nil
		}
		s.keys = s.keys[:first]
	}
	members := withoutMarkers(r.Cells)
	switch n := len(members); {
	case n == 0 && len(s.keys) > 0:
		s.next(backwardBucket, 1)
	case n == 0:
		s.skipEmpty()
	case n > s.Limit:
		s.cells, s.hasPrevious = members[n-s.Limit:], true
		s.finish()
	default:
		s.cells, s.hasPrevious = members, len(s.keys) > 0 || s.hasBefore()
		s.finish()
	}
	return nil
}

func (s *Scan) hasBefore() bool {
	b := s.last()
	return b.Number != 0 && s.hasStart(b)
}

func (s *Scan) skipEmpty() {
	switch {
	case !s.hasBefore():
		s.finish()
	case len(s.known) > 1:
		s.known = s.known[:len(s.known)-1]
		s.probe()
	default:
		s.next(backwardLookup, 1)
	}
}

// takePreceding does not probe yet, because the bucket before the empty one usually has members.
func (s *Scan) takePreceding(r hbase.Result) error {
	named, err := s.directory(r)
	if err != nil {
		return err
	}
	zero := tables.Bucket{Stop: s.last().Start}
	if len(named) > 0 {
		zero.Stop = named[0].Start
	}
	all := append([]tables.Bucket{zero}, named...)
	s.known = slices.DeleteFunc(all, func(b tables.Bucket) bool { return b.Stop <= s.from })
	if len(s.known) == 0 {
		s.finish()
	} else {
		s.readBucket()
	}
	return nil
}

func (s *Scan) takeProbes(results []hbase.Result) error {
	first := len(s.known) - len(results)
	for k := len(results) - 1; k >= 0; k-- {
		if results[k].Err != nil {
			return results[k].Err
		}
		if len(results[k].Cells) > 0 {
			s.known = s.known[:first+k+1]
			s.readBucket()
			return nil
		}
	}
	if s.known = s.known[:first]; first == 0 {
		s.finish()
		return nil
	}
	s.probe()
	return nil
}

func (s *Scan) probe() {
	s.width = min(2*s.width, MaxWidth)
	s.next(backwardProbe, min(int(s.width), len(s.known)))
}
