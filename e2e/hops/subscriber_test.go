package hops

import (
	"context"
	"math/rand/v2"
	"time"

	"twibase/graph/auth"
	"twibase/hbase/tables"
	"twibase/live"
)

// subscriber is somebody who listens to a row, and all that was told.
type subscriber struct {
	*world
	kind   live.Kind
	random *rand.Rand
	after  tables.TwitKey
	leaves func(told tables.TwitKey) bool // whether that is the last to be waited for; may be nil
	heard  map[tables.TwitKey]bool
	times  int
}

func (w *world) subscriber(kind live.Kind) *subscriber {
	return &subscriber{world: w, kind: kind, random: rand.New(rand.NewPCG(w.random.Uint64(), 1)), heard: map[tables.TwitKey]bool{}}
}

func (w *world) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// settled is how long after the last thing everybody has been told of it.
const settled = 15 * time.Second

// hops subscribes here and there until it has listened once when nothing comes any more.
func (s *subscriber) hops(ctx context.Context) {
	for last := false; !last; {
		last = s.isOver()
		most, until := oneOf(s.random, 1, 1, 1, 2, 3, 1000), oneOf(s.random, 300*time.Millisecond, 2*time.Second, 10*time.Second, time.Minute)
		if last {
			most, until = 1000, settled
		}
		s.visit(ctx, oneOf(s.random, s.gateways...), most, until)
		s.mu.Lock()
		close(s.left)
		s.left = make(chan struct{})
		s.mu.Unlock()
		pause := oneOf(s.random, 0, 0, 0, 0, 100*time.Millisecond, time.Second, 12*time.Second, 31*time.Second)
		if s.random.IntN(100) == 0 {
			pause = 11 * time.Minute
		}
		time.Sleep(pause)
	}
}

// stays listens at one gateway for as long as anything comes.
func (s *subscriber) stays(ctx context.Context, g *gateway) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for !s.isOver() {
			time.Sleep(time.Second)
		}
		time.Sleep(settled)
		cancel()
	}()
	s.visit(ctx, g, 1000, time.Hour)
	if ctx.Err() == nil {
		s.Errorf("the subscription of one who stays has ended")
	}
}

// visit subscribes at a gateway, after what was told last, and leaves after a while or when so many were told.
func (s *subscriber) visit(ctx context.Context, g *gateway, most int, while time.Duration) {
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
	told := map[tables.TwitKey]bool{}
	for leaves := time.After(while); len(told) < most; {
		select {
		case t, open := <-events:
			if !open {
				return
			}
			if s.hears(t.Key(), told); s.leaves != nil && s.leaves(t.Key()) {
				return
			}
		case <-leaves:
			return
		case <-ctx.Done():
			return
		}
	}
}

// hears notes what is told over one subscription, and that it is no more than what is promised.
func (s *subscriber) hears(key tables.TwitKey, told map[tables.TwitKey]bool) {
	at, name, _ := key.Parts()
	if told[key] {
		s.Errorf("%s was told twice over one subscription", name)
	}
	if since, _, err := s.after.Parts(); s.heard[key] && (err != nil || since.Sub(at) > live.Window) {
		s.Errorf("%s was told again, long after it came", name)
	}
	if _, since := s.visible(s.kind, key); !since.IsZero() && time.Since(since) > settled {
		s.Errorf("%s was told, %s after it was gone", name, time.Since(since))
	}
	told[key], s.heard[key], s.after = true, true, key
	s.times++
}

// lacks are the twits that were to be told of, and were not.
func (s *subscriber) lacks() (missing []string) {
	for key := range s.posted {
		if yes, _ := s.visible(s.kind, key); yes && !s.heard[key] {
			_, name, _ := key.Parts()
			missing = append(missing, name)
		}
	}
	return missing
}
