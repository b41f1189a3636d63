package live

import "twibase/hbase/tables"

// Window is how much older than another twit, by its time, a twit may be and still
// arrive after it: as long as a fan-out may be behind, and as the clocks of two
// gateways may differ.
const Window = maxLag + 2*maxClockSkew

// MayHaveMissed reports whether a subscriber who has received a twit may have missed
// one that is older, whichever gateway it was connected to. It can't have if the
// older one was there well before the other one was: then every gateway that finds
// the other one has found the older one before, or finds it in the same poll.
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

// Delivers reports whether the subscription delivers a twit of the row, because it
// was not there when the subscription joined. If not, it was there, or it is older
// than anything that is still waited for.
func (s *Subscription) Delivers(t *tables.Twit) bool {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if o, known := s.row.seen.of(t.Key()); known {
		return o.found > s.joined
	}
	return t.PostedAt.After(s.row.floor)
}
