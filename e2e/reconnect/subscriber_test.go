package reconnect

import (
	"context"
	"math/rand/v2"
	"time"

	"twibase/graph/auth"
	"twibase/hbase/tables"
	"twibase/live"
)

type subscriber struct {
	*fixture
	kind       live.Kind
	random     *rand.Rand
	after      tables.TwitKey
	stop       func(received tables.TwitKey) bool // may be nil
	received   map[tables.TwitKey]bool
	deliveries int
}

func (f *fixture) subscriber(kind live.Kind) *subscriber {
	random := rand.New(rand.NewPCG(f.random.Uint64(), 1))
	return &subscriber{fixture: f, kind: kind, random: random, received: map[tables.TwitKey]bool{}}
}

const deliveryTime = 15 * time.Second

func (s *subscriber) reconnect(ctx context.Context) {
	for last := false; !last; {
		last = s.isFinished()
		limit := oneOf(s.random, 1, 1, 1, 2, 3, 1000)
		duration := oneOf(s.random, 300*time.Millisecond, 2*time.Second, 10*time.Second, time.Minute)
		if last {
			limit, duration = 1000, deliveryTime
		}
		s.subscribe(ctx, oneOf(s.random, s.gateways...), limit, duration)
		s.mu.Lock()
		close(s.disconnected)
		s.disconnected = make(chan struct{})
		s.mu.Unlock()
		pause := oneOf(s.random, 0, 0, 0, 0, 100*time.Millisecond, time.Second, 12*time.Second, 31*time.Second)
		if s.random.IntN(100) == 0 {
			pause = 11 * time.Minute
		}
		time.Sleep(pause)
	}
}

func (s *subscriber) stay(ctx context.Context, g *gateway) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for !s.isFinished() {
			time.Sleep(time.Second)
		}
		time.Sleep(deliveryTime)
		cancel()
	}()
	s.subscribe(ctx, g, 1000, time.Hour)
	if ctx.Err() == nil {
		s.Errorf("a subscription ended that should have continued")
	}
}

func (s *subscriber) subscribe(ctx context.Context, g *gateway, limit int, duration time.Duration) {
	ctx, cancel := context.WithCancel(auth.WithViewer(ctx, auth.Viewer{Username: fan}))
	defer cancel()
	var after *tables.ID
	if s.after.Position != "" {
		after = &tables.ID{Noun: tables.NounTwit, Key: s.after.String()}
	}
	var events <-chan *tables.Twit
	var err error
	if s.kind == live.Timeline {
		events, err = g.Subscription().TimelineTwitAdded(ctx, after)
	} else {
		events, err = g.Subscription().TwitPosted(ctx, author, after)
	}
	if err != nil {
		time.Sleep(100 * time.Millisecond)
		return
	}
	received := map[tables.TwitKey]bool{}
	for end := time.After(duration); len(received) < limit; {
		select {
		case t, open := <-events:
			if !open {
				return
			}
			if s.receive(t.Key(), received); s.stop != nil && s.stop(t.Key()) {
				return
			}
		case <-end:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *subscriber) receive(key tables.TwitKey, received map[tables.TwitKey]bool) {
	at, name, _ := key.Parts()
	if received[key] {
		s.Errorf("%s was delivered twice over one subscription", name)
	}
	if since, _, err := s.after.Parts(); s.received[key] && (err != nil || since.Sub(at) > live.MaxReordering) {
		s.Errorf("%s was delivered again, although it is %s older than the last twit received", name, since.Sub(at))
	}
	if _, hidden := s.visible(s.kind, key); !hidden.IsZero() && time.Since(hidden) > deliveryTime {
		s.Errorf("%s was delivered %s after it was deleted or its author unfollowed", name, time.Since(hidden))
	}
	received[key], s.received[key], s.after = true, true, key
	s.deliveries++
}

func (s *subscriber) missing() (names []string) {
	for key := range s.posted {
		if visible, _ := s.visible(s.kind, key); visible && !s.received[key] {
			_, name, _ := key.Parts()
			names = append(names, name)
		}
	}
	return names
}
