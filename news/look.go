package news

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// sighted is a sight, and of whom.
type sighted struct {
	Sight
	of *Subscription
}

// look reads all rows, or, joining, those that subscribers are about to join, and tells the subscribers what has come.
func (p *Poller) look(ctx context.Context, now time.Time, joining bool) error {
	p.Counters.Looks.Add(1)
	next := p.floor(now)
	readings, joins, timelines := p.choose(now, joining)
	authors, err := p.readAll(ctx, readings, timelines)
	if err == nil && timelines {
		fresh := p.orient(authors, readings, now)
		_, err = p.readAll(ctx, fresh, false)
		readings = append(readings, fresh...)
	}
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range joins {
			s.end(err)
		}
		return err
	}
	sights, err := p.compare(readings, joins, now, next)
	told, errs := p.o.See(ctx, pure(sights))
	return errors.Join(err, p.deliver(sights, told, errs))
}

// moment is that of a time.
func (p *Poller) moment(at time.Time) moment { return moment(at.Sub(p.epoch)) }

// floor is from when on twits may still come that are not there now.
func (p *Poller) floor(now time.Time) time.Time {
	floor := now.Add(-Overlap)
	if behind := p.o.Behind(); !behind.IsZero() && behind.Add(-skew).Before(floor) {
		floor = behind.Add(-skew)
	}
	if limit := now.Add(-farthest); floor.Before(limit) {
		return limit
	}
	return floor
}

// choose returns what is to be read, who joins, and whether anybody wants to know of timelines.
func (p *Poller) choose(now time.Time, joining bool) (readings []*reading, joins []*Subscription, timelines bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	joins, p.joining = p.joining, nil
	joined := map[*row]bool{}
	for _, s := range joins {
		joined[s.row], s.joining = true, true
	}
	for _, r := range p.rows {
		if r.kind == Timeline && (len(r.subscribers) > 0 || now.Sub(r.left) <= linger) {
			timelines = true
			break
		}
	}
	p.oriented = p.oriented && timelines
	for _, r := range p.rows {
		r.broadcast = r.broadcast && timelines
		switch {
		case len(r.subscribers) == 0 && !r.broadcast && now.Sub(r.left) > linger:
			delete(p.rows, r.name)
			p.Counters.Rows.Add(-1)
		case !joining, joined[r], r.broadcast && timelines: // who joins a timeline has to know what broadcasters posted before
			floor := r.floor
			if !r.read {
				floor = p.floor(now)
			}
			readings = append(readings, &reading{row: r, floor: floor})
		}
	}
	return readings, joins, timelines
}

// orient notes who is a broadcaster, and returns what is to be read of those whose rows were not read.
func (p *Poller) orient(authors []string, readings []*reading, now time.Time) (fresh []*reading) {
	p.mu.Lock()
	defer p.mu.Unlock()
	are := map[string]bool{}
	for _, author := range authors {
		are[author] = true
		r := p.row(name{Posts, author}, now)
		if r.broadcast {
			continue
		}
		// What one posted since becoming a broadcaster may be in nobody's timeline, and yet be seen in this row by its own subscribers.
		r.broadcast, r.turned = true, p.oriented
		if r.turned && !r.read {
			r.begun = time.Time{}
		}
		if !slices.ContainsFunc(readings, func(read *reading) bool { return read.row == r }) {
			fresh = append(fresh, &reading{row: r, floor: p.floor(now)})
		}
	}
	for _, r := range p.rows {
		if r.broadcast && !are[r.owner] {
			r.broadcast, r.left = false, now
		}
	}
	p.oriented = true
	return fresh
}

// compare finds what is new in the rows, admits those who join, and returns who is to see what, the oldest first.
func (p *Poller) compare(readings []*reading, joins []*Subscription, now, next time.Time) (sights []sighted, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.moment(now)
	var timelines, arriving []*row
	for _, r := range p.rows {
		if r.kind == Timeline {
			timelines = append(timelines, r)
		}
	}
	for _, s := range joins {
		if s.row.kind == Timeline {
			arriving = append(arriving, s.row)
		}
	}
	// What comes to a timeline may come from a broadcaster too, and who joins is offered it whether it came before or not.
	type offered struct {
		to  *Subscription
		key tables.TwitKey
	}
	before := map[offered]bool{}
	offer := func(r *row, m member, came bool) {
		for s := range r.subscribers {
			joins := !s.joined && s.joining && !m.old && !m.at.Before(s.begun) && !before[offered{s, m.TwitKey}]
			if joins {
				before[offered{s, m.TwitKey}] = true
			}
			if s.joined && came || joins {
				sights = append(sights, sighted{Sight{s.ctx, r.kind, r.owner, m.TwitKey, m.twit}, s})
			}
		}
	}
	for _, read := range readings {
		if read.err != nil {
			err = read.err
			continue
		}
		for _, m := range read.members {
			came := read.meet(m, read.row, at)
			offer(read.row, m, came)
			if !read.broadcast {
				continue
			}
			to := arriving
			if came || read.turned {
				to = timelines
			}
			for _, timeline := range to {
				offer(timeline, m, timeline.meet(m, read.row, at) && (came || read.turned))
			}
		}
	}
	for _, read := range readings {
		if read.err == nil {
			read.row.end(at, now, next)
		}
	}
	p.admit(joins, readings, at)
	sights, p.again, p.forks = append(p.again, sights...), nil, nil
	clock := time.Now()
	sights = slices.DeleteFunc(sights, func(s sighted) bool { return s.of.park(s.Key, clock) })
	slices.SortStableFunc(sights, func(a, b sighted) int { return strings.Compare(b.Key.Position, a.Key.Position) })
	return p.ready(sights, at, err), err
}

// ready returns the sights of those who listen to what has been read lately, and keeps the others: what is still to be read may have come before.
func (p *Poller) ready(sights []sighted, now moment, err error) (ready []sighted) {
	lately := func(r *row) bool { return r.looked != 0 && now-r.looked <= moment(patience) }
	broadcasts := true
	for _, r := range p.rows {
		broadcasts = broadcasts && (!r.broadcast || lately(r))
	}
	for _, s := range sights {
		if lately(s.of.row) && (broadcasts || s.Kind != Timeline) {
			ready = append(ready, s)
		} else if !s.of.over {
			p.keep(s, err)
		}
	}
	return ready
}

// keep keeps a sight for the next look: from then on its key alone, for by then the twit may be gone. If too many are kept the subscription ends.
func (p *Poller) keep(s sighted, err error) {
	if s.Twit = nil; len(p.again) < atMost {
		s.Key = tables.TwitKey{Author: strings.Clone(s.Key.Author), Position: strings.Clone(s.Key.Position)} // nothing else of what was read is kept
		p.again = append(p.again, s)
		return
	}
	if err == nil {
		err = hbase.ErrUnavailable
	}
	s.of.end(err)
}

// admit lets those who join hear what comes from now on, unless their row could not be read.
func (p *Poller) admit(joins []*Subscription, readings []*reading, now moment) {
	failed := map[*row]error{}
	for _, read := range readings {
		if read.err != nil {
			failed[read.row] = read.err
		}
	}
	for _, s := range joins {
		if err := failed[s.row]; err != nil {
			s.end(err)
		} else if !s.joined {
			s.joined, s.since = true, now
			close(s.ready)
		}
	}
}

func pure(sights []sighted) []Sight {
	list := make([]Sight, len(sights))
	for i := range sights {
		list[i] = sights[i].Sight
	}
	return list
}

// deliver tells subscribers what they may know. What could not be seen is kept, with what comes behind it for the same subscriber, and the first error
// is returned.
func (p *Poller) deliver(sights []sighted, told []*tables.Twit, errs []error) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sights, told, errs = p.withForks(sights, told, errs)
	clock := time.Now() // one for all, so that subscriptions that are cut at the same time are told of the same twits
	waiting := map[*Subscription]bool{}
	for i, s := range sights {
		failed := errs != nil && errs[i] != nil
		if failed && err == nil {
			err = errs[i]
		}
		switch {
		case s.of.over:
		case failed || waiting[s.of]:
			waiting[s.of] = true
			p.keep(s, err)
		case told[i] != nil:
			s.of.tell(told[i], clock)
		}
	}
	return err
}
