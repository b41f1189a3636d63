package live

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
	"unique"

	"twibase/hbase/tables"
)

// observation records when a member of a row was found. Each recent entry of each row has one, so
// it is small: rows share the keys.
type observation struct {
	key unique.Handle[Key]
	at  int64
	// found is the start of the poll that found it, 0 for an old member. missing is the start of
	// the last poll that did not find it in the row where it was found, this one or a
	// broadcaster's; 0 is none.
	found, missing elapsed
}

// observations are sorted by time, the oldest first.
type observations []observation

func (o observations) search(key Key, at time.Time) (i int, known bool) {
	return slices.BinarySearchFunc(o, at.UnixMilli(), func(e observation, at int64) int {
		if e.at != at {
			return cmp.Compare(e.at, at)
		}
		k := e.key.Value()
		return cmp.Or(strings.Compare(key.Position, k.Position), strings.Compare(key.Owner, k.Owner))
	})
}

func (o observations) of(key Key) (found observation, known bool) {
	at, err := tables.TimeAt(key.Position)
	if err != nil {
		return observation{}, false
	}
	i, known := o.search(key, at)
	if known {
		found = o[i]
	}
	return found, known
}

// add returns false if m is known.
func (o *observations) add(m member, found, missing elapsed) bool {
	i, known := o.search(m.Key, m.at)
	if known {
		return false
	}
	if m.old {
		found = 0
	}
	*o = slices.Insert(*o, i, observation{unique.Make(m.Key), m.at.UnixMilli(), found, missing})
	return true
}

func (o *observations) forget(at time.Time) {
	until := at.UnixMilli()
	if n := sort.Search(len(*o), func(i int) bool { return (*o)[i].at > until }); n < len(*o) {
		*o = (*o)[n:]
	} else {
		*o = nil
	}
}

// MaxReordering bounds the age difference of two entries that arrive in the wrong order: the
// maximum lag of a fan-out, and twice the maximum clock skew.
const MaxReordering = maxLag + 2*MaxClockSkew

// MayHaveMissed reports whether a subscriber of any gateway that received one entry may lack an
// older one. It returns false if the older entry was found more than certainOrder earlier: then
// every gateway finds it earlier, or both in the same poll.
func (s *Subscription) MayHaveMissed(older, received Key) bool {
	at, err := tables.TimeAt(older.Position)
	since, receivedErr := tables.TimeAt(received.Position)
	if err != nil || receivedErr != nil || since.Sub(at) > MaxReordering {
		return false
	}
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	first, known := s.row.seen.of(older)
	second, _ := s.row.seen.of(received)
	return !known || first.found != 0 && first.found+elapsed(certainOrder) > second.missing
}

// Delivers reports whether the subscription surely delivers an entry of the row. That is true if
//   - a poll after the one with which it joined found the entry, or
//   - no poll has found it yet, and it is later than the floor.
//
// Otherwise it may still deliver the entry: the poll with which it joined delivers entries that are
// not older than the call of Subscribe.
func (s *Subscription) Delivers(key Key) bool {
	at, err := tables.TimeAt(key.Position)
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if o, known := s.row.seen.of(key); known {
		return o.found > s.joined
	}
	return err == nil && at.After(s.row.floor)
}
