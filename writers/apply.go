package writers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// readAheadGets returns the reads of plan.now that can be made before the commit, and what takes
// their cells.
func (x *execution) readAheadGets() (gets []hbase.Get, take func([][]hbase.Cell) error) {
	members := slices.Concat(x.plan.now...).members()
	for _, m := range members {
		gets = append(gets, m.bucketsGet())
	}
	increments := x.sortedIncrements()
	for _, inc := range increments {
		gets = append(gets, countsGet(inc.location, inc.deltas))
	}
	return gets, func(cells [][]hbase.Cell) error {
		if err := x.takeBuckets(members, cells); err != nil {
			return err
		}
		for i, inc := range increments {
			inc.before, inc.read = cells[len(members)+i], true
		}
		return nil
	}
}

// takeBuckets remembers the buckets of members, given the cells of member.bucketsGet.
func (x *execution) takeBuckets(members []*member, cells [][]hbase.Cell) (err error) {
	for i, m := range members {
		if x.buckets[m], err = m.buckets(cells[i]); err != nil {
			return err
		}
	}
	return nil
}

// applyStages applies stages in turn. A stage is tried three times while the store is unavailable.
func (x *execution) applyStages(ctx context.Context, stages []stage, label string) error {
	for i, s := range stages {
		for try := 0; ; try++ {
			err := x.applyStage(ctx, s, fmt.Sprintf("%s%d ", label, i))
			if err == nil {
				break
			}
			if try == 2 || !errors.Is(err, hbase.ErrUnavailable) || ctx.Err() != nil {
				return err
			}
			sleep(ctx, 20*time.Millisecond<<try)
		}
	}
	return x.verifyAll(ctx)
}

// applyStage writes and counts in one round, and then does what takes several: nested operations
// and scans.
func (x *execution) applyStage(ctx context.Context, s stage, label string) error {
	if err := x.locate(ctx, s, label); err != nil {
		return err
	}
	if err := x.write(ctx, s, label); err != nil {
		return err
	}
	for _, e := range s {
		var err error
		switch e := e.(type) {
		case job:
			x.w.jobs(e.Job)
		case nested:
			err = x.runNested(ctx, e)
		case compensation:
			err = x.compensate(ctx, e, label)
		case each:
			err = x.each(ctx, e, label)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// locate reads the buckets of those members of which they are not known.
func (x *execution) locate(ctx context.Context, s stage, label string) error {
	members := slices.DeleteFunc(s.members(), func(m *member) bool { _, known := x.buckets[m]; return known })
	if len(members) == 0 {
		return nil
	}
	var gets []hbase.Get
	for _, m := range members {
		gets = append(gets, m.bucketsGet())
	}
	cells, err := x.get(ctx, label+"find buckets", gets)
	if err == nil {
		err = x.takeBuckets(members, cells)
	}
	if err != nil {
		return err
	}
	return x.checkOpen(ctx, label)
}

// write makes all writes of a stage, and counts, at the same time. Buckets that may be full then
// are split in the background.
func (x *execution) write(ctx context.Context, s stage, label string) error {
	var writes []write
	counted := map[location]bool{}
	for _, e := range s {
		switch e := e.(type) {
		case put:
			writes = append(writes, write{label + e.String(), e.Mutation})
		case job:
			writes = append(writes, write{label + e.String(), tables.Jobs.Put(e.Job)})
		case *member:
			writes = append(writes, e.writes(x.buckets[e], label)...)
			x.unverified[e] = x.buckets[e]
		case count:
			counted[e.location] = true
		}
	}
	var g errgroup.Group
	g.Go(func() error { return x.mutate(ctx, writes...) })
	lengths := map[column]int{}
	increments := slices.DeleteFunc(x.sortedIncrements(), func(inc *increment) bool { return !counted[inc.location] })
	for _, inc := range increments {
		g.Go(func() error { return x.w.increments.apply(ctx, x.client, inc, label) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, inc := range increments {
		for name, n := range inc.after {
			lengths[column{inc.location, name}] = n
		}
	}
	x.splitFull(ctx, s, lengths)
	return nil
}

// compensate runs a compensation if an object is missing. The objects are read when all members are
// where they belong.
func (x *execution) compensate(ctx context.Context, c compensation, label string) error {
	cells, err := x.getVerified(ctx, c.unless.rows(), label+c.String())
	if err != nil {
		return err
	}
	missing, err := c.unless.missingIn(cells)
	if err != nil {
		return x.failed(label+c.String(), err)
	}
	if !missing {
		return nil
	}
	return x.runNested(ctx, c.nested)
}

// verifyAll returns when all members are where they belong.
func (x *execution) verifyAll(ctx context.Context) error {
	for len(x.unverified) > 0 {
		if _, err := x.getVerified(ctx, nil, "check buckets"); err != nil {
			return err
		}
	}
	return nil
}

// getVerified reads, together with the buckets of the unverified members. Members whose bucket was
// split meanwhile are written again, and everything is read again, until there are none.
func (x *execution) getVerified(ctx context.Context, gets []hbase.Get, label string) ([][]hbase.Cell, error) {
	for {
		members := slices.SortedFunc(maps.Keys(x.unverified), (*member).compare)
		all := slices.Clone(gets)
		for _, m := range members {
			all = append(all, m.bucketsGet())
		}
		cells, err := x.get(ctx, label, all)
		if err != nil {
			return nil, err
		}
		var writes []write
		moved := map[*member]tables.Place{}
		for i, m := range members {
			at, err := m.buckets(cells[len(gets)+i])
			if err != nil {
				return nil, x.failed(label, err)
			}
			if at == x.unverified[m] {
				delete(x.unverified, m)
				delete(x.buckets, m)
			} else {
				moved[m] = at
				writes = append(writes, m.writes(at, "again ")...)
			}
		}
		if len(writes) == 0 {
			return cells[:len(gets)], nil
		}
		if err := x.checkOpen(ctx, label+" "); err != nil {
			return nil, err
		}
		if err := x.mutate(ctx, writes...); err != nil {
			return nil, err
		}
		maps.Copy(x.unverified, moved)
	}
}

// checkOpen returns errSuperseded if the operation is complete. It follows every read of buckets:
// who removes the member does so when this operation is complete, and so finds at least the buckets
// that were read here. What this execution writes late is masked in all of them.
func (x *execution) checkOpen(ctx context.Context, label string) error {
	open, err := x.openIntents(ctx, []string{x.intent.ID}, label+"own intent")
	if err == nil && !open[x.intent.ID] {
		err = errSuperseded
	}
	return err
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
