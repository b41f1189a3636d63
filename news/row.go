package news

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// name is that of a row.
type name struct {
	kind  Kind
	owner string
}

// row is one that is looked at.
type row struct {
	name
	subscribers map[*Subscription]struct{}
	// broadcast says that what comes is for the subscribers of timelines too.
	broadcast bool
	// turned says that it has been so only since the last look.
	turned bool
	// begun is when somebody first wanted to know of it, left when the last one went.
	begun, left time.Time
	read        bool // whether it ever was
	// seen has all members that are later than floor, and others that were, as long as somebody may ask which of two came first.
	seen  seen
	floor time.Time
	// looked is when the last look began that read it.
	looked moment
}

// meet notes a member that was read in another row, or in this one, and reports whether it has come only now.
func (r *row) meet(m member, in *row, now moment) bool {
	return r.seen.note(m, now, in.looked) && !m.old && (r.read || !m.at.Before(r.begun))
}

// end ends a look, which began at a time. The next one is for what is later than floor.
func (r *row) end(now moment, begun, floor time.Time) {
	r.read, r.turned, r.looked = true, false, now
	if floor.After(r.floor) {
		r.floor = floor
	}
	if kept := begun.Add(-2 * Window); kept.Before(r.floor) {
		r.seen.forget(kept)
	} else {
		r.seen.forget(r.floor)
	}
}

// member is one of a row. Its twit is nil in timelines.
type member struct {
	tables.TwitKey
	at   time.Time
	twit *tables.Twit
	// old says that it is in a timeline since its author is followed, and not since it was posted. Both times are of gateways whose clocks may
	// differ: in doubt it was posted later.
	old bool
}

// get reads what a row has after a position, as far as it is later than the floor.
func (r *row) get(floor time.Time, after string) hbase.Get {
	page := hbase.Page{Stop: tables.LaterThan(floor), Limit: pageSize}
	if after != "" {
		page.Start = hbase.Next(after)
	}
	if r.kind == Timeline {
		return tables.Timelines.Get(r.owner, 0, page)
	}
	return tables.Twits.Get(r.owner, 0, page)
}

// members decodes what a row has, newest first, and returns the position of the last.
func (r *row) members(cells []hbase.Cell) (members []member, last string, err error) {
	var positions []string
	if r.kind == Timeline {
		var keys []tables.TwitKey
		keys, positions, _, err = tables.Timelines.Decode(r.owner, cells)
		followed := make(map[string]int64, len(cells)) // an entry has the timestamp of the follow that it is there for
		for _, c := range cells {
			followed[c.Qualifier] = c.Timestamp
		}
		for i, key := range keys {
			at, _, _ := key.Parts() // it was checked
			members = append(members, member{TwitKey: key, at: at, old: at.Add(skew).UnixMilli() < followed[positions[i]]})
		}
	} else {
		var twits []*tables.Twit
		twits, positions, _, err = tables.Twits.Decode(r.owner, cells)
		for _, twit := range twits {
			members = append(members, member{TwitKey: twit.Key(), at: twit.PostedAt, twit: twit})
		}
	}
	if len(positions) > 0 {
		last = positions[len(positions)-1]
	}
	return members, last, err
}

// reading is what a look reads of a row.
type reading struct {
	*row
	floor   time.Time
	after   string
	members []member
	err     error
}

// readAll reads rows, and last of all who the broadcasters are if that is wanted. It takes one round of the store, and another one for rows
// that have more than a page.
func (p *Poller) readAll(ctx context.Context, rows []*reading, broadcasters bool) (authors []string, err error) {
	for len(rows) > 0 || broadcasters {
		gets := make([]hbase.Get, len(rows), len(rows)+1)
		for i, r := range rows {
			gets[i] = r.get(r.floor, r.after)
		}
		if broadcasters {
			gets = append(gets, tables.Broadcasters.Get())
		}
		p.Counters.Rounds.Add(1)
		p.Counters.Gets.Add(int64(len(gets)))
		results, err := p.store.Get(ctx, gets)
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
		var more []*reading
		for i, r := range rows {
			if r.err = results[i].Err; r.err != nil {
				continue
			}
			var found []member
			if found, r.after, r.err = r.row.members(results[i].Cells); r.err != nil {
				continue
			}
			if r.members = append(r.members, found...); len(found) == pageSize {
				more = append(more, r)
			}
		}
		rows = more
	}
	return authors, nil
}
