package writers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// An operation's counts change exactly once, even if several executions apply it. A CheckAndPut
// writes the counts together with a journal of the counted operations, and expects the journal that
// was read.
//
//	read the counts and the journal ◄───────────────────────────┐
//	  ▼                                                         │
//	operation in the journal? ── yes ──► counted                │
//	  ▼ no                                                      │
//	read its intent: removed? ── yes ──► counted: the operation is complete
//	  ▼ no                                                      │
//	CheckAndPut, if the journal is unchanged ─── failed ────────┘
//	  ▼
//	counted
//
// A full journal drops operations whose intent is removed. So intents are read after the journal:
// if the intent still exists, and the journal lacks the operation, it is not counted.
//
// A gateway's concurrent increments of a row share a CheckAndPut, so a hot row is no bottleneck.
//
// Counts read before the commit cannot include the operation. So a single increment starts with the
// CheckAndPut, unless the journal is full.

const (
	maxJournal = 32
	maxTries   = 100
)

type increment struct {
	location
	op     string
	deltas map[string]int // by column
	// before has the counts and the journal from before the commit. fresh is true until their first
	// use.
	before []hbase.Cell
	fresh  bool
	done   chan error
	after  map[string]int // the row's counts after the CheckAndPut, by column
}

// addIncrements panics if two stages count in one row, because the journal would hide the second
// count.
func (x *execution) addIncrements(s stage) {
	own := map[location]bool{}
	for _, e := range s {
		c, ok := e.(count)
		if !ok {
			continue
		}
		inc := x.increments[c.location]
		if inc == nil {
			inc = &increment{location: c.location, op: x.intent.ID, deltas: map[string]int{}}
			x.increments[c.location], own[c.location] = inc, true
		} else if !own[c.location] {
			panic("writers: " + x.caller + " counts in one row in two stages")
		}
		inc.deltas[c.name] += c.delta
	}
}

func (x *execution) sortedIncrements() []*increment {
	return slices.SortedFunc(maps.Values(x.increments), func(a, b *increment) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.row, b.row))
	})
}

type incrementQueue struct {
	mu   sync.Mutex
	rows map[location][]*increment
}

func (q *incrementQueue) apply(ctx context.Context, c client, inc *increment, label string) error {
	inc.done = make(chan error, 1)
	q.mu.Lock()
	waiting, busy := q.rows[inc.location]
	q.rows[inc.location] = append(waiting, inc)
	q.mu.Unlock()
	if !busy {
		c.w.running.Go(func() { q.drain(ctx, c, inc.location, label) })
	}
	return <-inc.done
}

func (q *incrementQueue) drain(ctx context.Context, c client, at location, label string) {
	ctx, cancel := c.w.outlive(ctx)
	defer cancel()
	for batch := q.take(at); len(batch) > 0; batch = q.take(at) {
		limited, cancel := context.WithTimeout(ctx, hbase.DefaultTimeout)
		err := applyBatch(limited, c, batch, label+"count "+at.table)
		cancel()
		for _, inc := range batch {
			inc.done <- err
		}
	}
}

func (q *incrementQueue) take(at location) []*increment {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.rows[at]
	if len(batch) == 0 {
		delete(q.rows, at)
	} else {
		q.rows[at] = nil
	}
	return batch
}

func applyBatch(ctx context.Context, c client, batch []*increment, label string) error {
	last := c.failed(label, fmt.Errorf("%w: too many concurrent counts in this row", hbase.ErrUnavailable))
	for try := range maxTries {
		if try > 1 {
			sleep(ctx, time.Duration(min(try-1, 20))*time.Millisecond)
		}
		done, err := readAndAdd(ctx, c, batch, label)
		switch {
		case err == nil && done:
			return nil
		case err != nil && !errors.Is(err, hbase.ErrUnavailable):
			return err
		case err != nil:
			last = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return last
}

// readAndAdd returns false if the journal has changed since it was read.
func readAndAdd(ctx context.Context, c client, batch []*increment, label string) (bool, error) {
	at, columns := batch[0].location, map[string]int{}
	for _, inc := range batch {
		maps.Copy(columns, inc.deltas)
	}
	if inc := batch[0]; len(batch) == 1 && inc.fresh {
		inc.fresh = false
		s, err := decodeCounts(at, inc.before, columns)
		if err != nil {
			return false, c.failed(label, err)
		}
		if len(s.journal.Ops) < maxJournal {
			return s.add(ctx, c, batch, label)
		}
	}
	cells, err := c.one(ctx, label+", read", countsGet(at, columns))
	if err != nil {
		return false, err
	}
	s, err := decodeCounts(at, cells, columns)
	if err != nil {
		return false, err
	}
	uncounted, err := s.uncounted(ctx, c, batch, label)
	if err != nil || len(uncounted) == 0 {
		return err == nil, err
	}
	return s.add(ctx, c, uncounted, label)
}

func countsGet(at location, columns map[string]int) hbase.Get {
	names := append([]string{tables.Attributes + ":" + tables.CountedColumn}, slices.Sorted(maps.Keys(columns))...)
	return hbase.Get{Table: at.table, Row: at.row, Columns: strings.Join(names, " ")}
}

type counts struct {
	location
	journal         tables.Journal
	storedJournal   []byte
	now             map[string]int
	latestTimestamp int64
}

func decodeCounts(at location, cells []hbase.Cell, columns map[string]int) (*counts, error) {
	s := &counts{location: at, now: map[string]int{}, latestTimestamp: hbase.LatestTimestamp(cells)}
	var err error
	if s.journal, s.storedJournal, err = tables.DecodeJournal(cells); err != nil {
		return nil, err
	}
	for i, c := range cells {
		name := c.Family + ":" + c.Qualifier
		if _, counted := columns[name]; counted {
			if s.now[name], err = tables.DecodeCount(cells[i : i+1]); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// uncounted returns the increments of batch that are still to be added. It also drops complete
// operations from a full journal.
func (s *counts) uncounted(ctx context.Context, c client, batch []*increment, label string) ([]*increment, error) {
	uncounted := slices.DeleteFunc(slices.Clone(batch), func(inc *increment) bool { return s.journal.Has(inc.op) })
	if len(uncounted) == 0 {
		return nil, nil
	}
	var ops []string
	for _, inc := range uncounted {
		ops = append(ops, inc.op)
	}
	full := len(s.journal.Ops) >= maxJournal
	if full {
		ops = append(ops, s.journal.Ops...)
	}
	open, err := c.openIntents(ctx, ops, label+", intents")
	if err != nil {
		return nil, err
	}
	if full {
		s.journal.Ops = slices.DeleteFunc(slices.Clone(s.journal.Ops), func(op string) bool { return !open[op] })
	}
	return slices.DeleteFunc(uncounted, func(inc *increment) bool { return !open[inc.op] }), nil
}

func (s *counts) add(ctx context.Context, c client, batch []*increment, label string) (bool, error) {
	timestamp := max(c.w.now().UnixMilli(), s.latestTimestamp+1)
	journal := tables.Journal{Revision: s.journal.Revision + 1, Ops: slices.Clone(s.journal.Ops)}
	after, changed := maps.Clone(s.now), map[string]bool{}
	for _, inc := range batch {
		if journal.Has(inc.op) {
			continue
		}
		journal.Ops = append(journal.Ops, inc.op)
		for name, delta := range inc.deltas {
			after[name] = max(0, after[name]+delta)
			changed[name] = true
		}
	}
	put := hbase.PutCells(s.table, s.row, journal.Cell(timestamp))
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		family, qualifier, _ := strings.Cut(name, ":")
		put.Cells = append(put.Cells, hbase.Cell{Family: family, Qualifier: qualifier, Timestamp: timestamp,
			Value: strconv.AppendInt(nil, int64(after[name]), 10)})
	}
	check := hbase.Check{Family: tables.Attributes, Qualifier: tables.CountedColumn, Value: s.storedJournal}
	done, err := c.checkAndPut(ctx, label, check, put)
	if done {
		for _, inc := range batch {
			inc.after = after
		}
	}
	return done, err
}
