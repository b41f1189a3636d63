package reconnect

import (
	"sync"
	"time"

	"twibase/hbase/tables"
)

// Most events closely follow each other or a disconnect. A few come after the time limits of
// package live.
func (f *fixture) play(h history) {
	var late sync.WaitGroup
	for _, g := range f.gateways {
		g.store.readRowByRow(oneOf(f.random, 0, 0, 0.5))
	}
	unfollow := f.random.IntN(24)
	for i := range h.bursts {
		if i == unfollow {
			f.unfollow()
		}
		if h.faults {
			f.injectFault()
		}
		f.burst(&late)
		time.Sleep(oneOf(f.random, time.Millisecond, time.Second, 3*time.Second, 15*time.Second, 35*time.Second))
	}
	late.Wait()
	if h.scenario {
		f.run(oneOf(f.random, scenarios...))
	}
	for _, g := range f.gateways {
		g.store.heal()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finished = true
}

func (f *fixture) injectFault() {
	if f.random.IntN(2) == 0 {
		return
	}
	row := oneOf(f.random, "", tables.Timelines.Row(fan, 0), tables.Twits.Row(broadcaster, 0), tables.Twits.Row(other, 0))
	oneOf(f.random, f.gateways...).store.fail(row, oneOf(f.random, 12*time.Second, 45*time.Second, 70*time.Second))
}

func (f *fixture) burst(late *sync.WaitGroup) {
	var twits []*tables.Twit
	for range 2 + f.random.IntN(3) {
		twits = append(twits, f.newTwit(oneOf(f.random, author, author, other, broadcaster), oneOf(f.random, f.gateways...)))
		time.Sleep(oneOf(f.random, 0, time.Millisecond, 300*time.Millisecond))
	}
	f.random.Shuffle(len(twits), func(i, j int) { twits[i], twits[j] = twits[j], twits[i] })
	created := time.Now()
	for _, twit := range twits {
		// A twit without a fan-out job must be posted before the polls' overlap ends
		// ([live.Overlap]).
		if time.Since(created) < 10*time.Second {
			f.gap()
			time.Sleep(oneOf(f.random, 0, 0, 0, 0, 0, 0, 0, 5*time.Second))
		}
		f.post(twit)
		if twit.AuthorName == broadcaster {
			continue
		}
		switch f.random.IntN(24) {
		case 0, 1, 2, 3:
			pause := oneOf(f.random, 2*time.Second, 12*time.Second, 40*time.Second, 2*time.Minute, 5*time.Minute)
			late.Go(func() {
				time.Sleep(pause)
				f.deliver(twit.Key())
			})
			continue
		case 4:
			f.delete(twit.Key())
		}
		f.gap()
		f.deliver(twit.Key())
		if f.random.IntN(10) == 0 {
			f.gap()
			f.delete(twit.Key())
		}
	}
}

func (f *fixture) gap() {
	switch f.random.IntN(5) {
	case 0, 1:
		f.mu.Lock()
		disconnected := f.disconnected
		f.mu.Unlock()
		select {
		case <-disconnected:
			time.Sleep(oneOf(f.random, 0, time.Millisecond, 100*time.Millisecond))
		case <-time.After(2 * time.Second):
		}
	case 2:
		time.Sleep(time.Duration(f.random.IntN(1000)) * time.Millisecond)
	}
}
