package news

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
	"unique"

	"twibase/hbase/tables"
)

// moment is a time of a Poller's clock, since it began. Zero is before.
type moment time.Duration

// sighting is that a member of a row was found. There is one for each twit of each row, so it is small, and all rows share the key.
type sighting struct {
	key unique.Handle[tables.TwitKey]
	at  int64 // its time, in milliseconds
	// by is when the look began that found it, 0 if it was no news: see member. after is when the last one before began that read the row, and did
	// not; 0 if none did.
	by, after moment
}

// seen are the members of a row that were found, the oldest first.
type seen []sighting

// find returns where the sighting of a member of that time is, or would be.
func (s seen) find(key tables.TwitKey, at time.Time) (i int, there bool) {
	return slices.BinarySearchFunc(s, at.UnixMilli(), func(e sighting, at int64) int {
		if e.at != at {
			return cmp.Compare(e.at, at)
		}
		k := e.key.Value()
		return cmp.Or(strings.Compare(key.Position, k.Position), strings.Compare(key.Author, k.Author))
	})
}

// of returns the sighting of a member, the zero one if it is not known.
func (s seen) of(key tables.TwitKey) (found sighting, known bool) {
	at, _, err := key.Parts()
	if err != nil {
		return sighting{}, false
	}
	i, known := s.find(key, at)
	if known {
		found = s[i]
	}
	return found, known
}

// note adds a member, and reports whether it was not there before.
func (s *seen) note(m member, by, after moment) bool {
	i, there := s.find(m.TwitKey, m.at)
	if there {
		return false
	}
	if m.old {
		by = 0
	}
	*s = slices.Insert(*s, i, sighting{unique.Make(m.TwitKey), m.at.UnixMilli(), by, after})
	return true
}

// forget takes away what is no later than a time.
func (s *seen) forget(at time.Time) {
	until := at.UnixMilli()
	if n := sort.Search(len(*s), func(i int) bool { return (*s)[i].at > until }); n < len(*s) {
		*s = (*s)[n:]
	} else {
		*s = nil
	}
}
