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

// observation records when a member of a row was found. It must be small: a row has one for each
// recent entry. Rows share the keys.
type observation struct {
	key   unique.Handle[Key]
	at    int64
	found elapsed // the start of the poll that found the member, 0 if the member is old
	// missing is the start of the last poll that read the member's row (this row, or a
	// broadcaster's) without it, 0 if there was none.
	missing elapsed
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

// MaxReordering bounds the age difference of two entries that arrive in the wrong order.
const MaxReordering = maxLag + 2*MaxClockSkew

// MayHaveMissed reports whether a subscriber that has received one entry, from any gateway, may
// lack an older one. It returns false if a follow copied the older entry, or if one poll found the
// older entry, and another, which started at least certainOrder later, had not yet found the
// received one: see docs/SUBSCRIPTIONS.md.
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

// Delivers reports whether the subscription is certain to deliver an entry of the row: either a
// poll after the subscription had joined found the entry, or a later poll will find it. Otherwise,
// the joining poll may have delivered it.
func (s *Subscription) Delivers(key Key) bool {
	at, err := tables.TimeAt(key.Position)
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if o, known := s.row.seen.of(key); known {
		return o.found > s.joined
	}
	if err != nil || !s.row.willFind(key, at) {
		return false
	}
	author := s.poller.rows[rowName{Posts, key.Owner}]
	return s.row.kind != Timeline || author == nil || !author.broadcast || author.willFind(key, at)
}

// willFind reports whether an entry of the row is certain to be new to a later poll.
func (r *row) willFind(key Key, at time.Time) bool {
	_, known := r.seen.of(key)
	return r.read && !known && at.After(r.floor)
}
