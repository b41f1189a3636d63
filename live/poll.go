package live

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"twibase/hbase"
)

type poll struct {
	*Poller
	now        time.Time
	at         elapsed
	nextFloor  time.Time
	joins      []*Subscription
	timelines  bool // a row in use is a timeline
	reads      []*rowRead
	candidates []Candidate
	offered    map[offer]bool
}

type offer struct {
	to  *Subscription
	key Key
}

// poll delivers new entries. If all is false, it reads only the rows of joining subscriptions and,
// if a timeline is in use, of broadcasters.
func (p *Poller) poll(ctx context.Context, now time.Time, all bool) error {
	p.Counters.Polls.Add(1)
	run := &poll{
		Poller: p, now: now, at: elapsed(now.Sub(p.started)), nextFloor: p.floor(now), offered: map[offer]bool{},
	}
	run.plan(all)
	if err := run.read(ctx); err != nil {
		run.mu.Lock()
		defer run.mu.Unlock()
		for _, s := range run.joins {
			s.end(err)
		}
		return err
	}
	candidates, err := run.collect()
	for len(candidates) > 0 {
		n := nextEntries(candidates)
		err = errors.Join(err, run.check(ctx, candidates[:n]))
		candidates = candidates[n:]
	}
	return err
}

func nextEntries(candidates []Candidate) int {
	keys := map[Key]struct{}{}
	for i, c := range candidates {
		if keys[c.Key] = struct{}{}; len(keys) > entriesPerCall {
			return i
		}
	}
	return len(candidates)
}

// check delivers the visible entries of candidates. The end of Visible's ctx frees the memory
// reserved for its reads.
func (p *poll) check(ctx context.Context, candidates []Candidate) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, errs := p.o.Visible(ctx, candidates)
	return p.deliver(candidates, entries, errs)
}

func (p *Poller) floor(now time.Time) time.Time {
	floor := now.Add(-Overlap)
	for _, oldest := range p.o.PendingSince() {
		if !oldest.IsZero() && oldest.Add(-MaxClockSkew).Before(floor) {
			floor = oldest.Add(-MaxClockSkew)
		}
	}
	if limit := now.Add(-maxLag); floor.Before(limit) {
		return limit
	}
	return floor
}

func (p *poll) plan(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.joins, p.joining = p.joining, nil
	joined := map[*row]bool{}
	for _, s := range p.joins {
		s.become(joining, nil)
		joined[s.row] = true
	}
	for _, r := range p.rows {
		p.timelines = p.timelines || r.kind == Timeline && !r.idle(p.now)
	}
	p.broadcastersKnown = p.broadcastersKnown && p.timelines
	free := MaxRows - len(p.rows)
	for _, r := range p.rows {
		r.broadcast = r.broadcast && p.timelines
		crowded := free < MaxRows/2 || 2*rowReserve*p.added[r.addedBy] > free
		switch {
		case (r.idle(p.now) || crowded && len(r.subscribers) == 0) && !r.broadcast:
			p.drop(r)
		case all, joined[r], r.broadcast: // a joining timeline needs the earlier twits of broadcasters
			p.reads = append(p.reads, r.newRead(p.floor(p.now)))
		}
	}
}

func (p *poll) read(ctx context.Context) error {
	broadcasters, err := p.readRows(ctx, p.reads, p.timelines)
	if err != nil || !p.timelines {
		return err
	}
	more := p.updateBroadcasters(broadcasters)
	_, err = p.readRows(ctx, more, false)
	p.reads = append(p.reads, more...)
	return err
}

// updateBroadcasters marks broadcasters' rows. It returns reads of the newly marked rows that are
// not in p.reads.
func (p *poll) updateBroadcasters(authors []string) (more []*rowRead) {
	p.mu.Lock()
	defer p.mu.Unlock()
	current := map[string]bool{}
	for _, author := range authors {
		current[author] = true
		r := p.row(rowName{Posts, author}, p.now)
		if r.broadcast {
			continue
		}
		r.broadcast = true
		// Twits since the author became a broadcaster may be in no timeline. So this poll offers
		// all twits that it reads to the timelines, even known twits.
		if r.becameBroadcaster = p.broadcastersKnown; r.becameBroadcaster && !r.read {
			r.since = time.Time{}
		}
		if !slices.ContainsFunc(p.reads, func(read *rowRead) bool { return read.row == r }) {
			more = append(more, r.newRead(p.floor(p.now)))
		}
	}
	for _, r := range p.rows {
		if r.broadcast && !current[r.owner] {
			r.broadcast, r.left = false, p.now
		}
	}
	p.broadcastersKnown = true
	return more
}

// collect finds new members, makes joining subscriptions receive, and returns the candidates to
// deliver, the oldest first. err is the error of a row that could not be read.
func (p *poll) collect() (ready []Candidate, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, read := range p.reads {
		if read.err != nil {
			err = read.err
			read.row.rejectJoins(err)
			continue
		}
		for _, m := range read.members {
			isNew := read.row.observe(m, read.row, p.at)
			p.offer(read.row, m, isNew)
			if read.broadcast {
				p.offerToTimelines(read.row, m, isNew || read.becameBroadcaster)
			}
		}
	}
	for _, read := range p.reads {
		if read.err == nil {
			read.row.endPoll(p.at, p.now, p.nextFloor)
		}
	}
	for _, s := range p.joins {
		if s.become(receiving, nil) {
			s.joined = p.at
		}
	}
	candidates := append(p.pending, p.candidates...)
	p.pending = nil
	for _, c := range candidates {
		c.to.blocked = false
	}
	clock := time.Now()
	candidates = slices.DeleteFunc(candidates, func(c Candidate) bool { return c.to.park(c.Key, clock) })
	slices.SortStableFunc(candidates, func(a, b Candidate) int {
		return strings.Compare(b.Key.Position, a.Key.Position)
	})
	return p.ready(candidates, err), err
}

// offer adds a candidate for each subscriber that needs the entry. A joining subscriber gets a twit
// once, even if both the timeline and a broadcaster's row have it.
func (p *poll) offer(r *row, m member, isNew bool) {
	for s := range r.subscribers {
		switch s.state {
		case receiving, suspended:
			if !isNew {
				continue
			}
		case joining:
			o := offer{s, m.Key}
			if m.old || m.at.Before(s.since) || p.offered[o] {
				continue
			}
			p.offered[o] = true
		default:
			continue
		}
		p.candidates = append(p.candidates, Candidate{s.ctx, r.kind, r.owner, m.Key, m.entry, s})
	}
}

func (p *poll) offerToTimelines(broadcaster *row, m member, isNew bool) {
	if isNew {
		for _, r := range p.rows {
			if r.kind == Timeline {
				p.offer(r, m, r.observe(m, broadcaster, p.at))
			}
		}
		return
	}
	for _, s := range p.joins {
		if s.row.kind == Timeline {
			s.row.observe(m, broadcaster, p.at)
			p.offer(s.row, m, false)
		}
	}
}

// ready returns the candidates whose rows were read recently. Candidates of a timeline also need
// recent reads of all broadcasters' rows. It postpones the others, because an unread row may have
// an earlier entry.
func (p *poll) ready(candidates []Candidate, err error) (ready []Candidate) {
	recent := func(r *row) bool { return r.polled != 0 && p.at-r.polled <= elapsed(pollTimeout) }
	broadcastersRecent := true
	for _, r := range p.rows {
		broadcastersRecent = broadcastersRecent && (!r.broadcast || recent(r))
	}
	for _, c := range candidates {
		if recent(c.to.row) && (broadcastersRecent || c.Kind != Timeline) {
			ready = append(ready, c)
		} else {
			p.postpone(c, err)
		}
	}
	return ready
}

// postpone keeps a candidate for the next poll, without its entry, which may be deleted by then. If
// too many are pending, it closes the subscription with err, or else with [hbase.ErrUnavailable].
// The caller holds mu.
func (p *Poller) postpone(c Candidate, err error) {
	switch {
	case c.to.state == closed:
	case len(p.pending) < maxPending:
		c.Entry = nil
		// The key may share memory with a whole response of the store.
		c.Key = Key{Owner: strings.Clone(c.Key.Owner), Position: strings.Clone(c.Key.Position)}
		c.to.blocked = true
		p.pending = append(p.pending, c)
	case err == nil:
		c.to.end(hbase.ErrUnavailable)
	default:
		c.to.end(err)
	}
}

// deliver sends visible entries. It postpones a candidate whose check failed, and those of
// subscriptions with earlier candidates that wait for the next poll.
func (p *poll) deliver(candidates []Candidate, entries []any, errs []error) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clock := time.Now() // one reading for all: see [state]
	queues := map[any]*queued{}
	for i, c := range candidates {
		failed := errs != nil && errs[i] != nil
		if failed && err == nil {
			err = errs[i]
		}
		if failed || c.to.blocked {
			p.postpone(c, err)
		} else if entries[i] != nil {
			c.to.send(Event{c.Key, entries[i], p.queuedOf(queues, entries[i])}, clock)
		}
	}
	p.bound()
	return err
}
