package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"twibase/hbase"
)

// CheckAndPut implements [hbase.Store]. Cells without a timestamp get the later of the present and
// the checked version's.
func (s *Store) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (did bool, err error) {
	if err := put.Validate(); err != nil {
		return false, err
	}
	change := func(t *table, current *hbase.Cell, w *writer) error {
		var value []byte
		if current != nil {
			value = current.Value
			w.now = max(w.now, current.Timestamp)
		}
		if did = bytes.Equal(value, check.Value); !did {
			return nil
		}
		// As in HBase, only if the check succeeds.
		if _, err := s.checkMutation(put); err != nil {
			return err
		}
		w.put(t, put)
		return nil
	}
	err = s.update(ctx, put.Table, put.Row, check.Family, check.Qualifier, change)
	return did && err == nil, err
}

// Increment implements [hbase.Store]. The sum wraps around, as in HBase.
func (s *Store) Increment(ctx context.Context, inc hbase.Increment) (sum int64, err error) {
	if err := inc.Validate(); err != nil {
		return 0, err
	}
	change := func(t *table, current *hbase.Cell, w *writer) error {
		sum = inc.Delta
		if current != nil {
			if len(current.Value) != 8 {
				return fmt.Errorf("%w: %s:%q has %d bytes",
					hbase.ErrNotLong, inc.Family, inc.Qualifier, len(current.Value))
			}
			sum += int64(binary.BigEndian.Uint64(current.Value))
			w.now = max(w.now, current.Timestamp+1)
		}
		cell := hbase.Cell{Family: inc.Family, Qualifier: inc.Qualifier}
		cell.Value = binary.BigEndian.AppendUint64(nil, uint64(sum))
		w.put(t, hbase.Put{Row: inc.Row, Cells: []hbase.Cell{cell}})
		return nil
	}
	err = s.update(ctx, inc.Table, inc.Row, inc.Family, inc.Qualifier, change)
	return sum, err
}

// update commits the writes of change, given the newest version of a cell, or nil.
func (s *Store) update(ctx context.Context, table, row, family, qualifier string,
	change func(t *table, current *hbase.Cell, w *writer) error) error {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	t, err := s.table(table)
	if err != nil {
		return err
	}
	f, err := t.family(family)
	if err != nil {
		return err
	}
	defer hbase.StatsOf(ctx).CountRPC(server, 0, time.Now())
	unlock := s.rows.alone(t.id, row)
	w := s.writer(s.now())
	current, err := s.newest(t, row, f, qualifier)
	if err == nil {
		err = change(t, current, w)
	}
	if err != nil {
		unlock()
		w.batch.Close()
		return err
	}
	if w.batch.Empty() {
		unlock()
		// The answer may depend on writes that are not durable yet.
		return s.settle(ctx)
	}
	return s.commit(ctx, w.batch, unlock)
}

func (s *Store) newest(t *table, row string, f family, qualifier string) (*hbase.Cell, error) {
	r, err := s.reader(nil)
	if err != nil {
		return nil, err
	}
	defer r.close()
	sel := &selection{table: t.id, families: []familySelection{selectColumns(f, []string{qualifier})}}
	cells, err := r.get(&hbase.Get{Row: row}, sel)
	if err != nil || len(cells) == 0 {
		return nil, err
	}
	s.cleaner.offer(r, false)
	return &cells[0], nil
}
