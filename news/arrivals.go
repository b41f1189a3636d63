package news

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"twibase/hbase/tables"
)

// arrivals remember when twits came to where they are read, of those that this gateway brought there itself.
type arrivals struct {
	posted, spread *lru.Cache[tables.TwitKey, time.Time]
}

// remembered is how many arrivals are.
const remembered = 10_000

func newArrivals() arrivals {
	cache := func() *lru.Cache[tables.TwitKey, time.Time] {
		c, err := lru.New[tables.TwitKey, time.Time](remembered)
		if err != nil {
			panic(err) // of a size below 1
		}
		return c
	}
	return arrivals{cache(), cache()}
}

// Posted notes that a twit of this gateway is in its author's list.
func (p *Poller) Posted(key tables.TwitKey) { p.arrivals.posted.Add(key, time.Now()) }

// Spread notes that this gateway brought a twit into all timelines.
func (p *Poller) Spread(key tables.TwitKey) { p.arrivals.spread.Add(key, time.Now()) }

// before reports whether a twit is known to have been in rows of a kind before another one came to any.
func (a arrivals) before(kind Kind, key, other tables.TwitKey) bool {
	begun, _, err := other.Parts()
	if err != nil {
		return false
	}
	if kind == Posts {
		at, known := a.posted.Get(key)
		return known && at.Before(begun)
	}
	if posted, known := a.posted.Get(other); known {
		begun = posted
	}
	at, known := a.spread.Get(key)
	return known && at.Before(begun)
}

// Late reports whether a twit that is older than another one, by its time, may have come later than that: so that who was told of the
// other may not have been told of it.
func (s *Subscription) Late(key, other tables.TwitKey) bool {
	now := time.Now()
	at, _, err := key.Parts()
	since, _, otherErr := other.Parts()
	if err != nil || otherErr != nil || since.Sub(at) > Overlap || now.Sub(since) > farthest {
		return false
	}
	s.poller.mu.Lock()
	found, known := s.row.seen[key]
	otherFound, otherKnown := s.row.seen[other]
	s.poller.mu.Unlock()
	switch {
	case known && !found.IsZero():
		return !otherKnown || otherFound.Before(found)
	case known && otherKnown && !otherFound.IsZero():
		return false // it was there before the other came
	}
	return !s.poller.arrivals.before(s.row.kind, key, other)
}

// Recent reports whether a twit of that time is young enough for [Subscription.Late] to be true of any other.
func (s *Subscription) Recent(at time.Time) bool { return time.Since(at) <= farthest }

// Found tells when a twit of the row was found, the zero time if that is too long ago to be known. It is pending if it has not been found yet: then
// the subscriber will be told of it.
func (s *Subscription) Found(t *tables.Twit) (at time.Time, pending bool) {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	at, known := s.row.seen[t.Key()]
	return at, !known && t.PostedAt.After(s.row.floor)
}
