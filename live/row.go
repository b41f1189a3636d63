package live

import (
	"context"
	"slices"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type rowName struct {
	kind  Kind
	owner string
}

type row struct {
	rowName
	addedBy           string // the address whose subscription added the row, or empty
	subscribers       map[*Subscription]struct{}
	broadcast         bool // the row is a broadcaster's: timelines also get its twits
	becameBroadcaster bool // in this poll
	// since is when the row was added, zero if all its entries count as new.
	since  time.Time
	left   time.Time // when the last subscriber left, or the owner ceased to be a broadcaster
	read   bool      // by any poll
	polled elapsed   // the start of the last poll that read the row
	floor  time.Time // the next poll reads the members later than floor
	// seen has all known members later than floor, and older members for
	// [Subscription.MayHaveMissed].
	seen observations
}

func (r *row) idle(now time.Time) bool {
	return len(r.subscribers) == 0 && now.Sub(r.left) > idleTimeout
}

func (r *row) rejectJoins(err error) {
	for s := range r.subscribers {
		if s.state == joining {
			s.end(err)
		}
	}
}

// observe records a member read from source: this row, or a broadcaster's. It reports whether the
// member is new to the row's subscribers.
func (r *row) observe(m member, source *row, at elapsed) bool {
	return r.seen.add(m, at, source.polled) && !m.old && (r.read || !m.at.Before(r.since))
}

func (r *row) endPoll(at elapsed, now, nextFloor time.Time) {
	r.read, r.becameBroadcaster, r.polled = true, false, at
	if nextFloor.After(r.floor) {
		r.floor = nextFloor
	}
	forgotten := now.Add(-2 * MaxReordering)
	if r.floor.Before(forgotten) {
		forgotten = r.floor
	}
	r.seen.forget(forgotten)
}

type rowRead struct {
	*row
	from    time.Time // exclusive
	after   string    // the position of the last member read
	members []member
	err     error
}

func (r *row) newRead(firstFloor time.Time) *rowRead {
	if r.read {
		return &rowRead{row: r, from: r.floor}
	}
	return &rowRead{row: r, from: firstFloor}
}

func (r *rowRead) get() hbase.Get {
	list := r.kind.list()
	page := hbase.Page{Stop: tables.LaterThan(r.from), Limit: pageSize, NoValues: list.positionsOnly}
	if r.after != "" {
		page.Start = hbase.Next(r.after)
	}
	return list.Get(r.owner, 0, page)
}

func (r *rowRead) add(page hbase.Result) (more bool) {
	if r.err = page.Err; r.err != nil {
		return false
	}
	members, positions, err := r.kind.list().decode(r.owner, page.Cells)
	r.members, r.err = append(r.members, members...), err
	if len(positions) > 0 {
		r.after = positions[len(positions)-1]
	}
	return r.err == nil && len(positions) == pageSize
}

// readRows reads rows, rowsPerCall at a time. If broadcasters is true, the first call also reads
// the list of broadcasters.
func (p *Poller) readRows(ctx context.Context, rows []*rowRead, broadcasters bool) (authors []string, err error) {
	if broadcasters {
		n := min(len(rows), rowsPerCall)
		if authors, err = p.readPart(ctx, rows[:n], true); err != nil {
			return nil, err
		}
		rows = rows[n:]
	}
	for part := range slices.Chunk(rows, rowsPerCall) {
		if _, err := p.readPart(ctx, part, false); err != nil {
			return nil, err
		}
	}
	return authors, nil
}

// readPart needs a round for each page of the longest row.
func (p *Poller) readPart(ctx context.Context, rows []*rowRead, broadcasters bool) (authors []string, err error) {
	for len(rows) > 0 || broadcasters {
		gets := make([]hbase.Get, len(rows), len(rows)+1)
		for i, r := range rows {
			gets[i] = r.get()
		}
		if broadcasters {
			gets = append(gets, tables.Broadcasters.Get())
		}
		results, err := p.get(ctx, gets)
		if err != nil {
			return nil, err
		}
		if broadcasters {
			last := results[len(rows)]
			if last.Err != nil {
				return nil, last.Err
			}
			if authors, err = tables.Broadcasters.Decode(last.Cells); err != nil {
				return nil, err
			}
			broadcasters = false
		}
		var more []*rowRead
		for i, r := range rows {
			if r.add(results[i]) {
				more = append(more, r)
			}
		}
		rows = more
	}
	return authors, nil
}

func (p *Poller) get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	p.Counters.Rounds.Add(1)
	p.Counters.Gets.Add(int64(len(gets)))
	return p.store.Get(ctx, gets)
}
