package news

import (
	"time"

	"twibase/hbase/tables"
)

// sighting is when a member of a row was found.
type sighting struct {
	// by is when the look began that found it, after when the last one before began that read the row, and did not; the zero time if none did.
	by, after time.Time
	// old says that it is no news: see member.
	old bool
}

// Window is how much older, by its time, a twit may be than another one and still come into a row after it: as much as a fan-out is waited for, and
// as the clocks of two gateways may differ.
const Window = farthest + 2*skew

// Late reports whether a twit that is older than another one, by its time, may have come later than that: so that who was told of the other, by
// whichever gateway, may not have been told of it. It did not if it was long there when the other was still missing: then every gateway that finds the
// other finds it before, or in the same look.
func (s *Subscription) Late(key, other tables.TwitKey) bool {
	at, _, err := key.Parts()
	since, _, otherErr := other.Parts()
	if err != nil || otherErr != nil || since.Sub(at) > Window {
		return false
	}
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	found, known := s.row.seen[key]
	return !known || !found.old && found.by.Add(apart).After(s.row.seen[other].after)
}

// Comes reports whether the subscriber is told of a twit of the row because it came, or will be: it had not been found when the subscriber joined.
// In any other case it was there, or is so late that nobody waits for it.
func (s *Subscription) Comes(t *tables.Twit) bool {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if found, known := s.row.seen[t.Key()]; known {
		return found.by.After(s.since)
	}
	return t.PostedAt.After(s.row.floor)
}
