// Package check compares all derived data of a store with its sources, and repairs the differences.
//
//	sources                        derived data
//	edges, plays                   the members of the lists of both ends
//	references                     the members of the lists of their targets
//	users                          the rows of the search table
//	names of twits, twits          the author's list, the album, timelines
//	comments of a twit             the lists of their authors
//	the members of a list          its buckets and length
//	plays                          the sums of a game by day
//
// Checks of sources, such as edges, expect entries in lists (expect). Checks of lists read the
// source of each member (explain). A check scans one table in batches. It keeps violations,
// departments, pending jobs and broadcasters in memory, and, for 32 users at a time, their
// timelines and the authors that they follow.
//
//	scan a table ──► compare with the other side ──► report ──► repairs ──► flush after each check
//
// The order of the checks matters:
//   - Intents, jobs and broadcasters come first: they show the operations in progress.
//   - Buckets come next: members are read through them.
//   - Sources follow, names of twits before edges and comments: a repair ends the likes of a twit
//     without a name, and deletes its comments.
//   - Lists, lengths, sums and timelines come last, and are compared with repaired data. A run
//     without repairs accounts for the missing repairs, so it does not report a missing member
//     again as a wrong length.
//
// An operation in progress looks like a violation. So only RunLive checks a store that gateways
// write to.
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

// Checker checks a store. All fields except Store are optional. The functions are not called
// concurrently.
type Checker struct {
	Store  hbase.Store
	Report func(Violation)
	// Read gets the name of a table, and the number of rows read since the last call.
	Read func(table string, rows int)
	// Waiting gets the number of pending fan-out jobs. Their authors' timeline entries are not
	// checked.
	Waiting func(jobs int)
	// Grace is the age at which an incomplete operation becomes a violation.
	Grace time.Duration
	// TimelineBound is by default [tables.TimelineBound].
	TimelineBound int
}

// All is [Checker.Run] with only a Report.
func All(ctx context.Context, store hbase.Store, report func(Violation)) error {
	return Checker{Store: store, Report: report}.Run(ctx)
}

// Run checks once and writes nothing.
func (c Checker) Run(ctx context.Context) error {
	return c.run(ctx, false)
}

const maxRuns = 8

// Result counts violations.
type Result struct {
	Found int // by all runs; a violation without a repair counts only once
	Left  int // found by the last run
}

// RepairAll repairs until only violations without a repair are left, in up to maxRuns runs, because
// a repair may reveal another violation. It may be called again after an error.
func (c Checker) RepairAll(ctx context.Context) (Result, error) {
	var result Result
	report := c.Report
	known := map[column]int{} // violations without a repair, of all runs
	for range maxRuns {
		found, repaired := 0, 0
		unrepairable := map[column]int{} // of this run
		c.Report = func(v Violation) {
			found++
			if at := v.at(); !v.Unrepairable {
				repaired++
			} else if unrepairable[at]++; unrepairable[at] > known[at] {
				known[at] = unrepairable[at]
			} else {
				return
			}
			if result.Found++; report != nil {
				report(v)
			}
		}
		if err := c.run(ctx, true); err != nil {
			return result, err
		}
		if result.Left = found; repaired == 0 {
			break
		}
	}
	return result, nil
}

type run struct {
	Checker
	repair bool
	now    time.Time
	// reported has the violations of the current batch.
	reported map[Violation]bool
	puts     []hbase.Put
	deletes  []hbase.Mutation

	splitting bool            // a split has not cleaned up yet
	broken    bool            // a directory was not repaired, so its members can't be found
	damaged   map[listOf]bool // lists with an unreadable twit, which is reported

	parents map[string]string // by department
	unread  map[string]bool   // unreadable departments
	levels  int               // of departments

	pending map[string]bool // ids of jobs
	busy    map[string]bool // the authors of these jobs
	merged  map[string]bool // authors that are not Pushed: timelines may lack their twits

	// The repairs that a run without repairs did not write.
	lengthDiff map[listOf]rebuild.Length
	lacking    map[listOf]map[string]*hbase.Cell // missing members by position

	unnamed    map[tables.TwitKey]bool // twits without a row in twit_ids
	restricted map[tables.TwitKey]bool // public twits that should be for followers
}

type listOf struct {
	*tables.AnyList
	owner string
}

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
		busy: map[string]bool{}, merged: map[string]bool{}, pending: map[string]bool{},
		lengthDiff: map[listOf]rebuild.Length{}, lacking: map[listOf]map[string]*hbase.Cell{},
		unnamed: map[tables.TwitKey]bool{}, restricted: map[tables.TwitKey]bool{},
	}
	for _, check := range []func(context.Context) error{
		r.intents, r.jobs, r.broadcasters, r.buckets, r.accounts, r.search, r.references, r.depth,
		r.twitVisibilities, r.albumVisibilities, r.twits, r.twitNames, r.edges, r.comments, r.plays,
		r.lists, r.lengths, r.days, r.timelines, r.entries,
	} {
		if err := check(ctx); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
		if r.broken {
			return nil
		}
	}
	return nil
}

const (
	batchRows  = 256
	maxRepairs = 1000 // per flush
)

// flush writes the repairs. Puts have the timestamp of their source or of the cell that they
// replace, or 1 ms more, so that later commits win.
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

// rows calls f with batches, and flushes if there are many repairs.
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

// each calls f with the rows, and after a decoding error with single rows, to report the unreadable
// ones.
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
