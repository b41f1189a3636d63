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

// observation says when a member of a row was found. There is one for each recent twit of each row,
// so it is small: the rows share the keys.
type observation struct {
	key unique.Handle[tables.TwitKey]
	at  int64 // the time of the twit, in milliseconds
	// found is when the poll started that found it, 0 if it was not new: see member. missing is
	// when the last poll before that started that read the row, 0 if none did.
	found, missing elapsed
}

// observations are the members of a row that were found, the oldest first.
type observations []observation

// search returns the index where the observation of a twit is, or would be.
func (o observations) search(key tables.TwitKey, at time.Time) (i int, known bool) {
	return slices.BinarySearchFunc(o, at.UnixMilli(), func(e observation, at int64) int {
		if e.at != at {
			return cmp.Compare(e.at, at)
		}
		k := e.key.Value()
		return cmp.Or(strings.Compare(key.Position, k.Position), strings.Compare(key.Author, k.Author))
	})
}

// of returns the observation of a twit.
func (o observations) of(key tables.TwitKey) (found observation, known bool) {
	at, _, err := key.Parts()
	if err != nil {
		return observation{}, false
	}
	i, known := o.search(key, at)
	if known {
		found = o[i]
	}
	return found, known
}

// add adds a member, and reports whether it was not known.
func (o *observations) add(m member, found, missing elapsed) bool {
	i, known := o.search(m.TwitKey, m.at)
	if known {
		return false
	}
	if m.old {
		found = 0
	}
	*o = slices.Insert(*o, i, observation{unique.Make(m.TwitKey), m.at.UnixMilli(), found, missing})
	return true
}

// forget removes the observations of twits that are not later than a time.
func (o *observations) forget(at time.Time) {
	until := at.UnixMilli()
	if n := sort.Search(len(*o), func(i int) bool { return (*o)[i].at > until }); n < len(*o) {
		*o = (*o)[n:]
	} else {
		*o = nil
	}
}

// Window is the maximum age difference of two twits that arrive in the wrong order: the maximum lag
// of a fan-out, and the difference of the clocks of two gateways.
const Window = maxLag + 2*maxClockSkew

// MayHaveMissed reports whether a subscriber who has received a twit may have missed an older one,
// through any gateway. It cannot have if the older one was in the store well before the other: then
// every gateway finds the older one earlier, or in the same poll.
func (s *Subscription) MayHaveMissed(older, received tables.TwitKey) bool {
	at, _, err := older.Parts()
	since, _, receivedErr := received.Parts()
	if err != nil || receivedErr != nil || since.Sub(at) > Window {
		return false
	}
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	first, known := s.row.seen.of(older)
	second, _ := s.row.seen.of(received)
	return !known || first.found != 0 && first.found+elapsed(certainOrder) > second.missing
}

// Delivers reports whether the subscription delivers a twit of the row because it arrived after the
// subscription joined. Otherwise it was there before, or it is older than the floor.
func (s *Subscription) Delivers(t *tables.Twit) bool {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if o, known := s.row.seen.of(t.Key()); known {
		return o.found > s.joined
	}
	return t.PostedAt.After(s.row.floor)
}
