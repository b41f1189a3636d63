package writers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (x *execution) readAheadGets() (gets []hbase.Get, take func([][]hbase.Cell) error) {
	members := slices.Concat(x.effects.now...).members()
	gets = bucketGets(members)
	increments := x.sortedIncrements()
	for _, inc := range increments {
		gets = append(gets, countsGet(inc.location, inc.deltas))
	}
	return gets, func(cells [][]hbase.Cell) error {
		for i, inc := range increments {
			inc.before, inc.fresh = cells[len(members)+i], true
		}
		return takeBuckets(members, cells)
	}
}

// applyStages applies stages[from:], and tries each up to three times if the store is unavailable.
func (x *execution) applyStages(ctx context.Context, stages []stage, from int, label string) error {
	for i := from; i < len(stages); i++ {
		for try := 0; ; try++ {
			err := x.applyStage(ctx, stages[i], fmt.Sprintf("%s%d ", label, i))
			if x.superseded.Load() {
				return nil
			}
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

func (x *execution) applyStage(ctx context.Context, s stage, label string) error {
	if err := x.locate(ctx, s, label); x.ended(err) {
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
		if x.ended(err) {
			return err
		}
	}
	return nil
}

func (x *execution) locate(ctx context.Context, s stage, label string) error {
	members := slices.DeleteFunc(s.members(), func(m *member) bool { return m.known })
	if len(members) == 0 {
		return nil
	}
	cells, err := x.get(ctx, label+"find buckets", bucketGets(members))
	if err == nil {
		err = takeBuckets(members, cells)
	}
	if err != nil {
		return err
	}
	return x.checkOpen(ctx, label)
}

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
			if x.compensated {
				continue
			}
			writes = append(writes, e.writes(e.buckets, label)...)
			if !slices.Contains(x.unverified, e) {
				x.unverified = append(x.unverified, e)
			}
		case count:
			counted[e.location] = true
		}
	}
	var g errgroup.Group
	g.Go(func() error { return x.mutate(ctx, writes...) })
	increments := slices.DeleteFunc(x.sortedIncrements(), func(inc *increment) bool { return !counted[inc.location] })
	for _, inc := range increments {
		g.Go(func() error { return x.w.increments.apply(ctx, x.client, inc, label) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	lengths := map[column]int{}
	for _, inc := range increments {
		for name, n := range inc.after {
			lengths[column{inc.location, name}] = n
		}
	}
	x.splitFull(ctx, s, lengths)
	return nil
}

func (x *execution) compensate(ctx context.Context, c compensation, label string) error {
	cells, err := x.getVerified(ctx, c.objects.existenceGets(), label+c.String())
	if x.ended(err) {
		return err
	}
	missing, err := c.objects.missingIn(cells)
	if err != nil {
		return x.failed(label+c.String(), err)
	}
	if !missing {
		return nil
	}
	return x.runNested(ctx, c.nested)
}

func (x *execution) verifyAll(ctx context.Context) error {
	if len(x.unverified) == 0 {
		return nil
	}
	_, err := x.getVerified(ctx, nil, "check buckets")
	return err
}

// getVerified verifies x.unverified and, in the same rounds, reads gets. It writes members again
// until their buckets stop changing. It returns nil if the execution is superseded.
func (x *execution) getVerified(ctx context.Context, gets []hbase.Get, label string) ([][]hbase.Cell, error) {
	for {
		cells, err := x.get(ctx, label, append(bucketGets(x.unverified), gets...))
		if err != nil {
			return nil, err
		}
		var moved []*member
		var buckets []tables.BucketsAt
		var writes []write
		for i, m := range x.unverified {
			at, err := m.decodeBuckets(cells[i])
			if err != nil {
				return nil, x.failed(label, err)
			}
			if at == m.buckets {
				m.known = false
				continue
			}
			moved, buckets = append(moved, m), append(buckets, at)
			writes = append(writes, m.writes(at, "again ")...)
		}
		cells = cells[len(x.unverified):]
		if x.unverified = moved; len(moved) == 0 {
			return cells, nil
		}
		if err := x.checkOpen(ctx, label+" "); x.ended(err) {
			return nil, err
		}
		if x.compensated {
			x.unverified = nil
			continue
		}
		if err := x.mutate(ctx, writes...); err != nil {
			return nil, err
		}
		for i, m := range moved {
			m.buckets = buckets[i]
		}
	}
}

// checkOpen sets x.superseded if the operation is complete, and otherwise x.compensated if a
// compensation has committed. After the commit, it is called between a read of the directory and a
// write of members: see docs/WRITES.md, "Splits".
func (x *execution) checkOpen(ctx context.Context, label string) error {
	gets := []hbase.Get{tables.Intents.Open(x.intent.ID)}
	if x.intent.Table != "" {
		gets = append(gets, x.commitRecordGet())
	}
	cells, err := x.get(ctx, label+"own intent", gets)
	if err != nil {
		return err
	}
	if len(cells[0]) == 0 {
		x.superseded.Store(true)
		return nil
	}
	if x.intent.Table != "" {
		record, err := tables.DecodeCommitRecord(cells[1], x.intent.Family)
		id, _ := tables.CommittedBy(record)
		x.compensated = id != x.intent.ID
		return err
	}
	return nil
}

func bucketGets(members []*member) (gets []hbase.Get) {
	for _, m := range members {
		gets = append(gets, m.list.BucketsAt(m.owner, m.cell.Qualifier))
	}
	return gets
}

func takeBuckets(members []*member, cells [][]hbase.Cell) (err error) {
	for i, m := range members {
		if m.buckets, err = m.decodeBuckets(cells[i]); err != nil {
			return err
		}
		m.known = true
	}
	return nil
}

func (m *member) decodeBuckets(cells []hbase.Cell) (tables.BucketsAt, error) {
	return m.list.DecodeBucketsAt(m.owner, m.cell.Qualifier, cells)
}

// writes also deletes the member from bucket 0 if another bucket covers it, to mask late writes of
// executions with an older directory. But if a member is added while bucket 0 may have old copies
// (BucketsAt.Moving), it puts a moved marker there.
func (m *member) writes(at tables.BucketsAt, label string) []write {
	purpose := label + m.String()
	put := func(bucket uint32, c hbase.Cell) hbase.Mutation {
		return hbase.PutCells(m.list.Table, m.list.Row(m.owner, bucket), c)
	}
	remove := func(bucket uint32) hbase.Mutation {
		return hbase.DeleteCells(m.list.Table, m.list.Row(m.owner, bucket), m.cell)
	}
	in := func(bucket uint32) hbase.Mutation {
		if m.removed {
			return remove(bucket)
		}
		return put(bucket, m.cell)
	}
	writes := []write{{purpose, in(at.Covering)}}
	if at.Pending != 0 {
		writes = append(writes, write{purpose + ", pending", in(at.Pending)})
	}
	switch {
	case at.Covering == 0:
	case at.Moving && !m.removed:
		marker := m.list.MovedCell(m.cell.Qualifier, m.cell.Timestamp)
		writes = append(writes, write{purpose + ", moving", put(0, marker)})
	default:
		writes = append(writes, write{purpose + ", bucket 0", remove(0)})
	}
	return writes
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
