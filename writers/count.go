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

// Counts change exactly once for each operation, though several executions may apply it. Each row
// that counts has a journal of the operations that were counted. One CheckAndPut, on the journal,
// writes the counts and the journal.
//
//	read the counts and the journal
//	  │
//	  ▼
//	in the journal? ──────────────────────────── yes ──► counted
//	  │ no
//	  ▼
//	read the intent: is it there? ────────────── no ───► counted: the operation was complete before the read
//	  │ yes: the counts that were read lack it
//	  ▼
//	CheckAndPut: if the journal is unchanged ─── won ──► counted
//	  │ lost, or no answer
//	  └──► again
//
// Counts that the first execution read before the commit lack the operation for sure, so it starts
// with the CheckAndPut. A full journal drops the operations whose intents are gone: they are
// complete, and nobody will count them again.
//
// The operations of a gateway that count in the same row at the same time share a CheckAndPut, so
// that a row in which all count does not become a bottleneck.

const (
	// maxJournal is how many operations a journal names before those are dropped that are complete.
	maxJournal = 32
	// maxTries bounds the retries of a contended CheckAndPut.
	maxTries = 100
)

// increment is what one operation adds to the counts in one row.
type increment struct {
	location
	op     string
	deltas map[string]int // by column
	// before are the cells of the row, if they were read before the commit. They cannot include the
	// operation. read is whether they were read, and not used yet.
	before []hbase.Cell
	read   bool
	// done gets the result when the increment was applied.
	done chan error
	// after are the counts with the increment, if this process added it.
	after map[string]int
}

// addIncrements adds up what a stage counts in each row. Other stages must not count in the same
// row: an increment is applied once.
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

// incrementQueue combines the increments of concurrent operations in one row.
type incrementQueue struct {
	mu sync.Mutex
	// rows has the increments that wait, for each row that a goroutine is writing.
	rows map[location][]*increment
}

// apply applies an increment exactly once, even if several gateways call it.
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

// drain applies the increments that wait for a row, until there are none.
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

// take returns the increments that wait for a row. If there are none, no goroutine writes it any more.
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

// applyBatch applies increments in one row.
func applyBatch(ctx context.Context, c client, batch []*increment, label string) error {
	last := c.failed(label, fmt.Errorf("%w: other operations count in this row", hbase.ErrUnavailable))
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

// readAndAdd is one try of applyBatch. What was read before the commit is used once.
func readAndAdd(ctx context.Context, c client, batch []*increment, label string) (bool, error) {
	at, columns := batch[0].location, map[string]int{}
	for _, p := range batch {
		maps.Copy(columns, p.deltas)
	}
	if p := batch[0]; len(batch) == 1 && p.read {
		p.read = false
		s, err := decodeCounts(at, p.before, columns)
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

// countsGet reads columns that count, and their journal.
func countsGet(at location, columns map[string]int) hbase.Get {
	names := append([]string{tables.Attributes + ":" + tables.CountedColumn}, slices.Sorted(maps.Keys(columns))...)
	return hbase.Get{Table: at.table, Row: at.row, Columns: strings.Join(names, " ")}
}

// counts are the counts of a row at one time.
type counts struct {
	location
	journal tables.Journal
	value   []byte         // of the journal, as it is stored
	now     map[string]int // by column
	// timestamp is that of the youngest cell.
	timestamp int64
}

func decodeCounts(at location, cells []hbase.Cell, columns map[string]int) (*counts, error) {
	s := &counts{location: at, now: map[string]int{}, timestamp: youngest(cells)}
	var err error
	if s.journal, s.value, err = tables.DecodeJournal(cells); err != nil {
		return nil, err
	}
	for i, c := range cells {
		name := c.Family + ":" + c.Qualifier
		if _, asked := columns[name]; asked {
			if s.now[name], err = tables.DecodeCount(cells[i : i+1]); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// uncounted returns the increments that are not in these counts, and drops complete operations from
// a full journal. The intents are read after the counts: an operation without one was complete, and
// counted, when the counts were read.
func (s *counts) uncounted(ctx context.Context, c client, batch []*increment, label string) ([]*increment, error) {
	uncounted := slices.DeleteFunc(slices.Clone(batch), func(p *increment) bool { return s.journal.Has(p.op) })
	if len(uncounted) == 0 {
		return nil, nil
	}
	var ops []string
	for _, p := range uncounted {
		ops = append(ops, p.op)
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
	return slices.DeleteFunc(uncounted, func(p *increment) bool { return !open[p.op] }), nil
}

// add adds increments to these counts. It reports false if the row has changed.
func (s *counts) add(ctx context.Context, c client, batch []*increment, label string) (bool, error) {
	timestamp := max(c.w.now().UnixMilli(), s.timestamp+1)
	journal := tables.Journal{Revision: s.journal.Revision + 1, Ops: slices.Clone(s.journal.Ops)}
	after, changed := maps.Clone(s.now), map[string]bool{}
	for _, p := range batch {
		if journal.Has(p.op) {
			continue
		}
		journal.Ops = append(journal.Ops, p.op)
		for name, delta := range p.deltas {
			after[name] = max(0, after[name]+delta)
			changed[name] = true
		}
	}
	put := hbase.Put{Table: s.table, Row: s.row, Cells: []hbase.Cell{journal.Cell(timestamp)}}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		family, qualifier, _ := strings.Cut(name, ":")
		put.Cells = append(put.Cells, hbase.Cell{Family: family, Qualifier: qualifier, Timestamp: timestamp,
			Value: strconv.AppendInt(nil, int64(after[name]), 10)})
	}
	check := hbase.Check{Family: tables.Attributes, Qualifier: tables.CountedColumn, Value: s.value}
	done, err := c.checkAndPut(ctx, label, check, put)
	if done {
		for _, p := range batch {
			p.after = after
		}
	}
	return done, err
}
