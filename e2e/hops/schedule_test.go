package hops

import (
	"sync"
	"time"

	"twibase/hbase/tables"
)

// happens is what is posted, and what goes wrong: bursts of a few twits whose times, by the clocks of gateways, and arrivals are each in an order of
// their own. Most of what comes next comes soon, or just when a subscriber has left; a few times so much later that a rule of somebody's says otherwise.
func (w *world) happens(h history) {
	var late sync.WaitGroup
	for _, g := range w.gateways {
		g.link.tears(oneOf(w.random, 0, 0, 0.5))
	}
	unfollows := w.random.IntN(24)
	for i := range h.bursts {
		if i == unfollows {
			w.unfollows()
		}
		if h.trouble {
			w.trouble()
		}
		w.burst(&late)
		time.Sleep(oneOf(w.random, time.Millisecond, time.Second, 3*time.Second, 15*time.Second, 35*time.Second))
	}
	late.Wait()
	if h.scene {
		w.plays(oneOf(w.random, scenes...))
	}
	for _, g := range w.gateways {
		g.link.heals()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}

// trouble breaks a gateway's link, for longer than a look takes, than is read back, or than anything lingers.
func (w *world) trouble() {
	if w.random.IntN(2) == 0 {
		return
	}
	row := oneOf(w.random, "", tables.Timelines.Row(fan, 0), tables.Twits.Row(broadcaster, 0), tables.Twits.Row(other, 0))
	oneOf(w.random, w.gateways...).link.breaks(row, oneOf(w.random, 12*time.Second, 45*time.Second, 70*time.Second))
}

func (w *world) burst(late *sync.WaitGroup) {
	var twits []*tables.Twit
	for range 2 + w.random.IntN(3) {
		twits = append(twits, w.decides(oneOf(w.random, author, author, other, broadcaster), oneOf(w.random, w.gateways...)))
		time.Sleep(oneOf(w.random, 0, time.Millisecond, 300*time.Millisecond))
	}
	w.random.Shuffle(len(twits), func(i, j int) { twits[i], twits[j] = twits[j], twits[i] })
	decided := time.Now()
	for _, twit := range twits {
		if time.Since(decided) < 10*time.Second { // nobody reads back further, without being told of it, than thrice that
			w.gap()
			time.Sleep(oneOf(w.random, 0, 0, 0, 0, 0, 0, 0, 5*time.Second))
		}
		w.posts(twit)
		if twit.AuthorName == broadcaster {
			continue
		}
		switch w.random.IntN(24) {
		case 0, 1, 2, 3: // it takes a while
			pause := oneOf(w.random, 2*time.Second, 12*time.Second, 40*time.Second, 2*time.Minute, 5*time.Minute)
			late.Go(func() {
				time.Sleep(pause)
				w.arrives(twit.Key())
			})
			continue
		case 4:
			w.deletes(twit.Key())
		}
		w.gap()
		w.arrives(twit.Key())
		if w.random.IntN(10) == 0 {
			w.gap()
			w.deletes(twit.Key())
		}
	}
}

// gap is what is between one thing and the next.
func (w *world) gap() {
	switch w.random.IntN(5) {
	case 0, 1:
		w.mu.Lock()
		left := w.left
		w.mu.Unlock()
		select {
		case <-left:
			time.Sleep(oneOf(w.random, 0, time.Millisecond, 100*time.Millisecond))
		case <-time.After(2 * time.Second):
		}
	case 2:
		time.Sleep(time.Duration(w.random.IntN(1000)) * time.Millisecond)
	}
}
