package invariant

import (
	"context"
	"errors"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// Checker is how to go through a store. Only the store is needed.
type Checker struct {
	Store hbase.Store
	// Report is called with each breach, Read with how many more rows of a table were looked at; both from one goroutine. Nil is no call.
	Report func(Breach)
	Read   func(table string, rows int)
	// Mend is whether breaches are mended. Some show only when others are mended, so it takes another run to find none.
	Mend bool
	// Young is whether what is mended has the present time, and not that of what it follows from. Nothing else gets through where a deletion
	// hides what is older than itself, and a write that is decided by a slower clock does not get through to it.
	Young bool
	// Grace is for how long a write may be on its way before that is a breach.
	Grace time.Duration
	// TimelineBound is how many entries a timeline keeps: [tables.TimelineBound] if it is 0, less in tests.
	TimelineBound int
}

// Check calls report with each breach of a store.
func Check(ctx context.Context, store hbase.Store, report func(Breach)) error {
	return Checker{Store: store, Report: report}.Run(ctx)
}

// run is one way through a store.
type run struct {
	Checker
	now time.Time
	// said are the breaches of the rows that are being looked at.
	said map[Breach]bool
	// puts and gone are what mends the breaches that were found, and is not written yet.
	puts, gone []hbase.Mutation
	// off are the members that lists lack, and so lengths too, while nothing is mended. players are those that games lack.
	off     map[listOf]settle.Length
	players map[string][]string
	// busy are the authors whose twits are still on their way into timelines, elsewhere those of whom readers look for them elsewhere.
	busy, elsewhere map[string]bool
}

type listOf struct{ table, family, owner string }

// Run goes through the store once, and returns how it ended: a breach is no error.
func (c Checker) Run(ctx context.Context) error {
	if c.Report == nil {
		c.Report = func(Breach) {}
	}
	if c.Read == nil {
		c.Read = func(string, int) {}
	}
	if c.TimelineBound == 0 {
		c.TimelineBound = tables.TimelineBound
	}
	r := &run{Checker: c, now: time.Now(), off: map[listOf]settle.Length{}, players: map[string][]string{},
		busy: map[string]bool{}, elsewhere: map[string]bool{}}
	// What comes first is what others follow from.
	for _, prove := range []func(context.Context) error{
		r.intents, r.accounts, r.edges, r.departments, r.twits, r.comments, r.plays, r.lists, r.lengths, r.days, r.timelines,
	} {
		if err := prove(ctx); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// breach reports a breach, and mends it by what is given: puts come before deletions, so that whatever is moved is never nowhere.
//
// It returns false if it did so before: rows are looked at again if something near them can't be read.
func (r *run) breach(b Breach, mend ...hbase.Mutation) (fresh bool) {
	if b.Lost = len(mend) == 0; r.said[b] {
		return false
	}
	r.said[b] = true
	if r.Report(b); !r.Mend {
		return true
	}
	for _, m := range mend {
		switch m := m.(type) {
		case hbase.Put:
			if r.Young {
				for i := range m.Cells {
					m.Cells[i].Timestamp = max(m.Cells[i].Timestamp, r.now.UnixMilli())
				}
			}
			r.puts = append(r.puts, m)
		default:
			r.gone = append(r.gone, m)
		}
	}
	return true
}

// corrupt reports a column that can't be read.
func (r *run) corrupt(table, row, column string, err error) {
	family, qualifier := tables.Attributes, column
	r.breach(breachOf(table, row, family, qualifier, "unreadable", "readable", "%v", err))
}

// missing reports a member that a list lacks.
func (r *run) missing(s seat, public bool, why string, args ...any) {
	fresh := r.breach(breachOf(s.table, s.row, s.family, s.cell.Qualifier, absent, there, why, args...),
		hbase.Put{Table: s.table, Row: s.row, Cells: []hbase.Cell{s.cell}})
	if fresh && !r.Mend {
		l := listOf{s.table, s.family, s.owner}
		r.off[l] = r.off[l].Grown(public)
	}
}

// some is how many rows are looked at together, and enough how many mutations are written together.
const (
	some   = 256
	enough = 1000
)

// flush writes what mends the breaches that were found.
func (r *run) flush(ctx context.Context) error {
	for _, list := range []*[]hbase.Mutation{&r.puts, &r.gone} {
		if err := settle.Write(ctx, r.Store, *list); err != nil {
			return err
		}
		*list = nil
	}
	return nil
}

// rows hands the rows of a scan to f, some at a time.
func (r *run) rows(ctx context.Context, scan hbase.Scan, f func([]hbase.Row) error) error {
	scan.PageSize = some
	var batch []hbase.Row
	hand := func() error {
		r.said = map[Breach]bool{}
		if err := r.each(batch, scan.Table, f); err != nil {
			return err
		}
		r.Read(scan.Table, len(batch))
		batch = batch[:0]
		if len(r.puts)+len(r.gone) >= enough {
			return r.flush(ctx)
		}
		return nil
	}
	for row, err := range r.Store.Scan(ctx, scan) {
		if err != nil {
			return err
		}
		if batch = append(batch, row); len(batch) == some {
			if err := hand(); err != nil {
				return err
			}
		}
	}
	return hand()
}

// each calls f with all rows or, if something can't be read, with one at a time, to find out which.
func (r *run) each(rows []hbase.Row, table string, f func([]hbase.Row) error) error {
	err := f(rows)
	switch {
	case !errors.Is(err, hbase.ErrCorrupt):
		return err
	case len(rows) == 1:
		r.breach(breachOf(table, rows[0].Key, rows[0].Cells[0].Family, "", "unreadable", "readable", "%v", err))
		return nil
	}
	for i := range rows {
		if err := r.each(rows[i:i+1], table, f); err != nil {
			return err
		}
	}
	return nil
}
