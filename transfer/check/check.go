// Package check checks whether all derived data of a store follows from its sources, and repairs what differs.
//
// The sources are the objects, the edges, the plays, the names of twits, and the comments of twits. Derived are the
// lists of both ends, the buckets of split lists, the counts, the sums and the timelines. Each check reads a table, a
// batch of rows at a time, with the data that is derived from them, or from which they are derived. So memory depends
// on the number of violations and of departments, and on no other table's size.
//
// Nothing else may write to the store: an operation in progress looks like a violation, and a repair would be a second
// writer.
package check

import (
	"cmp"
	"context"
	"errors"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// Checker is how to check a store. Only the store is needed.
type Checker struct {
	Store hbase.Store
	// Report is called with each violation, Read with how many more rows of a table were read; both from one
	// goroutine. Nil is no call.
	Report func(Violation)
	Read   func(table string, rows int)
	// Waiting is called with the number of fan-out jobs: the twits of their authors are not checked in timelines.
	Waiting func(jobs int)
	// Grace is for how long a write may be on its way before that is a violation.
	Grace time.Duration
	// TimelineBound is how many entries a timeline keeps: [tables.TimelineBound] if it is 0, less in tests.
	TimelineBound int
}

// All calls report with each violation of a store.
func All(ctx context.Context, store hbase.Store, report func(Violation)) error {
	return Checker{Store: store, Report: report}.Run(ctx)
}

// Run checks the store once, writes nothing, and returns how that ended: a violation is no error.
func (c Checker) Run(ctx context.Context) error {
	return c.run(ctx, false)
}

// maxRuns is how often RepairAll checks a store at most. A member of a bucket that no directory names, say, is moved
// into another one, then seen not to follow from anything, and then not counted any more.
const maxRuns = 8

// Result says what became of violations.
type Result struct {
	// Found is how many there were in all, Left how many are still there.
	Found, Left int
}

// RepairAll repairs until nothing is left that can be repaired, and proves that by going through the store once more.
// Interrupted, or done twice, it comes to the same.
func (c Checker) RepairAll(ctx context.Context) (Result, error) {
	var result Result
	report := c.Report
	for n := range maxRuns {
		found, lost := 0, 0
		c.Report = func(v Violation) {
			if found++; v.Lost {
				lost++
			}
			if report != nil && (n == 0 || !v.Lost) {
				report(v)
			}
		}
		if err := c.run(ctx, true); err != nil {
			return result, err
		}
		if result.Left = found; n == 0 || found > lost {
			result.Found += found
		}
		if found == lost {
			break
		}
	}
	return result, nil
}

// run is one check of a store.
//
// A check without repairs notes the changes that repairs would have made, in the fields from off on. So it reports a
// violation alone, and not also the counts and sums that follow from it.
type run struct {
	Checker
	repair bool
	now    time.Time
	// reported are the violations of the rows that are being checked.
	reported map[Violation]bool
	// puts and deletes are the repairs that are not written yet.
	puts    []hbase.Put
	deletes []hbase.Mutation
	// resting is whether splits are in progress that have not cleaned up yet.
	resting bool
	// broken is whether there are directories that lead nowhere, and are not repaired.
	broken bool
	// parents has the parent of each department that could be read, unread all others.
	parents map[string]string
	unread  map[string]bool
	// levels is the depth of the tree of departments, as far as it was checked.
	levels int
	// damaged are the lists in which an unreadable twit was reported: the row is not reported again.
	damaged map[listOf]bool
	// busy are the authors with pending fan-out jobs, and elsewhere the broadcasters: their twits may be missing in
	// timelines.
	busy, elsewhere map[string]bool
	// pending are the ids of the fan-out jobs.
	pending map[string]bool

	// off is how many members lists should have more than they have, and lacking has these members by their positions.
	off     map[listOf]rebuild.Length
	lacking map[listOf]map[string]*hbase.Cell
	// named are the twits whose names lack a row, and restricted the public ones that should be for followers only.
	named, restricted map[tables.TwitKey]bool
}

// listOf is the list of an owner.
type listOf struct {
	*tables.AnyList
	owner string
}

// run checks the store once. Some violations show only when others are repaired, so it takes another run to find none.
func (c Checker) run(ctx context.Context, repair bool) error {
	if c.Report == nil {
		c.Report = func(Violation) {}
	}
	if c.Read == nil {
		c.Read = func(string, int) {}
	}
	if c.Waiting == nil {
		c.Waiting = func(int) {}
	}
	c.TimelineBound = cmp.Or(c.TimelineBound, tables.TimelineBound)
	r := &run{
		Checker: c, repair: repair, now: time.Now(), reported: map[Violation]bool{}, damaged: map[listOf]bool{},
		busy: map[string]bool{}, elsewhere: map[string]bool{}, pending: map[string]bool{},
		off: map[listOf]rebuild.Length{}, lacking: map[listOf]map[string]*hbase.Cell{},
		named: map[tables.TwitKey]bool{}, restricted: map[tables.TwitKey]bool{},
	}
	return r.inOrder(ctx,
		// The sources come before what is derived from them.
		r.intents, r.jobs, r.broadcasters, r.buckets, r.accounts, r.edges, r.references, r.depth, r.visibilities, r.twits,
		r.twitNames, r.comments, r.plays, r.lists, r.lengths, r.days, r.timelines, r.entries,
	)
}

// inOrder runs checks one after the other, and writes the repairs of each before the next one reads.
func (r *run) inOrder(ctx context.Context, checks ...func(context.Context) error) error {
	for _, check := range checks {
		if err := check(ctx); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
		if r.broken {
			return nil // all that is behind broken directories would seem to be lost
		}
	}
	return nil
}

const (
	// batchRows is how many rows are checked together.
	batchRows = 256
	// maxRepairs is how many repairs are written together.
	maxRepairs = 1000
)

// flush writes repairs. What is put has the timestamp of what it follows from, so that whatever is decided later is
// younger. Only where a deletion masks it, it is younger itself.
func (r *run) flush(ctx context.Context) error {
	if err := rebuild.WriteVisible(ctx, r.Store, r.puts); err != nil {
		return err
	}
	if len(r.deletes) > 0 {
		if err := hbase.MutateAll(ctx, r.Store, []hbase.Mutation{tables.Imports.PutRepaired()}); err != nil {
			return err
		}
	}
	err := hbase.MutateAll(ctx, r.Store, r.deletes)
	r.puts, r.deletes = nil, nil
	return err
}

// rows calls f with the rows of a scan, a batch at a time.
func (r *run) rows(ctx context.Context, scan hbase.Scan, f func([]hbase.Row) error) error {
	scan.PageSize = batchRows
	for batch, err := range rebuild.Batches(r.Store.Scan(ctx, scan), batchRows) {
		if err != nil {
			return err
		}
		r.reported = map[Violation]bool{}
		if err := r.each(batch, scan.Table, f); err != nil {
			return err
		}
		r.Read(scan.Table, len(batch))
		if len(r.puts)+len(r.deletes) >= maxRepairs {
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls f with all rows or, if something can't be read, with one at a time, to find out which.
func (r *run) each(rows []hbase.Row, table string, f func([]hbase.Row) error) error {
	err := f(rows)
	if !errors.Is(err, hbase.ErrCorrupt) {
		return err
	}
	if len(rows) == 1 {
		row, family := rows[0], rows[0].Cells[0].Family
		owner, _ := tables.OwnerOf(row.Key)
		if !r.damaged[listOf{tables.ListOf(table, family), owner}] {
			r.unreadable(column{table, row.Key, family, ""}, err)
		}
		return nil
	}
	for i := range rows {
		if err := r.each(rows[i:i+1], table, f); err != nil {
			return err
		}
	}
	return nil
}
