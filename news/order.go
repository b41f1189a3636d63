package news

import "twibase/hbase/tables"

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
	found, known := s.row.seen.of(key)
	told, _ := s.row.seen.of(other)
	return !known || found.by != 0 && found.by+moment(apart) > told.after
}

// Comes reports whether the subscriber is told of a twit of the row because it came, or will be: it had not been found when the subscriber joined.
// In any other case it was there, or is so late that nobody waits for it.
func (s *Subscription) Comes(t *tables.Twit) bool {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if found, known := s.row.seen.of(t.Key()); known {
		return found.by > s.since
	}
	return t.PostedAt.After(s.row.floor)
}
