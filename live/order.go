package live

import "twibase/hbase/tables"

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
