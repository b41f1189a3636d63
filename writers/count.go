package writers

import (
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

// tally is what one write counts in one row.
type tally struct {
	place
	op     string
	deltas map[string]int // by column
	// before are the row's cells as they were before the write was decided, so that it can't be counted in them, if they were read.
	before []hbase.Cell
	read   bool
	// after are the counts when it had been counted, if this process did so.
	after map[string]int
}

func (t *tally) get() hbase.Get { return countsGet(t.place, t.deltas) }

func countsGet(at place, deltas map[string]int) hbase.Get {
	columns := append([]string{tables.Attributes + ":" + tables.CountedColumn}, slices.Sorted(maps.Keys(deltas))...)
	return hbase.Get{Table: at.table, Row: at.row, Columns: strings.Join(columns, " ")}
}

// maxJournal is how many writes a journal names before those are looked up whose intents are gone.
const maxJournal = 32

// counting combines the tallies that wait for the same row into one CheckAndPut.
type counting struct {
	mu   sync.Mutex
	rows map[place]*countedRow
}

// countedRow is a row of which somebody writes the counts. The others wait.
type countedRow struct{ waiting []*waiting }

type waiting struct {
	*tally
	done chan error // of one
}

func (c *counting) init() { c.rows = map[place]*countedRow{} }

// apply counts a tally, exactly once however often it is called and by whom.
func (c *counting) apply(ctx context.Context, p port, t *tally, label string) error {
	mine := &waiting{t, make(chan error, 1)}
	c.mu.Lock()
	row := c.rows[t.place]
	if row != nil {
		row.waiting = append(row.waiting, mine)
		c.mu.Unlock()
		return <-mine.done
	}
	row = &countedRow{}
	c.rows[t.place] = row
	c.mu.Unlock()
	// The first does the work of those that come meanwhile, so it must not end with its own ctx.
	work, cancel := p.w.outlive(ctx)
	defer cancel()
	work, cancel = context.WithTimeout(work, hbase.DefaultTimeout)
	defer cancel()
	label += "count " + t.table
	for batch := []*waiting{mine}; len(batch) > 0; batch = c.next(t.place, row) {
		err := countTogether(work, p, batch, label)
		for _, w := range batch {
			w.done <- err
		}
	}
	return <-mine.done
}

// next returns who waits for a row now. If nobody does, the row is left.
func (c *counting) next(at place, row *countedRow) []*waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := row.waiting
	row.waiting = nil
	if len(batch) == 0 {
		delete(c.rows, at)
	}
	return batch
}

// countTogether counts the tallies of one row in one step.
func countTogether(ctx context.Context, p port, batch []*waiting, label string) error {
	all := map[string]int{} // the columns of all
	for _, w := range batch {
		maps.Copy(all, w.deltas)
	}
	if w := batch[0]; len(batch) == 1 && w.read {
		w.read = false // once
		s, err := readCounts(w.place, w.before, all)
		if err != nil {
			return p.failed(label, err)
		}
		if len(s.journal.Ops) < maxJournal {
			if done, err := s.add(ctx, p, batch, label); done && err == nil {
				return nil
			}
		}
	}
	var last error
	for try := range maxTries {
		if try > 0 {
			sleep(ctx, time.Duration(min(try, 20))*time.Millisecond)
		}
		cells, err := p.one(ctx, label+", read", countsGet(batch[0].place, all))
		var s *counts
		if err == nil {
			s, err = readCounts(batch[0].place, cells, all)
		}
		var open []*waiting
		if err == nil {
			open, err = s.open(ctx, p, batch, label)
		}
		done := err == nil && len(open) == 0
		if err == nil && !done {
			done, err = s.add(ctx, p, open, label)
		}
		if done && err == nil {
			return nil
		}
		if last = err; err != nil && !errors.Is(err, hbase.ErrUnavailable) {
			return err
		}
		if ctx.Err() != nil {
			break
		}
	}
	if last == nil {
		last = p.failed(label, fmt.Errorf("%w: others count in this row all the time", hbase.ErrUnavailable))
	}
	return last
}

// maxTries is how often something is tried that others keep in the way of.
const maxTries = 100

// counts are the counts of a row at one time.
type counts struct {
	place
	journal tables.Journal
	value   []byte // of the journal
	now     map[string]int
	// timestamp is that of the youngest.
	timestamp int64
}

func readCounts(at place, cells []hbase.Cell, columns map[string]int) (*counts, error) {
	s := &counts{place: at, now: map[string]int{}, timestamp: youngest(cells)}
	var err error
	if s.journal, s.value, err = tables.DecodeJournal(cells); err != nil {
		return nil, err
	}
	for i, c := range cells {
		if name := c.Family + ":" + c.Qualifier; name != tables.Attributes+":"+tables.CountedColumn {
			if _, asked := columns[name]; !asked {
				continue
			}
			if s.now[name], err = tables.DecodeCount(cells[i : i+1]); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// open returns the tallies that are not counted in s, and forgets in its journal the writes that are whole. A write whose intent is gone after s
// was read is whole, and was counted by somebody; one that is not in s then, and whose intent is there, was not counted in s.
func (s *counts) open(ctx context.Context, p port, batch []*waiting, label string) (open []*waiting, err error) {
	var ask []string
	for _, w := range batch {
		if !s.journal.Has(w.op) {
			open, ask = append(open, w), append(ask, w.op)
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	if len(s.journal.Ops) >= maxJournal {
		ask = append(ask, s.journal.Ops...)
	}
	there, err := intentsOpen(ctx, p, ask, label+", intents")
	if err != nil {
		return nil, err
	}
	gone := func(op string) bool { return !there[op] }
	if len(s.journal.Ops) >= maxJournal {
		s.journal.Ops = slices.DeleteFunc(slices.Clone(s.journal.Ops), gone)
	}
	return slices.DeleteFunc(open, func(w *waiting) bool { return gone(w.op) }), nil
}

// add counts tallies in s, unless the row is not in that state any more.
func (s *counts) add(ctx context.Context, p port, batch []*waiting, label string) (bool, error) {
	timestamp := max(p.w.now().UnixMilli(), s.timestamp+1)
	next := tables.Journal{Revision: s.journal.Revision + 1, Ops: slices.Clone(s.journal.Ops)}
	after, changed := maps.Clone(s.now), map[string]bool{}
	for _, w := range batch {
		if next.Has(w.op) {
			continue
		}
		next.Ops = append(next.Ops, w.op)
		for name, delta := range w.deltas {
			after[name] = max(0, after[name]+delta)
			changed[name] = true
		}
	}
	put := hbase.Put{Table: s.table, Row: s.row, Cells: []hbase.Cell{next.Cell(timestamp)}}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		family, qualifier, _ := strings.Cut(name, ":")
		put.Cells = append(put.Cells, hbase.Cell{Family: family, Qualifier: qualifier, Timestamp: timestamp,
			Value: strconv.AppendInt(nil, int64(after[name]), 10)})
	}
	check := hbase.Check{Family: tables.Attributes, Qualifier: tables.CountedColumn, Value: s.value}
	done, err := p.checkAndPut(ctx, label, check, put)
	if done {
		for _, w := range batch {
			w.after = after
		}
	}
	return done, err
}

// intentsOpen says which of these writes have an intent.
func intentsOpen(ctx context.Context, p port, ops []string, label string) (map[string]bool, error) {
	gets := make([]hbase.Get, len(ops))
	for i, op := range ops {
		gets[i] = tables.Intents.Open(op)
	}
	cells, err := p.get(ctx, label, gets)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for i, op := range ops {
		there[op] = len(cells[i]) > 0
	}
	return there, nil
}
