package check

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// Checker is how to go through a store. Only the store is needed.
type Checker struct {
	Store hbase.Store
	// Report is called with each violation, Read with how many more rows of a table were looked at; both from one goroutine. Nil is no call.
	Report func(Violation)
	Read   func(table string, rows int)
	// Waiting is called with the number of jobs: what their authors have in timelines is not looked at.
	Waiting func(jobs int)
	// Repair is whether violations are repaired. Some show only when others are repaired, so it takes another run to find none.
	Repair bool
	// Grace is for how long a write may be on its way before that is a violation.
	Grace time.Duration
	// TimelineBound is how many entries a timeline keeps: [tables.TimelineBound] if it is 0, less in tests.
	TimelineBound int
}

// All calls report with each violation of a store.
func All(ctx context.Context, store hbase.Store, report func(Violation)) error {
	return Checker{Store: store, Report: report}.Run(ctx)
}

// run is one way through a store.
type run struct {
	Checker
	now time.Time
	// said are the violations of the rows that are being looked at.
	said map[Violation]bool
	// puts and gone are what repairs the violations that were found, and is not written yet.
	puts, gone []hbase.Mutation
	// off are, while nothing is repaired, how many members lists should have more than they have, lacking those members, and players those of games.
	off     map[listOf]rebuild.Length
	lacking map[member]*hbase.Cell
	players map[string][]string
	// resting is whether buckets that were cut are still to be emptied, emptied the lists of which that may be.
	resting bool
	emptied map[listOf]bool
	// broken is whether there are directories that lead nowhere, and are not repaired.
	broken bool
	// levels is how many the tree of departments has, as far as was looked.
	levels int
	// named are the twits whose ids lack a row, by their ids.
	named map[string]tables.TwitKey
	// unreadable are the lists in which a twit was reported that can't be read: the row is not reported again.
	unreadable map[listOf]bool
	// restricted are, while nothing is repaired, the public twits that should be for followers only.
	restricted map[tables.TwitKey]bool
	// busy are the authors whose twits are still on their way into timelines, elsewhere those of whom readers look for them elsewhere.
	busy, elsewhere map[string]bool
}

// listOf is the list of an owner.
type listOf struct {
	*tables.AnyList
	owner string
}

type member struct {
	listOf
	position string
}

// Run goes through the store once, and returns how it ended: a violation is no error.
func (c Checker) Run(ctx context.Context) error {
	if c.Report == nil {
		c.Report = func(Violation) {}
	}
	if c.Read == nil {
		c.Read = func(string, int) {}
	}
	if c.Waiting == nil {
		c.Waiting = func(int) {}
	}
	if c.TimelineBound == 0 {
		c.TimelineBound = tables.TimelineBound
	}
	r := &run{Checker: c, now: time.Now(), off: map[listOf]rebuild.Length{}, lacking: map[member]*hbase.Cell{}, players: map[string][]string{}, named: map[string]tables.TwitKey{},
		busy: map[string]bool{}, elsewhere: map[string]bool{}, unreadable: map[listOf]bool{}, restricted: map[tables.TwitKey]bool{}}
	// What comes first is what others follow from.
	for _, prove := range []func(context.Context) error{
		r.intents, r.jobs, r.buckets, r.accounts, r.edges, r.departments, r.visibilities, r.twits, r.comments, r.plays, r.lists, r.lengths, r.days, r.timelines,
	} {
		if err := prove(ctx); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
		if r.broken {
			return nil // whatever is looked for behind them would seem to be lost
		}
	}
	return nil
}

// report reports a violation, and repairs it by what is given: puts come before deletions, so that whatever is moved is never nowhere.
//
// It returns false if it did so before: rows are looked at again if something near them can't be read.
func (r *run) report(b Violation, repair ...hbase.Mutation) (isNew bool) {
	if b.Lost = len(repair) == 0; r.said[b] {
		return false
	}
	r.said[b] = true
	if r.Report(b); !r.Repair {
		return true
	}
	for _, m := range repair {
		switch m := m.(type) {
		case hbase.Put:
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
	r.report(violationOf(table, row, family, qualifier, "unreadable", "readable", "%v", err))
}

// missing reports a member that a list lacks.
func (r *run) missing(s entry, public bool, why string, args ...any) {
	isNew := r.report(violationOf(s.list.Table, s.row, s.list.Family, s.cell.Qualifier, absent, there, why, args...),
		hbase.Put{Table: s.list.Table, Row: s.row, Cells: []hbase.Cell{s.cell}})
	if isNew && !r.Repair {
		l := s.of()
		r.off[l], r.lacking[member{l, s.cell.Qualifier}] = r.off[l].Grown(public), &s.cell
	}
}

// some is how many rows are looked at together, and enough how many mutations are written together.
const (
	some   = 256
	enough = 1000
)

// flush writes what repairs the violations that were found. What is put has the timestamp of what it follows from, so that whatever is decided later
// is younger. Only where a deletion hides that, it has the present time.
func (r *run) flush(ctx context.Context) error {
	if err := rebuild.Write(ctx, r.Store, r.puts); err != nil {
		return err
	}
	var again []hbase.Mutation
	for batch := range slices.Chunk(r.puts, some) {
		hidden, err := r.hidden(ctx, batch)
		if err != nil {
			return err
		}
		again = append(again, hidden...)
	}
	if err := rebuild.Write(ctx, r.Store, again); err != nil {
		return err
	}
	if len(r.gone) > 0 {
		if err := rebuild.Write(ctx, r.Store, []hbase.Mutation{tables.Imports.PutRepaired()}); err != nil {
			return err
		}
	}
	err := rebuild.Write(ctx, r.Store, r.gone)
	r.puts, r.gone = nil, nil
	return err
}

// hidden returns puts of those cells that can't be read though they were put.
func (r *run) hidden(ctx context.Context, puts []hbase.Mutation) (again []hbase.Mutation, err error) {
	var gets []hbase.Get
	var cells []hbase.Cell
	for _, m := range puts {
		put := m.(hbase.Put)
		for _, c := range put.Cells {
			gets = append(gets, hbase.Get{Table: put.Table, Row: put.Row, Columns: c.Family, Page: hbase.Exactly(c.Qualifier)})
			cells = append(cells, c)
		}
	}
	stored, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, c := range cells {
		if len(stored[i]) == 0 || !bytes.Equal(stored[i][0].Value, c.Value) {
			c.Timestamp = max(c.Timestamp, r.now.UnixMilli())
			again = append(again, hbase.Put{Table: gets[i].Table, Row: gets[i].Row, Cells: []hbase.Cell{c}})
		}
	}
	return again, nil
}

// rows hands the rows of a scan to f, some at a time.
func (r *run) rows(ctx context.Context, scan hbase.Scan, f func([]hbase.Row) error) error {
	scan.PageSize = some
	var batch []hbase.Row
	hand := func() error {
		r.said = map[Violation]bool{}
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
	case len(rows) == 1 && r.reported(table, rows[0]):
		return nil
	case len(rows) == 1:
		r.report(violationOf(table, rows[0].Key, rows[0].Cells[0].Family, "", "unreadable", "readable", "%v", err))
		return nil
	}
	for i := range rows {
		if err := r.each(rows[i:i+1], table, f); err != nil {
			return err
		}
	}
	return nil
}

// reported reports whether the column of a list's row that can't be read was reported already.
func (r *run) reported(table string, row hbase.Row) bool {
	owner, err := tables.OwnerOf(row.Key)
	return err == nil && r.unreadable[listOf{tables.ListOf(table, row.Cells[0].Family), owner}]
}
