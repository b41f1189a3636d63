package listscan

import (
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// takeEnd takes the results of backwardFirst: the directory column of the range's last bucket, if
// that is sealed, and the beginning of bucket 0. A short bucket 0 needs no other round.
func (s *Scan) takeEnd(column, beginning hbase.Result) error {
	var err error
	if s.known, err = s.directory(column); err != nil {
		return err
	}
	s.next(backwardBucket, 1)
	if len(s.known) > 0 && (s.Before == "" || s.known[0].Start < s.Before) {
		return nil
	}
	s.known = []tables.Bucket{{}}
	if beginning.Err != nil || len(beginning.Cells) == HeadLimit {
		return beginning.Err
	}
	return s.takeBucket(beginning)
}

// takeBucket takes the page from the last known bucket, unless that is empty.
func (s *Scan) takeBucket(r hbase.Result) error {
	if r.Err != nil {
		return r.Err
	}
	members, b := withoutMarkers(r.Cells), s.last()
	more := b.Number != 0 && s.hasStart(b) // buckets before this one are in the range
	switch n := len(members); {
	case n == 0 && more && len(s.known) > 1:
		s.known = s.known[:len(s.known)-1]
		s.probe()
	case n == 0 && more:
		s.next(backwardLookup, 1)
	case n > s.Limit:
		s.cells, s.hasPrevious = members[n-s.Limit:], true
		s.finish()
	default:
		s.cells, s.hasPrevious = members, more
		s.finish()
	}
	return nil
}

// takePreceding takes the directory before an empty bucket, and continues in the bucket before it.
// It does not probe yet: usually that bucket has members, and the empty one was only read up to
// Before.
func (s *Scan) takePreceding(r hbase.Result) error {
	sealed, err := s.directory(r)
	if err != nil {
		return err
	}
	zero := tables.Bucket{Stop: s.last().Start}
	if len(sealed) > 0 {
		zero.Stop = sealed[0].Start
	}
	all := append([]tables.Bucket{zero}, sealed...)
	s.known = slices.DeleteFunc(all, func(b tables.Bucket) bool { return b.Stop <= s.from })
	if s.next(backwardBucket, 1); len(s.known) == 0 {
		s.finish()
	}
	return nil
}

// takeProbes continues in the last of the probed buckets that is not empty.
func (s *Scan) takeProbes(results []hbase.Result) error {
	first := len(s.known) - len(results)
	for k := len(results) - 1; k >= 0; k-- {
		if results[k].Err != nil {
			return results[k].Err
		}
		if len(results[k].Cells) > 0 {
			s.known = s.known[:first+k+1]
			s.next(backwardBucket, 1)
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

// probe reads a column each of the last known buckets, twice the number of the last probe.
func (s *Scan) probe() {
	s.width = min(2*s.width, MaxWidth)
	s.next(backwardProbe, min(int(s.width), len(s.known)))
}
